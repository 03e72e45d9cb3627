import Bus
import Contracts
import Vocabulary

/// Creates and lists projects for the operator.
struct ProjectHandler: IdentityComponent {
    let context: IdentityContext

    func create(_ request: Identity.CreateProject, _ call: BusCall) async throws -> Identity.ProjectSummary {
        guard Realm.isIdentifier(request.project.rawValue) else {
            throw ServiceError(.invalidRequest, "the text is not a project id")
        }
        let now = now()
        return try await store.addProject(
            .new(request.project, publicHost: context.actionPage.host, isDev: isDev, randomBytes: randomBytes), at: now,
            audit: AuditEntry(
                .projectCreated, .administrator, Realm(project: request.project), request.client, call, about: nil,
                at: now),
            idempotency: store.idempotentCall(for: call, at: now))
    }

    func list(_ request: Identity.ListProjects) async throws -> Identity.ListProjects.Reply {
        let limit = min(max(1, request.limit), Identity.ListProjects.maximumCount)
        return try await store.projects(after: request.after, limit: limit)
    }
}
