import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Vocabulary

extension IdentityToolkit {
    /// Requests of test tools to the emulator (REST 6). Dev mode only.
    static let emulator: [Route] = [
        Route(.delete, accounts, .v1, .developer) { call in
            let realm = try call.realm()
            while try await call.send(Identity.ClearAccounts(realm: realm, client: call.client)).hasMore {}
            return .json(EmptyResponse())
        },
        Route(.get, project("/config"), .v1, .developer) { call in
            let reply = try await call.send(Identity.ReadConfiguration(project: call.project()))
            return .json(EmulatorConfiguration(reply.configuration))
        },
        Route(.patch, project("/config"), .v1, .developer) { call in
            let body = try EmulatorConfiguration.schema.read(call.body(JSONValue.self), root: "config")
            let reply = try await change(call.project(), FieldMask(""), body, call)
            return .json(EmulatorConfiguration(reply.configuration))
        },
        Route(.get, .local("/emulator/openapi.json"), .v1, .developer) { _ in openAPI },
    ]

    /// Built once: it is long and never changes.
    private static let openAPI = HTTPResponse.json(OpenAPI(RouteTable.routes))

    private static let accounts = project("/accounts") + tenant("/accounts")

    private static func project(_ suffix: String) -> [RoutePath] { .local("/emulator/v1/projects/{project}\(suffix)") }

    private static func tenant(_ suffix: String) -> [RoutePath] { project("/tenants/{tenant}\(suffix)") }
}

/// The two settings that test tools change.
private struct EmulatorConfiguration: Encodable {
    struct SignIn: Encodable { var allowDuplicateEmails: Bool }
    struct EmailPrivacy: Encodable { var enableImprovedEmailPrivacy: Bool }
    var signIn: SignIn
    var emailPrivacyConfig: EmailPrivacy

    init(_ configuration: ProjectConfiguration) {
        signIn = SignIn(allowDuplicateEmails: configuration.signIn?.allowDuplicateEmails ?? false)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: configuration.preventsEmailEnumeration)
    }

    static let schema = DocumentSchema.message([
        "signIn": .message(["allowDuplicateEmails": .boolean]),
        "emailPrivacyConfig": ProjectConfiguration.EmailPrivacy.schema,
    ])
}

/// The route table as an OpenAPI 3 document: paths, methods, and which of them are not implemented. The protocol
/// reference describes the bodies.
private struct OpenAPI: Encodable {
    struct Info: Encodable {
        var title = "Latchkey"
        var version = "v1"
    }
    struct Response: Encodable { var description: String }
    struct Operation: Encodable {
        var responses: [String: Response]

        init(_ route: Route) {
            responses =
                route.missingFeature.map { ["400": Response(description: "Not available: \($0).")] }
                ?? ["200": Response(description: "Success."), "default": Response(description: "An error envelope.")]
        }
    }
    var openapi = "3.0.3"
    var info = Info()
    var paths: [String: [String: Operation]] = [:]

    init(_ routes: [Route]) {
        for route in routes {
            for path in route.paths {
                let text = (path.host.map { "/\($0.rawValue)" } ?? "") + path.pattern.text
                paths[text, default: [:]][route.method.name.asciiLowercased] = Operation(route)
            }
        }
    }
}
