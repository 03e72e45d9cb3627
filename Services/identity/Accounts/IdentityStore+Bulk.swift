import Contracts
import Crypto
import FoundationEssentials
import JSON
import SQL
import Vocabulary

extension IdentityStore {
    /// Maximum size of the accounts in one reply, which must fit into a bus message (1 MiB).
    private static let maximumReplyBytes = 512 << 10

    /// Accounts ordered by the bytes of their ids, after the end of the previous page.
    /// - Throws: `invalidPageToken`.
    func list(_ realm: Realm, limit: Int, after pageToken: String?) async throws -> Identity.ListAccounts.Reply {
        let page = try await page(of: realm, limit: limit, after: pageToken)
        let fitting = try Self.fittingReply(page.accounts.map(\.account)[...])
        let isLast = page.isLast && fitting.count == page.accounts.count
        return .init(accounts: fitting, nextPageToken: isLast ? nil : try fitting.last.map { try seal(pageEnd: $0) })
    }

    /// At most `limit` accounts ordered by the bytes of their ids, after the end of the previous page, and whether it is
    /// certain that none follows them: the page is not full.
    /// - Throws: `invalidPageToken`.
    func page(
        of realm: Realm, limit: Int, after pageToken: String?
    ) async throws -> (accounts: [StoredAccount], isLast: Bool) {
        let start = try pageToken.map { try pageEnd($0, in: realm) }
        let found = try await database.longRead { transaction in
            try transaction.rows(AccountTable.next, SQLRecord(start ?? AccountID(""), in: realm), Int64(limit))
                .map { try transaction.storedAccount($0, in: realm) }
        }
        return (found, found.count < limit)
    }

    func count(_ realm: Realm) async throws -> Int {
        try await database.longRead { transaction in
            try transaction.firstRow(AccountTable.count, SQLRecord(realm))?.get(computed: "count") ?? 0
        }
    }

    /// Deletes the accounts that may be deleted, in one transaction.
    /// - Returns: the accounts that are kept, because they are not disabled.
    func delete(
        _ ids: [AccountID], in realm: Realm, force: Bool, at now: Moment, idempotency: IdempotentCall?,
        audit: @Sendable @escaping (AccountID) -> AuditEntry
    ) async throws -> Identity.DeleteAccounts.Reply {
        try await write(idempotency: idempotency) { transaction in
            var skippedIndices: [Int] = []
            for (position, id) in ids.enumerated() {
                guard let stored = try transaction.account(id, in: realm) else { continue }
                guard force || stored.account.disabled else {
                    skippedIndices.append(position)
                    continue
                }
                try transaction.delete(stored.account, at: now)
                try transaction.append(audit(id))
            }
            return .init(skippedIndices: skippedIndices)
        }
    }

    /// At least one, so that every page makes progress.
    static func fittingReply<Row: Encodable>(_ accounts: ArraySlice<Row>) throws -> [Row] {
        var (fitting, bytes) = ([Row](), 0)
        for account in accounts {
            bytes += try WireJSON.encode(account).count
            guard fitting.isEmpty || bytes <= maximumReplyBytes else { break }
            fitting.append(account)
        }
        return fitting
    }

    // MARK: Page ends

    /// Sealed, because an account ID is confidential, and bound to its realm. It stays valid after a restart.
    func seal(pageEnd account: Account) throws -> String {
        Base64URL.encode(
            try pageKey.seal(Array(account.id.rawValue.utf8), binding: Self.pageBinding(account.realm)))
    }

    private func pageEnd(_ pageToken: String, in realm: Realm) throws(ServiceError) -> AccountID {
        guard pageToken.utf8.count <= 2048, let sealed = Base64URL.decode(pageToken),
            // `try?`: every error means that the page token is invalid.
            let id = try? pageKey.open(sealed, binding: Self.pageBinding(realm))
        else { throw ServiceError(.invalidPageToken) }
        return AccountID(String(decoding: id, as: UTF8.self))
    }

    private static func pageBinding(_ realm: Realm) -> [UInt8] {
        let project = realm.project.rawValue
        return Array("account page/\(project.utf8.count):\(project)/\(realm.tenantColumn)".utf8)
    }
}
