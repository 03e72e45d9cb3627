import Contracts
import Crypto
import SQL
import Vocabulary

/// The statements that find accounts by the begin of a text, or by a state. Each reads an index.
enum AccountSearch {
    /// What a text can be the begin of, in the order of the results. The arguments are the first text, the first one behind
    /// those with the begin, and the number of accounts.
    static let beginnings: [SQLStatement<AccountTable>] = ["account_id", "email_folded", "phone_number", foldedName].map
    {
        SQLStatement(
            """
            SELECT account_id FROM accounts WHERE project = :project AND tenant = :tenant
                AND \($0) >= $1 AND \($0) < $2 ORDER BY \($0) LIMIT $3
            """)
    }

    /// The expression of the index.
    private static let foldedName = "LOWER(COALESCE(display_name, ''))"

    /// As `beginnings`, of addresses at providers.
    static let providerEmails = SQLStatement<ProviderLinkTable>(
        """
        SELECT account_id FROM provider_links WHERE project = :project AND tenant = :tenant
            AND email_folded >= $1 AND email_folded < $2 ORDER BY email_folded LIMIT $3
        """)

    /// Behind the account of the record, as all that follow. The argument is the number of accounts.
    static let ofProvider = SQLStatement<ProviderLinkTable>(
        """
        SELECT DISTINCT account_id FROM provider_links
        WHERE project = :project AND tenant = :tenant AND provider_id = :provider_id AND account_id > :account_id
        ORDER BY account_id LIMIT $1
        """)

    static let all = accounts(where: "")
    static let disabled = accounts(where: "AND disabled = 1")
    static let unverified = accounts(where: "AND email_verified = 0 AND email_folded IS NOT NULL")

    private static func accounts(where condition: String) -> SQLStatement<AccountTable> {
        SQLStatement(
            """
            SELECT account_id FROM accounts WHERE project = :project AND tenant = :tenant \(condition)
                AND account_id > :account_id ORDER BY account_id LIMIT $1
            """)
    }

    /// The creation in the record, and behind it.
    static let createdSince = SQLStatement<AccountTable>(
        """
        SELECT account_id FROM accounts WHERE project = :project AND tenant = :tenant
            AND created_at >= :created_at AND (created_at > :created_at OR account_id > :account_id)
        ORDER BY created_at, account_id LIMIT $1
        """)

    /// Every account, and whether it has a second factor: no index has those that have none.
    static let secondFactorStates = SQLStatement<AccountTable>(
        """
        SELECT account_id, CASE WHEN EXISTS (SELECT 1 FROM second_factors AS f WHERE f.project = accounts.project
            AND f.tenant = accounts.tenant AND f.account_id = accounts.account_id) THEN 1 ELSE 0 END AS has_factors
        FROM accounts WHERE project = :project AND tenant = :tenant AND account_id > :account_id
        ORDER BY account_id LIMIT $1
        """)
    /// How many accounts a page reads at most to find those without a second factor.
    static let maximumStates = 20_000
    static let statesPerRead: Int64 = 500

    static let withSecondFactor = SQLStatement<SecondFactorTable>(
        """
        SELECT DISTINCT account_id FROM second_factors WHERE project = :project AND tenant = :tenant
            AND account_id > :account_id ORDER BY account_id LIMIT $1
        """)

    /// A number as it is stored begins with its sign, which few type. Nil for a text that begins no number.
    static func number(_ text: String) -> String? {
        let kept = text.utf8.filter { !" -()/.".utf8.contains($0) }
        let digits = kept.first == UInt8(ascii: "+") ? Array(kept.dropFirst()) : Array(kept)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return "+" + String(decoding: digits, as: UTF8.self)
    }

    /// The first text behind every text that begins with this one: no text of a user has U+10FFFF.
    static func end(of beginning: String) -> String { beginning + "\u{10FFFF}" }
}

extension IdentityStore {
    /// A page of the accounts that match.
    func search(_ request: Identity.SearchAccounts) async throws -> Identity.SearchAccounts.Reply {
        try await database.longRead { transaction in
            let found = try transaction.accountIDs(request, limit: Int64(request.limit) + 1)
            let accounts = try found.ids.prefix(request.limit).compactMap {
                try transaction.account($0, in: request.realm)?.account
            }
            let fitting = try Self.fittingReply(accounts[...])
            let isCut = found.ids.count > request.limit || fitting.count < accounts.count
            let next = isCut ? fitting.last.flatMap { request.criterion.cursor(behind: $0) } : found.next
            return .init(accounts: fitting, hasMore: isCut || found.next != nil, next: next)
        }
    }

    /// An account, and the failed attempts of unknown clients at its password.
    /// - Throws: `accountNotFound`.
    func accountWithAttempts(_ id: AccountID, in realm: Realm) async throws -> (Account, SignInAttempts) {
        try await read { transaction in
            guard let account = try transaction.account(id, in: realm)?.account else {
                throw ServiceError(.accountNotFound)
            }
            return (account, try account.email.map { try transaction.sharedAttempts(of: $0, in: realm) } ?? .none)
        }
    }

    /// - Throws: `accountNotFound`.
    func clearAttempts(of id: AccountID, in realm: Realm, audit: AuditEntry) async throws {
        try await write { [self] transaction in
            guard let account = try transaction.account(id, in: realm)?.account else {
                throw ServiceError(.accountNotFound)
            }
            if let email = account.email { try clearAttempts(of: email, in: realm, transaction) }
            try transaction.append(audit)
        }
    }
}

extension Identity.SearchAccounts.Criterion {
    /// - Returns: nil for a text, which has no further pages.
    fileprivate func cursor(behind account: Account) -> Identity.SearchAccounts.Cursor? {
        switch self {
        case .text: nil
        case .createdSince: .init(accountID: account.id, createdAt: account.createdAt)
        case .disabled, .withSecondFactor, .unverified, .withoutSecondFactor, .provider, .all:
            .init(accountID: account.id)
        }
    }
}

extension SQLTransaction {
    /// - Returns: the ids, and where a search that has read its bound goes on.
    fileprivate borrowing func accountIDs(
        _ request: Identity.SearchAccounts, limit: Int64
    ) throws -> (ids: [AccountID], next: Identity.SearchAccounts.Cursor?) {
        let realm = request.realm
        let id = request.after?.accountID ?? AccountID("")
        let after = SQLRecord<AccountTable>(realm) + [.accountID: id]
        switch request.criterion {
        case .all: return (try accountIDs(AccountSearch.all, after, limit), nil)
        case .disabled: return (try accountIDs(AccountSearch.disabled, after, limit), nil)
        case .unverified: return (try accountIDs(AccountSearch.unverified, after, limit), nil)
        case .createdSince(let moment):
            let since = request.after?.createdAt ?? moment
            return (try accountIDs(AccountSearch.createdSince, after + [.createdAt: since], limit), nil)
        case .withSecondFactor:
            return (
                try rows(AccountSearch.withSecondFactor, SQLRecord(realm) + [.accountID: id], limit)
                    .map { try $0.get(.accountID) }, nil
            )
        case .provider(let provider): return (try accountIDs(ofProvider: provider, after: id, in: realm, limit), nil)
        case .withoutSecondFactor: return try accountIDsWithoutSecondFactor(after: id, in: realm, limit)
        case .text(let text): return (try accountIDs(beginningWith: text, in: realm, limit: limit), nil)
        }
    }

    private borrowing func accountIDs(
        _ statement: SQLStatement<AccountTable>, _ record: SQLRecord<AccountTable>, _ limit: Int64
    ) throws -> [AccountID] {
        try rows(statement, record, limit).map { try $0.get(.accountID) }
    }

    private borrowing func accountIDs(
        ofProvider provider: String, after id: AccountID, in realm: Realm, _ limit: Int64
    ) throws -> [AccountID] {
        try rows(AccountSearch.ofProvider, SQLRecord(realm) + [.providerID: provider, .accountID: id], limit)
            .map { try $0.get(.accountID) }
    }

    private borrowing func accountIDsWithoutSecondFactor(
        after id: AccountID, in realm: Realm, _ limit: Int64
    ) throws -> (ids: [AccountID], next: Identity.SearchAccounts.Cursor?) {
        var (found, last, read) = ([AccountID](), id, 0)
        while found.count < limit, read < AccountSearch.maximumStates {
            let states = try rows(
                AccountSearch.secondFactorStates, SQLRecord(realm) + [.accountID: last], AccountSearch.statesPerRead
            ).map { row in
                (id: try row.get(.accountID) as AccountID, hasFactors: try row.get(computed: "has_factors") as Int == 1)
            }
            found += states.filter { !$0.hasFactors }.map(\.id)
            guard states.count == AccountSearch.statesPerRead, let end = states.last else { return (found, nil) }
            last = end.id
            read += states.count
        }
        return (found, .init(accountID: last))
    }

    private borrowing func accountIDs(
        beginningWith text: String, in realm: Realm, limit: Int64
    ) throws -> [AccountID] {
        let folded = text.asciiLowercased
        let beginnings: [String?] = [text, folded, AccountSearch.number(text), folded]
        var found: [AccountID] = []
        for (statement, beginning) in zip(AccountSearch.beginnings, beginnings) {
            guard let beginning else { continue }
            found += try rows(
                statement, SQLRecord(realm), beginning, AccountSearch.end(of: beginning), limit
            ).map { try $0.get(.accountID) }
        }
        found += try rows(
            AccountSearch.providerEmails, SQLRecord(realm), folded, AccountSearch.end(of: folded), limit
        ).map { try $0.get(.accountID) }
        found += try accountIDs(ofProvider: text, after: AccountID(""), in: realm, limit)
        var seen: Set<AccountID> = []
        return Array(found.filter { seen.insert($0).inserted }.prefix(Int(clamping: limit)))
    }
}
