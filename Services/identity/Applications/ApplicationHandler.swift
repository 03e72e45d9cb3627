import Bus
import Contracts
import Vocabulary

/// Registers, reads, replaces and deletes applications.
struct ApplicationHandler: IdentityComponent {
    let context: IdentityContext

    func create(_ request: Identity.CreateApplication, _ call: BusCall) async throws -> Identity.Application {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        try request.registration.check(isDev: isDev)
        if let id = request.id {
            guard isDev, try await store.project(ofApplication: id) == nil else {
                throw ServiceError(.invalidRequest, "an application cannot choose its ID")
            }
        }
        return try await store.createApplication(
            Identity.Application(
                id: request.id ?? ApplicationID(randomBytes(16).hexadecimal), project: project.id,
                registration: request.registration, apiKey: project.apiKey, createdAt: now(), revision: 1),
            audit: entry(.applicationCreated, project.id, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()))
    }

    func list(_ request: Identity.ListApplications, _ call: BusCall) async throws -> Identity.ListApplications.Reply {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        return .init(applications: try await store.applications(of: project))
    }

    func read(_ request: Identity.ReadApplication, _ call: BusCall) async throws -> Identity.Application {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        return try await store.application(request.id, of: project)
    }

    func resolve(_ request: Identity.ResolveApplication, _ call: BusCall) async throws -> Identity.Application {
        guard let project = try await store.project(ofApplication: request.id) else {
            throw ServiceError(.applicationNotFound)
        }
        return try await read(.init(project: project, id: request.id), call)
    }

    func replace(_ request: Identity.ReplaceApplication, _ call: BusCall) async throws -> Identity.Application {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        let stored = try await store.application(request.id, of: project)
        try request.registration.check(after: stored.registration, isDev: isDev)
        return try await store.replaceApplication(
            request.id, of: project, request.registration, expectedRevision: request.expectedRevision,
            audit: entry(.applicationChanged, project.id, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()))
    }

    func delete(_ request: Identity.DeleteApplication, _ call: BusCall) async throws -> EmptyReply {
        try await store.deleteApplication(
            request.id, of: request.project, audit: entry(.applicationDeleted, request.project, request.client, call),
            idempotency: store.idempotentCall(for: call, at: now()))
    }

    private func entry(
        _ action: AuditEntry.Action, _ project: ProjectID, _ client: ClientContext, _ call: BusCall
    ) -> AuditEntry {
        AuditEntry(action, .administrator, Realm(project: project), client, call, about: nil, at: now())
    }
}
