import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey users list`.
struct UserListCommand: Command {
    /// The orders of identity, by the names of the command line.
    private enum Order: String, CaseIterable {
        case uid, email, name, created
        case lastSignIn = "last-sign-in"

        var contract: Identity.QueryAccounts.Order {
            switch self {
            case .uid: .accountID
            case .email: .email
            case .name: .displayName
            case .created: .createdAt
            case .lastSignIn: .lastSignInAt
            }
        }
    }

    private static let limit = CommandOption("limit", value: "N", "number of users (default: 100)")
    private static let sort = CommandOption(
        "sort", value: "ORDER", completion: .words(Order.allCases.map(\.rawValue)), "order (default: uid)")
    private static let descending = CommandOption("descending", "the last of the order first")

    static let declaration = CommandDeclaration(
        "list", "print the users of a project or tenant",
        options: [limit, sort, descending, .json] + UserArguments.options)

    private static let defaultLimit = 100
    private static let maximumLimit = 10_000_000

    private let limit: Int
    private let order: Identity.QueryAccounts.Order
    private let isDescending: Bool
    private let target: UserArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        limit = try arguments.integer(Self.limit, 1...Self.maximumLimit) ?? Self.defaultLimit
        order = (arguments.value(Self.sort).flatMap(Order.init) ?? .uid).contract
        isDescending = arguments.has(Self.descending)
        target = try UserArguments(arguments, environment)
    }

    func run() async throws {
        try await target.mesh.withRequests { try await write($0, to: target.mesh.output) }
    }

    /// Writes page by page, so that the memory does not grow with the number of users.
    func write(_ bus: any BusRequestSending, to output: CommandOutput) async throws {
        var list = output.listUsers()
        var pageToken: String?
        repeat {
            let page = try await bus.send(
                Identity.QueryAccounts(
                    realm: target.realm, order: order, isDescending: isDescending,
                    limit: min(limit - list.count, Identity.QueryAccounts.maximumCount), pageToken: pageToken),
                .ofOperator())
            try list.append(page.accounts.map(UserRecord.init))
            pageToken = page.accounts.isEmpty ? nil : page.nextPageToken
        } while pageToken != nil && list.count < limit
        if list.count == 0 { output.note("\(target.realm.shownName) has no users.") }
    }
}
