import Bus
import Contracts
import Vocabulary

/// Reads the latest changes of configurations, for those who want to see or undo one.
struct ConfigurationRevisionHandler: IdentityComponent {
    let context: IdentityContext

    func list(
        _ request: Identity.ListConfigurationRevisions, _ call: BusCall
    ) async throws -> Identity.ListConfigurationRevisions.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        return .init(revisions: try await store.configurationRevisions(of: request.realm))
    }

    func read(
        _ request: Identity.ReadConfigurationRevision, _ call: BusCall
    ) async throws -> Identity.ReadConfigurationRevision.Reply {
        _ = try await projects.projectForAdministration(request.realm, traceID: call.trace.traceID)
        return try await store.configurationChange(request.revision, of: request.realm)
    }
}
