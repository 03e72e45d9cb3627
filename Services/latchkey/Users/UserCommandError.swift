import CommandLineArguments
import ServiceRuntime
import Vocabulary

/// Why a command about users did nothing.
enum UserCommandError: ExitError, Equatable {
    case noUser(String, Realm)
    case severalUsers(String, [AccountID])
    /// A whole sentence: the account has the requested state already.
    case nothingToDo(String)
    case unusableInput(String)

    var messages: [String] {
        switch self {
        case .noUser(let text, let realm):
            ["\(realm.shownName) has no user \(UsageError.quoted(text))."]
        case .severalUsers(let text, let ids):
            [
                "\(UsageError.quoted(text)) names several users: \(ids.map(\.rawValue).joined(separator: ", ")). "
                    + "Name one by its user id."
            ]
        case .nothingToDo(let sentence), .unusableInput(let sentence): [sentence]
        }
    }
}

extension Realm {
    /// How messages name the realm.
    var shownName: String { tenant.map { "Tenant \($0) of project \(project)" } ?? "Project \(project)" }
}
