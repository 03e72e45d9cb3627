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

/// The accounts of a bulk act, as far as its page counts them.
struct ConsoleTargets: Sendable {
    /// The first of those that the act changes.
    var first: [ConsoleTarget] = []
    /// Those that the act changes.
    var count = 0
    /// Those that are already as the act makes them.
    var skipped = 0
    /// Others follow, which the act changes, too.
    var hasMore = false
    /// Others match a text, and no page has them: the act does not change them.
    var isCut = false

    static let maximumShown = 20

    mutating func add(_ reply: Identity.SearchAccounts.Reply, for act: ConsoleAct) {
        let targets = reply.accounts.filter(act.applies)
        first += targets.prefix(Self.maximumShown - first.count).map(ConsoleTarget.init)
        count += targets.count
        skipped += reply.accounts.count - targets.count
        isCut = reply.hasMore && reply.next == nil
    }
}
