import Contracts
import Pages

/// What an operator does to an account, after a page that says what follows from it.
enum ConsoleAct: String, CaseIterable, Sendable {
    case disable, enable, unlock
    case cancelDeletion = "cancel-deletion"
    case endSessions = "end-sessions"
    case endSession = "end-session"
    case removeFactor = "remove-factor"
    case removePasskey = "remove-passkey"
    case sendReset = "send-reset"
    case sendVerification = "send-verification"
    case delete

    var role: Identity.OperatorRole {
        switch self {
        case .disable, .enable, .unlock, .cancelDeletion, .endSessions, .endSession, .removeFactor, .removePasskey,
            .sendReset, .sendVerification:
            .support
        case .delete: .administrator
        }
    }

    /// It cannot be undone.
    var needsFreshSession: Bool {
        switch self {
        case .removeFactor, .removePasskey, .delete: true
        case .disable, .enable, .unlock, .cancelDeletion, .endSessions, .endSession, .sendReset, .sendVerification:
            false
        }
    }

    var buttonKind: PageButtonKind {
        switch self {
        case .disable, .endSessions, .endSession, .removeFactor, .removePasskey, .delete: .danger
        case .enable, .unlock, .cancelDeletion, .sendReset, .sendVerification: .primary
        }
    }

    /// The title of its page, with the consequence.
    func message(_ texts: PageTexts.Console) -> PageTexts.Message {
        switch self {
        case .disable: texts.disable
        case .enable: texts.enable
        case .unlock: texts.unlock
        case .cancelDeletion: texts.cancelDeletion
        case .endSessions: texts.endSessionsOfUser
        case .endSession: texts.endSession
        case .removeFactor: texts.removeFactor
        case .removePasskey: texts.removePasskey
        case .sendReset: texts.sendReset
        case .sendVerification: texts.sendVerification
        case .delete: texts.deleteUser
        }
    }

    /// Whether the account is in a state in which it has an effect, apart from those with an object of their own.
    func applies(to account: Account) -> Bool {
        switch self {
        case .disable: !account.disabled
        case .enable: account.disabled
        case .cancelDeletion: account.deletionDueAt != nil
        case .unlock, .sendReset: account.email != nil
        case .sendVerification: account.email != nil && !account.emailVerified
        case .endSessions, .delete: true
        case .endSession, .removeFactor, .removePasskey: false
        }
    }
}
