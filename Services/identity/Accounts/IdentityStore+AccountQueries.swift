package import Contracts
import Crypto
import FoundationEssentials
import JSON
import SQL
import Vocabulary

/// The order of a listing. Each order has an index (migration "orders of accounts") with all columns of a page query,
/// so that a later page costs only a walk over index entries.
private struct AccountIndex {
    /// The expression of the index. Engines order NULL differently: here NULL is the smallest value.
    var key: String?

    init(_ order: Identity.QueryAccounts.Order) {
        switch order {
        case .accountID: key = nil
        case .displayName: key = "COALESCE(display_name, '')"
        case .createdAt: key = "created_at"
        case .lastSignInAt: key = "COALESCE(last_sign_in_at, 0)"
        case .email: key = "COALESCE(email_folded, '')"
        }
    }

    /// `ORDER BY`: accounts with equal keys are ordered by the bytes of their ids, in the same direction.
    func ordering(_ direction: String) -> String {
        (key.map { "\($0) \(direction), " } ?? "") + "account_id \(direction)"
    }

    /// The condition for accounts after the account `$5` with the key `$6`.
    func following(_ isDescending: Bool) -> String {
        let sign = isDescending ? "<" : ">"
        guard let key else { return " AND account_id \(sign) $5" }
        return " AND \(key) \(sign)= $6 AND (\(key) \(sign) $6 OR account_id \(sign) $5)"
    }
}

extension IdentityStore {
    /// A page of all accounts, in the order of the query.
    /// - Throws: `invalidPageToken`.
    func list(_ query: Identity.QueryAccounts) async throws -> Identity.QueryAccounts.Reply {
        let index = AccountIndex(query.order)
        let start = try query.page.map { try pageEnd($0, of: query) }
        var parameters: [SQLValue] = [
            .text(query.realm.project.rawValue), .text(query.realm.tenantColumn),
            // One more than requested shows whether there is a next page.
            .integer(Int64(query.count + 1)), .integer(Int64(query.offset)),
        ]
        if let start {
            parameters.append(.text(start.accountID))
            if index.key != nil { parameters.append(start.key.sqlValue) }
        }
        let clause = Self.listing(query, isContinued: start != nil)
        let found = try await database.longRead { [parameters] transaction in
            try transaction.accounts(clause, parameters, in: query.realm)
        }
        let fitting = try Self.fittingReply(query.sorted(found).prefix(query.count))
        let isLast = fitting.count == found.count
        return .init(
            total: fitting.count, accounts: fitting,
            nextPage: isLast ? nil : try fitting.last.map { try seal(PageEnd($0, in: query.order), of: query) })
    }

    /// The clause after `SELECT ... FROM accounts`. The inner query reads only the index; the outer one reads the
    /// accounts of the page by their ids. The outer query has no order: with one, an engine would walk through the
    /// whole index. Parameters: project, tenant, limit, offset; the last id and key of the previous page.
    package static func listing(_ query: Identity.QueryAccounts, isContinued: Bool) -> String {
        let index = AccountIndex(query.order)
        let ordering = index.ordering(query.isDescending ? "DESC" : "ASC")
        return """
            WHERE project = $1 AND tenant = $2 AND account_id IN (
                SELECT account_id FROM accounts WHERE project = $1 AND tenant = $2\(
                    isContinued ? index.following(query.isDescending) : "")
                ORDER BY \(ordering) LIMIT $3 OFFSET $4)
            """
    }

    // MARK: Page ends

    /// Sealed like the page tokens of listings: they contain account ids.
    private func seal(_ end: PageEnd, of query: Identity.QueryAccounts) throws -> String {
        Base64URL.encode(try pageKey.seal(Array(try WireJSON.encode(end)), binding: query.pageBinding))
    }

    private func pageEnd(_ page: String, of query: Identity.QueryAccounts) throws(IdentityError) -> PageEnd {
        guard page.utf8.count <= 2048, let sealed = Base64URL.decode(page),
            // `try?`: every error means that the page token is invalid.
            let opened = try? pageKey.open(sealed, binding: query.pageBinding),
            let end = try? WireJSON.decodeUnchecked(PageEnd.self, from: Data(opened))
        else { throw .invalidPageToken }
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
