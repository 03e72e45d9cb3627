import Contracts
import Pages
import Vocabulary

/// What an operator does to many accounts at once, after a page that says to which and what follows.
enum ConsoleBulkAct: String, CaseIterable, Sendable {
    case disable, enable
    case endSessions = "end-sessions"
    case sendVerification = "send-verification"
    case delete

    /// The same for one account: its role, and what it needs, hold here.
    var act: ConsoleAct {
        switch self {
        case .disable: .disable
        case .enable: .enable
        case .endSessions: .endSessions
        case .sendVerification: .sendVerification
        case .delete: .delete
        }
    }

    /// The title of its pages, with the consequence.
    func message(_ texts: PageTexts.ConsoleUsers) -> PageTexts.Message {
        switch self {
        case .disable: texts.disableAll
        case .enable: texts.enableAll
        case .endSessions: texts.endSessionsOfAll
        case .sendVerification: texts.sendVerificationToAll
        case .delete: texts.deleteAll
        }
    }
}

/// What an act needs to know about an account.
struct ConsoleTarget: Sendable {
    var id: AccountID
    var email: String?
    var validSince: Timestamp
    /// For the operator.
    var name: String

    init(_ account: Account) {
        id = account.id
        email = account.email?.rawValue
        validSince = account.validSince
        name = account.consoleName
    }
}

/// The accounts of a bulk act.
struct ConsoleTargets: Sendable {
    /// Those that the act changes.
    var targets: [ConsoleTarget] = []
    /// Those that are already as the act makes them.
    var skipped = 0
    /// More accounts match than one act changes.
    var isCut = false

    /// The bound of one act.
    static let maximumCount = 10_000

    mutating func add(_ accounts: [Account], for act: ConsoleAct) {
        for account in accounts {
            guard act.applies(to: account) else {
                skipped += 1
                continue
            }
            guard targets.count < Self.maximumCount else {
                isCut = true
                return
            }
            targets.append(ConsoleTarget(account))
        }
    }
}
