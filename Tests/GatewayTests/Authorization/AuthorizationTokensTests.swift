import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct AuthorizationTokensTests {
    static let application = Identity.Application(
        id: ApplicationID("c"), project: ProjectID("demo-latchkey"),
        registration: .init(displayName: "Shop", kind: .web, redirectURLs: ["https://app.example.com/signed-in"]),
        apiKey: "the-key", createdAt: Moment(milliseconds: 0), revision: 1)
    static let form = [
        "grant_type": "authorization_code", "client_id": "c", "code": "x",
        "redirect_uri": "https://app.example.com/signed-in", "code_verifier": "v",
    ]

    private func redeem(
        _ harness: GatewayHarness, _ changes: [String: String] = [:], origin: String? = nil,
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> TestResponse {
        let body = Self.form.merging(changes) { $1 }
            .map { "\($0.key)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        var headers = ["Content-Type": type]
        headers["Origin"] = origin
        return try await harness.send(.post, AuthorizationTokens.path, headers: headers, body: body)
    }

    /// - Parameter project: in which the application is registered.
    static func harness(project: String = "demo-latchkey") throws -> GatewayHarness {
        let harness = try GatewayHarness()
        var application = application
        application.project = ProjectID(project)
        harness.mesh.reply(to: Identity.ResolveApplication.self) { [application] request in
            guard request.id == application.id else { throw ServiceError(.applicationNotFound) }
            return application
        }
        harness.mesh.reply(to: Identity.RedeemAuthorizationCode.self) { request in
            #expect(request.project == ProjectID("demo-latchkey") && request.application == ApplicationID("c"))
            guard request.code.reveal() == "x", request.verifier.reveal() == "v",
                request.redirectURL == "https://app.example.com/signed-in"
            else { throw ServiceError(.invalidAuthorizationCode) }
            return .init(accountID: AccountID("ada"), projectNumber: "12", tokens: .example)
        }
        return harness
    }

    @Test func codeBecomesTokens() async throws {
        let response = try await redeem(try Self.harness())
        #expect(response.status == 200)
        #expect(
            response.json
                == (try json(
                    """
                    {"id_token":"header.payload.signature","access_token":"header.payload.signature",
                    "refresh_token":"opaque","expires_in":3600,"token_type":"Bearer","user_id":"ada"}
                    """)))
        #expect(response.header("cache-control") == "no-store")
    }

    /// RFC 6749 §5.2.
    @Test(arguments: [
        (["grant_type": "password"], "unsupported_grant_type"), (["grant_type": ""], "unsupported_grant_type"),
        (["client_id": ""], "invalid_request"), (["code": ""], "invalid_request"),
        (["redirect_uri": ""], "invalid_request"), (["code_verifier": ""], "invalid_request"),
        (["client_id": "d"], "invalid_client"), (["client_id": "a b"], "invalid_client"),
        (["code": "y"], "invalid_grant"), (["code_verifier": "w"], "invalid_grant"),
        (["redirect_uri": "https://evil.example/"], "invalid_grant"),
    ])
    func otherRequestIsRefused(changes: [String: String], error: String) async throws {
        let response = try await redeem(try Self.harness(), changes)
        #expect(response.status == 400 && response.json["error"] == .string(error))
        #expect(response.header("cache-control") == "no-store")
    }

    @Test func otherBodyIsRefused() async throws {
        let harness = try Self.harness()
        let response = try await redeem(harness, type: "application/json")
        #expect(response.status == 400 && response.json["error"] == .string("invalid_request"))
        #expect(harness.mesh.count == 0)
    }

    @Test func outageIsNoRefusalOfTheCode() async throws {
        let harness = try Self.harness()
        harness.mesh.reply(to: Identity.RedeemAuthorizationCode.self) { _ in throw ServiceError(.unavailable) }
        let response = try await redeem(harness)
        #expect(response.status == 503 && response.json["error"] == .string("temporarily_unavailable"))
    }

    /// Only pages of the application read the tokens, and pages of others do not use up its code.
    @Test(arguments: [
        ("https://app.example.com", true), ("https://evil.example", false), ("https://app.example.com:8443", false),
        ("http://app.example.com", false), ("null", false), ("https://app.example.com/", false),
    ])
    func tokensAreForPagesOfTheApplication(origin: String, isAllowed: Bool) async throws {
        let harness = try Self.harness()
        let response = try await redeem(harness, origin: origin)
        #expect(response.status == (isAllowed ? 200 : 400))
        #expect(response.header("access-control-allow-origin") == (isAllowed ? origin : nil))
        #expect(response.header("access-control-allow-credentials") == nil)
        #expect(response.header("vary") == "Origin")
        #expect(harness.mesh.sent(Identity.RedeemAuthorizationCode.self).count == (isAllowed ? 1 : 0))
    }
}
