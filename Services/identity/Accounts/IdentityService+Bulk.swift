import Bus
import Contracts
import Vocabulary

/// Many accounts at once, for administrators (REST 4.1).
extension IdentityService {
    func listAccounts(
        _ request: Identity.ListAccounts, _ call: BusCall
    ) async throws -> Identity.ListAccounts.Reply {
        _ = try await dependencies.projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard (1...Identity.ListAccounts.maximumCount).contains(request.count) else {
            throw IdentityError.countOutOfRange
        }
        return try await dependencies.store.list(
            request.realm, count: request.count, after: request.page?.nilIfEmpty)
    }

    func queryAccounts(
        _ request: Identity.QueryAccounts, _ call: BusCall
    ) async throws -> Identity.QueryAccounts.Reply {
        _ = try await dependencies.projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard (1...Identity.QueryAccounts.maximumCount).contains(request.count), request.offset >= 0 else {
            throw IdentityError.countOutOfRange
        }
        // A page says itself where it begins, and only listings of whole realms have pages.
        guard request.page == nil || (request.offset == 0 && request.criteria.isEmpty && !request.isOnlyCounting) else {
            throw IdentityError.invalidPageToken
        }
        guard request.criteria.count <= Identity.FindAccounts.maximumCriteria else {
            throw IdentityError.tooManyCriteria
        }
        if request.criteria.isEmpty {
            if request.isOnlyCounting {
                return .init(total: try await dependencies.store.count(request.realm), accounts: [])
            }
            return try await dependencies.store.list(request)
        }
        let found = try await dependencies.store.accounts(request.criteria, in: request.realm)
        if request.isOnlyCounting { return .init(total: found.count, accounts: []) }
        let accounts = request.sortedPage(of: found)
        return .init(total: accounts.count, accounts: accounts)
    }

    func deleteAccounts(
        _ request: Identity.DeleteAccounts, _ call: BusCall
    ) async throws -> Identity.DeleteAccounts.Reply {
        _ = try await dependencies.projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        guard !request.accountIDs.isEmpty else { throw IdentityError.missingAccountID }
        guard request.accountIDs.count <= Identity.DeleteAccounts.maximumCount else {
            throw IdentityError.tooManyAccounts
        }
        let blank = auditEntry(.accountDeleted, .administrator, request.realm, request.client, call, about: nil)
        let reply = try await dependencies.store.delete(
            request.accountIDs, in: request.realm, force: request.force, at: dependencies.now(),
            once: idempotentCall(for: call)
        ) { id in
            var audit = blank
            audit.accountID = id
            return audit
        }
        let staying = Set(reply.notDisabled)
        for (position, id) in request.accountIDs.enumerated() where !staying.contains(position) {
            publishSessionsRevoked(id, in: request.realm)
        }
        return reply
    }
}
