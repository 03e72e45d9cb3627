import Bus
import Contracts
import Vocabulary

/// Gives the owner of an account what is stored about it.
struct AccountDownloadHandler: IdentityComponent {
    let context: IdentityContext

    func download(
        _ request: Identity.DownloadOwnAccount, _ call: BusCall
    ) async throws -> Identity.DownloadOwnAccount.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        let (principal, now) = (session.principal, now())
        let found = try await store.auditRecords(
            .init(
                project: principal.realm.project, accountID: principal.accountID,
                limit: Identity.DownloadOwnAccount.maximumAuditRecords))
        var reply = try await store.download(
            principal, signedInAs: session.authentication.signInID,
            audit: AuditEntry(
                .accountDownloaded, .account(principal.accountID), principal.realm, request.client, call,
                about: principal.accountID, at: now)
        ) { current in
            try current.requireRecentSignIn(of: principal, at: now)
            try session.policy.requireRequestedFactor(in: session.authentication, of: current.account)
        }
        // An account of another tenant may have the same ID.
        reply.auditRecords = found.filter { $0.tenant == principal.realm.tenantColumn }.map {
            Identity.OwnAuditRecord($0, owner: principal.accountID)
        }
        reply.hasMoreAuditRecords = found.count == Identity.DownloadOwnAccount.maximumAuditRecords
        return reply
    }
}

extension Identity.OwnAuditRecord {
    /// Names of operators and service accounts, and their addresses, are not data of the owner.
    fileprivate init(_ record: Identity.AuditLogRecord, owner: AccountID) {
        let actor: Actor =
            switch record.actor {
            case AuditEntry.Actor.account(owner).text: .owner
            case AuditEntry.Actor.anonymous.text: .unauthenticated
            default: .administration
            }
        let isShown =
            switch actor {
            case .owner, .unauthenticated: true
            case .administration: false
            }
        self.init(
            at: record.at, action: record.action, outcome: record.outcome, actor: actor,
            ipAddress: isShown ? record.ipAddress : nil)
    }
}
