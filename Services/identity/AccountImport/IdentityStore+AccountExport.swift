import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// Accounts ordered by the bytes of their ids, after the end of the previous page. The entry of the audit log is
    /// stored before a hash leaves the store.
    /// - Parameter exported: the hash of a password record; nil for one that cannot be opened.
    /// - Throws: `invalidPageToken`.
    func export(
        _ realm: Realm, limit: Int, after pageToken: String?, audit: AuditEntry,
        exported: (String) throws -> Identity.ExportedPassword?
    ) async throws -> Identity.ExportAccounts.Reply {
        let page = try await page(of: realm, limit: limit, after: pageToken)
        try await write { try $0.append(audit) }
        let rows = try page.accounts.map { stored in
            Identity.ExportedAccount(account: stored.account, password: try stored.passwordRecord.flatMap(exported))
        }
        let fitting = try Self.fittingReply(rows[...])
        return .init(
            accounts: fitting,
            nextPageToken: fitting.count == rows.count && page.isLast
                ? nil : try fitting.last.map { try seal(pageEnd: $0.account) })
    }
}
