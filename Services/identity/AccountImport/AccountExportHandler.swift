import Bus
import Contracts
import Vocabulary

/// Lists accounts with the hashes of their passwords, for administrators who leave or keep a copy (REST 4.1).
struct AccountExportHandler: IdentityComponent {
    let context: IdentityContext

    func export(
        _ request: Identity.ExportAccounts, _ call: BusCall
    ) async throws -> Identity.ExportAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        try request.checkLimit()
        return try await store.export(
            request.realm, limit: request.limit, after: request.pageToken?.nilIfEmpty,
            audit: AuditEntry(
                request.addsSecrets == true ? .accountSecretsExported : .accountsExported, .administrator,
                request.realm, request.client, call, about: nil, at: now())
        ) { [hasher] record in
            try hasher.exported(record, includingPepper: request.includesPeppers)
        }
    }
}
