import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Vocabulary

extension IdentityToolkit {
    /// The project configuration (REST 5.1).
    static let configuration: [Route] = [
        Route(.get, .v2Project("/config"), .v2, .administrator) { call in
            let reply = try await call.send(Identity.ReadConfiguration(project: call.project()))
            return .json(try ConfigurationDocument.document(reply))
        },
        Route(.patch, .v2Project("/config"), .v2, .administrator) { call in
            let project = try call.project()
            let body = try ConfigurationDocument.schema.read(call.body(JSONValue.self), root: "config")
            let mask = try FieldMask(of: call.request)
            return .json(try ConfigurationDocument.document(try await change(project, mask, body, call)))
        },
        // Every existing project is already initialized.
        Route(.post, .v2Project("/identityPlatform:initializeAuth"), .v2, .administrator) { call in
            _ = try await call.send(Identity.ReadConfiguration(project: call.project()))
            return .json(EmptyResponse())
        },
    ]

    /// Two administrators may change different fields at once: the later write fails with a conflict and is retried.
    private static let maximumAttempts = 5

    /// Runs a change, and repeats it after a conflict with a concurrent change.
    static func retryingOnConflict<Result>(_ change: () async throws -> Result) async throws -> Result {
        for _ in 1..<maximumAttempts {
            do {
                return try await change()
            } catch let error as ServiceError where error.code == .configurationConflict {
                continue
            }
        }
        return try await change()
    }

    /// Changes the fields that the mask names.
    static func change(
        _ project: ProjectID, _ mask: FieldMask, _ body: JSONValue, _ call: Call
    ) async throws -> Identity.ReadConfiguration.Reply {
        try await retryingOnConflict {
            let current = try await call.send(Identity.ReadConfiguration(project: project))
            let changed = try ConfigurationDocument.applying(mask, of: body, to: current.configuration)
            return try await call.send(
                Identity.ReplaceConfiguration(
                    project: project, configuration: changed, expectedRevision: current.revision, client: call.client))
        }
    }
}

/// A successful response without data.
struct EmptyResponse: Encodable {}

extension FieldMask {
    /// The mask of the query, in either spelling of its parameter name.
    init(of request: HTTPRequest) throws(DocumentError) {
        try self.init(request.queryItem("updateMask") ?? request.queryItem("update_mask") ?? "")
    }
}
