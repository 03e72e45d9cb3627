import Contracts
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Pages that do not serve an application: the log always names the parameter and the domain, the page in dev mode.
@Suite struct UnknownAppTests {
    private static func harness(isDev: Bool) throws -> GatewayHarness {
        let harness = isDev ? try GatewayHarness() : try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { request in
            guard request.apiKey == "k" else { throw ServiceError(.unknownAPIKey) }
            return .init(project: ProjectID("shop"))
        }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.com", "app.example.org"]
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        return harness
    }

    private static let login = "/__/auth/login"
    private static let handler = "/__/auth/handler"

    @Test(
        arguments: [
            (login, "apiKey=other", "auth.example.com", .apiKey, nil, "the key of no project"),
            (login, "apiKey=k&tenantId=%2F", "auth.example.com", .tenantId, nil, "not the ID of a tenant"),
            (
                login, "apiKey=k&continueUrl=https%3A%2F%2Fevil.example%2Fx%3Fsecret", "auth.example.com", .continueUrl,
                "evil.example", "The domain evil.example of continueUrl"
            ),
            (
                login, "apiKey=k&continueUrl=nothing", "auth.example.com", .continueUrl, nil,
                "continueUrl is no absolute address"
            ),
            (login, "apiKey=k", "other.example", .host, "other.example", "The domain other.example of this page"),
            (
                handler,
                "apiKey=k&providerId=google.com&authType=signInViaRedirect&appName=x&redirectUrl=https%3A%2F%2Fevil.example",
                "auth.example.com", .redirectUrl, "evil.example", "The domain evil.example of redirectUrl"
            ),
            (
                handler, "apiKey=k&authType=verifyApp&eventId=abc&ibi=org.example.app", "auth.example.com", .bundleID,
                nil, "parameter ibi"
            ),
            (
                handler, "apiKey=k&authType=verifyApp&ibi=org.example.app", "auth.example.com", .eventId, nil,
                "parameter eventId"
            ),
        ] as [(String, String, String, UnknownAppError.Parameter, String?, String)])
    func causeIsInTheLog(
        path: String, query: String, host: String, parameter: UnknownAppError.Parameter, domain: String?, text: String
    ) async throws {
        let harness = try Self.harness(isDev: false)
        let response = try await harness.send(.get, path, query: query, headers: ["Host": host])
        #expect(response.status == 400 && !response.text.contains(text))
        let refused = try #require(harness.refusedPages.all.withLock { $0.first })
        #expect(refused.parameter == parameter && refused.domain == domain)
        #expect(refused.explanation.contains(text))
    }

    /// The explanation is for developers, in English on a page of any language, and escaped.
    @Test func pageExplainsInDevMode() async throws {
        let harness = try Self.harness(isDev: true)
        let query = "apiKey=k&hl=de&continueUrl=https%3A%2F%2Fevil.example%2F"
        let response = try await harness.send(.get, Self.login, query: query, headers: ["Host": "localhost:9099"])
        #expect(response.status == 400)
        #expect(response.text.contains(#"<p lang="en" dir="ltr">The domain evil.example of continueUrl"#))
        #expect(harness.refusedPages.all.withLock { $0.count } == 1)
    }

    @Test(arguments: UnknownAppError.Parameter.allCases)
    func everyCauseIsExplained(parameter: UnknownAppError.Parameter) {
        let long = String(repeating: "a.", count: 500)
        for address in [nil, "", "https://evil.example/<b>", "https://\(long)example/"] {
            let error = UnknownAppError(parameter, address: address)
            #expect(!error.explanation.isEmpty && (error.domain ?? "").count <= 253)
        }
    }
}
