import Bus
import Contracts
import ServiceRuntime
import Vocabulary

/// Reads and replaces the configuration of projects.
struct ConfigurationHandler: IdentityComponent {
    let context: IdentityContext

    func read(
        _ request: Identity.ReadConfiguration, _ call: BusCall
    ) async throws -> Identity.ReadConfiguration.Reply {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        return .init(
            configuration: project.configuration, revision: project.revision, projectNumber: project.number)
    }

    func replace(
        _ request: Identity.ReplaceConfiguration, _ call: BusCall
    ) async throws -> Identity.ReplaceConfiguration.Reply {
        let project = try await projects.project(request.project, traceID: call.trace.traceID)
        var configuration = try request.configuration.checked(
            after: project.configuration, at: now().text, isDev: isDev)
        try configuration.refuseIneffectiveSettings(after: project.configuration)
        // The API key of the project stays, whatever the document contains: deployed clients use it.
        configuration.client = configuration.client ?? .init()
        configuration.client?.apiKey = project.apiKey
        let realm = Realm(project: request.project)
        let reply = try await store.replaceConfiguration(
            request.project, configuration, expectedRevision: request.expectedRevision,
            audit: AuditEntry(
                .configurationChanged, .administrator, realm, request.client, call, about: nil, at: now()),
            idempotency: store.idempotentCall(for: call, at: now()))
        await projects.invalidate(request.project)
        publish(.configurationChanged(realm))
        return reply
    }

    func resolve(
        _ request: Identity.ResolveConfiguration, _ call: BusCall
    ) async throws -> Identity.ResolveConfiguration.Reply {
        let project = try await projects.projectForAdministration(
            request.realm, traceID: call.trace.traceID)
        return .init(
            configuration: project.configuration, projectNumber: project.number, isDisabled: project.isDisabled)
    }

    func resolveAPIKey(_ request: Identity.ResolveAPIKey) async throws -> Identity.ResolveAPIKey.Reply {
        guard let project = try await store.project(apiKey: request.apiKey) else {
            throw ServiceError(.unknownAPIKey)
        }
        return .init(project: project)
    }
}
