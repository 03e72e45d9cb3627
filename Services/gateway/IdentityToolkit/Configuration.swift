internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// The project configuration (wire-protocol 5.1).
    static let configuration: [Route] = [
        Route(.get, .v2Project("/config"), .v2, .administrator) { call in
            let reply = try await call.ask(Identity.ReadConfiguration(project: call.project()))
            return .json(try ConfigurationDocument.document(reply))
        },
        Route(.patch, .v2Project("/config"), .v2, .administrator) { call in
            let project = try call.project()
            let body = try ConfigurationDocument.schema.read(call.body(JSONValue.self), root: "config")
            let mask = try FieldMask(
                call.request.queryItem("updateMask") ?? call.request.queryItem("update_mask") ?? "")
            return .json(try ConfigurationDocument.document(try await change(project, mask, body, call)))
        },
        .notBuilt("platform set-up", .post, .v2Project("/identityPlatform:initializeAuth"), .v2, .administrator),
    ]

    /// Two administrators may change different fields at once: whoever comes second reads again.
    private static let maximumAttempts = 5

    private static func change(
        _ project: ProjectID, _ mask: FieldMask, _ body: JSONValue, _ call: Call
    ) async throws -> Identity.ReadConfiguration.Reply {
        for _ in 1..<maximumAttempts {
            do {
                return try await changeOnce(project, mask, body, call)
            } catch let error as WireError where error.code == .configurationConflict {
                continue
            }
        }
        return try await changeOnce(project, mask, body, call)
    }

    private static func changeOnce(
        _ project: ProjectID, _ mask: FieldMask, _ body: JSONValue, _ call: Call
    ) async throws -> Identity.ReadConfiguration.Reply {
        let current = try await call.ask(Identity.ReadConfiguration(project: project))
        let changed = try ConfigurationDocument.applying(mask, of: body, to: current.configuration)
        return try await call.ask(
            Identity.ReplaceConfiguration(
                project: project, configuration: changed, expectedRevision: current.revision, client: call.client))
    }
}
