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

    /// The argument is the number of accounts.
    static let ofProvider = SQLStatement<ProviderLinkTable>(
        """
        SELECT account_id FROM provider_links
        WHERE project = :project AND tenant = :tenant AND provider_id = :provider_id LIMIT $1
        """)

    static let disabled = SQLStatement<AccountTable>(
        """
        SELECT account_id FROM accounts WHERE project = :project AND tenant = :tenant AND disabled = 1
            AND account_id > :account_id ORDER BY account_id LIMIT $1
        """)

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
            let ids = try transaction.accountIDs(request, limit: Int64(request.limit) + 1)
            let accounts = try ids.prefix(request.limit).compactMap {
                try transaction.account($0, in: request.realm)?.account
            }
            let fitting = try Self.fittingReply(accounts[...])
            return .init(accounts: fitting, hasMore: ids.count > request.limit || fitting.count < accounts.count)
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

extension SQLTransaction {
    fileprivate borrowing func accountIDs(_ request: Identity.SearchAccounts, limit: Int64) throws -> [AccountID] {
        let after = SQLRecord<AccountTable>(request.realm) + [.accountID: request.after?.rawValue ?? ""]
        switch request.criterion {
        case .disabled: return try rows(AccountSearch.disabled, after, limit).map { try $0.get(.accountID) }
        case .withSecondFactor:
            return try rows(
                AccountSearch.withSecondFactor,
                SQLRecord(request.realm) + [.accountID: request.after?.rawValue ?? ""], limit
            ).map { try $0.get(.accountID) }
        case .text(let text): return try accountIDs(beginningWith: text, in: request.realm, limit: limit)
        }
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
        found += try rows(AccountSearch.ofProvider, SQLRecord(realm) + [.providerID: text], limit)
            .map { try $0.get(.accountID) }
        var seen: Set<AccountID> = []
        return Array(found.filter { seen.insert($0).inserted }.prefix(Int(clamping: limit)))
    }
}
