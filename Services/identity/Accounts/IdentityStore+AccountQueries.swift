import Contracts
import Crypto
import FoundationEssentials
import JSON
import SQL
import Vocabulary

/// How a realm is listed in one order. Each order has an index (migration "orders of accounts") with all columns that
/// finding a page needs, so a page far behind costs a scan of index entries only.
private struct AccountIndex {
    /// Nil for the order of the ids.
    var column: AccountTable?
    /// The expression of the index. The engines order null differently: here an absent value is the smallest.
    private var key: String

    init(_ order: Identity.QueryAccounts.Order) {
        switch order {
        case .accountID: (column, key) = (nil, "account_id")
        case .displayName: (column, key) = (.displayName, "COALESCE(display_name, '')")
        case .createdAt: (column, key) = (.createdAt, "created_at")
        case .lastSignInAt: (column, key) = (.lastSignInAt, "COALESCE(last_sign_in_at, 0)")
        case .email: (column, key) = (.emailFolded, "COALESCE(email_folded, '')")
        }
    }

    /// `ORDER BY`: accounts with equal keys are ordered by the bytes of their ids, in the same direction.
    func ordering(_ direction: String) -> String {
        (column == nil ? "" : "\(key) \(direction), ") + "account_id \(direction)"
    }

    /// The condition for the accounts behind the one in the record.
    func following(_ isDescending: Bool) -> String {
        let sign = isDescending ? "<" : ">"
        guard let column else { return "AND account_id \(sign) :account_id" }
        let value = ":\(column.rawValue)"
        return "AND \(key) \(sign)= \(value) AND (\(key) \(sign) \(value) OR account_id \(sign) :account_id)"
    }
}

/// One of the statements that list accounts.
struct AccountListing: Hashable {
    var order: Identity.QueryAccounts.Order
    var isDescending: Bool
    /// Whether the page follows another one.
    var isContinued: Bool

    static let all = Identity.QueryAccounts.Order.allCases.flatMap { order in
        [false, true].flatMap { isDescending in
            [false, true].map { AccountListing(order: order, isDescending: isDescending, isContinued: $0) }
        }
    }

    private static let statements = Dictionary(uniqueKeysWithValues: all.map { ($0, $0.makeStatement()) })

    /// The record has the realm, and the account that the page before ended with. The arguments are the limit and the
    /// offset.
    var statement: SQLStatement<AccountTable> { Self.statements[self] ?? makeStatement() }

    /// The inner query reads only the index; the outer one reads the accounts of the page, by their ids. It has no
    /// order: with one, an engine would scan the whole index.
    private func makeStatement() -> SQLStatement<AccountTable> {
        let index = AccountIndex(order)
        return SQLStatement(
            """
            \(AccountTable.selection) WHERE project = :project AND tenant = :tenant AND account_id IN (
                SELECT account_id FROM accounts WHERE project = :project AND tenant = :tenant
                    \(isContinued ? index.following(isDescending) : "")
                ORDER BY \(index.ordering(isDescending ? "DESC" : "ASC")) LIMIT $1 OFFSET $2)
            """)
    }
}

extension IdentityStore {
    /// A page of all accounts, in the order of the query.
    /// - Throws: `invalidPageToken`.
    func list(_ query: Identity.QueryAccounts) async throws -> Identity.QueryAccounts.Reply {
        let start = try query.pageToken.map { try pageEnd($0, of: query) }
        var record = SQLRecord<AccountTable>(query.realm)
        if let start {
            record = record + [.accountID: start.accountID]
            if let column = AccountIndex(query.order).column { record = record + [column: start.key.sqlValue] }
        }
        let listing = AccountListing(
            order: query.order, isDescending: query.isDescending, isContinued: start != nil)
        let found = try await database.longRead { [record] transaction in
            try transaction.rows(listing.statement, record, query.limit, query.offset)
                .map { try transaction.storedAccount($0, in: query.realm).account }
        }
        let fitting = try Self.fittingReply(query.sorted(found)[...])
        let isLast = found.count < query.limit && fitting.count == found.count
        return .init(
            total: fitting.count, accounts: fitting,
            nextPageToken: isLast ? nil : try fitting.last.map { try seal(PageEnd($0, in: query.order), of: query) })
    }

    // MARK: Page ends

    /// Sealed like the page tokens of listings: they contain account ids.
    private func seal(_ end: PageEnd, of query: Identity.QueryAccounts) throws -> String {
        Base64URL.encode(try pageKey.seal(Array(try WireJSON.encode(end)), binding: query.pageBinding))
    }

    private func pageEnd(_ pageToken: String, of query: Identity.QueryAccounts) throws(ServiceError) -> PageEnd {
        guard pageToken.utf8.count <= 2048, let sealed = Base64URL.decode(pageToken),
            // `try?`: every error means that the page token is invalid.
            let opened = try? pageKey.open(sealed, binding: query.pageBinding),
            let end = try? WireJSON.decodeUnchecked(PageEnd.self, from: Data(opened))
        else { throw ServiceError(.invalidPageToken) }
        return end
    }
}

/// The end of a page: the last account, and its key in the order of the query.
private struct PageEnd: Codable {
    enum Key: Codable {
        case text(String)
        case number(Int64)

        var sqlValue: SQLValue {
            switch self {
            case .text(let text): .text(text)
            case .number(let number): .integer(number)
            }
        }
    }

    var accountID: String
    var key: Key

    init(_ account: Account, in order: Identity.QueryAccounts.Order) {
        accountID = account.id.rawValue
        key =
            switch order {
            case .accountID: .text(account.id.rawValue)
            case .displayName: .text(account.displayName ?? "")
            case .createdAt: .number(account.createdAt.milliseconds)
            case .lastSignInAt: .number(account.lastSignInAt?.milliseconds ?? 0)
            case .email: .text(account.email?.folded ?? "")
            }
    }
}

extension Identity.QueryAccounts {
    /// A page belongs to one realm, order and direction.
    fileprivate var pageBinding: [UInt8] {
        let project = realm.project.rawValue
        return Array(
            "account query/\(project.utf8.count):\(project)/\(realm.tenantColumn)/\(order.rawValue)/\(isDescending)"
                .utf8)
    }
}
