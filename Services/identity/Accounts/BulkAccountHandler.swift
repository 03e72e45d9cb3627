import Bus
import Contracts
import Vocabulary

/// Lists and deletes many accounts at once, for administrators (REST 4.1).
struct BulkAccountHandler: IdentityComponent {
    let context: IdentityContext

    func list(
        _ request: Identity.ListAccounts, _ call: BusCall
    ) async throws -> Identity.ListAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        try request.checkLimit()
        return try await store.list(
            request.realm, limit: request.limit, after: request.pageToken?.nilIfEmpty)
    }

    func query(
        _ request: Identity.QueryAccounts, _ call: BusCall
    ) async throws -> Identity.QueryAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        try request.checkLimit()
        guard request.offset >= 0 else { throw ServiceError.limitOutOfRange }
        // A page token contains its offset, and only lists of whole realms have pages.
        guard request.pageToken == nil || (request.offset == 0 && request.criteria.isEmpty && !request.countOnly) else {
            throw ServiceError(.invalidPageToken)
        }
        guard request.criteria.count <= Identity.FindAccounts.maximumCriteria else {
            throw ServiceError.tooManyCriteria
        }
        if request.criteria.isEmpty {
            if request.countOnly {
                return .init(total: try await store.count(request.realm), accounts: [])
            }
            return try await store.list(request)
        }
        let found = try await store.accounts(request.criteria, in: request.realm)
        if request.countOnly { return .init(total: found.count, accounts: []) }
        let accounts = request.sortedPage(of: found)
        return .init(total: accounts.count, accounts: accounts)
    }

    func delete(
        _ request: Identity.DeleteAccounts, _ call: BusCall
    ) async throws -> Identity.DeleteAccounts.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard !request.accountIDs.isEmpty else { throw ServiceError(.missingAccountID) }
        guard request.accountIDs.count <= Identity.DeleteAccounts.maximumCount else {
            throw ServiceError(.tooManyAccounts)
        }
        let blank = AuditEntry(
            .accountDeleted, .administrator, request.realm, request.client, call, about: nil, at: now())
        let reply = try await store.delete(
            request.accountIDs, in: request.realm, force: request.force, at: now(),
            idempotency: store.idempotentCall(for: call, at: now())
        ) { id in
            var audit = blank
            audit.accountID = id
            return audit
        }
        if reply.skippedIndices.count < request.accountIDs.count { publish(.sessionsRevoked(request.realm, nil)) }
        return reply
    }

    func clear(_ request: Identity.ClearAccounts, _ call: BusCall) async throws -> Identity.ClearAccounts.Reply {
        guard isDev else { throw ServiceError(.adminOnlyOperation) }
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        return .init(
            hasMore: try await store.clearAccounts(
                of: request.realm,
                audit: AuditEntry(
                    .accountsCleared, .administrator, request.realm, request.client, call, about: nil, at: now())))
    }
}
