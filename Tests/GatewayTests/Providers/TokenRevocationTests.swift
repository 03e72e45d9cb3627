import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 3.7.
@Suite struct TokenRevocationTests {
    private func response(
        _ body: String, headers: [String: String] = [:], error: ServiceError? = nil
    ) async throws -> (harness: GatewayHarness, status: Int, message: String?, json: JSONValue) {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.RevokeToken.self) { _ in
            if let error { throw error }
            return EmptyReply()
        }
        let response = try await harness.client("v2/accounts:revokeToken", body, headers: headers)
        return (harness, response.status, response.message, response.json)
    }

    @Test(arguments: [
        (#""3""#, Federation.RevocableToken.code), ("3", .code), (#""CODE""#, .code), (#""1""#, .refreshToken),
        (#""ACCESS_TOKEN""#, .accessToken),
    ])
    func tokenIsRevoked(type: String, expected: Federation.RevocableToken) async throws {
        let body = #"""
            {"providerId":"apple.com","tokenType":\#(type),"token":"c","idToken":"i","redirectUri":"","tenantId":"t1"}
            """#
        let (harness, status, _, json) = try await response(
            body, headers: ["x-ios-bundle-identifier": "com.example.app"])
        #expect(status == 200 && json == .object([:]))
        #expect(
            harness.mesh.sent(Federation.RevokeToken.self) == [
                .init(
                    realm: Realm(project: ProjectID("demo-latchkey"), tenant: TenantID("t1")), tokenType: expected,
                    token: Secret("c"), idToken: Secret("i"), bundleID: "com.example.app")
            ])
    }

    @Test(arguments: [
        ("{}", "MISSING_PROVIDER_ID"),
        (#"{"providerId":"google.com","tokenType":"3","token":"c"}"#, "OPERATION_NOT_ALLOWED"),
        (#"{"providerId":"apple.com","tokenType":"3","idToken":"i"}"#, "INVALID_IDP_RESPONSE"),
        (#"{"providerId":"apple.com","token":"c","idToken":"i"}"#, "INVALID_IDP_RESPONSE"),
        (#"{"providerId":"apple.com","tokenType":"0","token":"c","idToken":"i"}"#, "INVALID_IDP_RESPONSE"),
    ])
    func malformedRequestIsRefused(body: String, code: String) async throws {
        let (harness, status, message, _) = try await response(body)
        #expect(status == 400 && message?.hasPrefix(code) == true)
        #expect(harness.mesh.sent(Federation.RevokeToken.self).isEmpty)
    }

    @Test(arguments: [
        (ServiceError(.missingIDToken), "MISSING_ID_TOKEN"), (ServiceError(.invalidIDToken), "INVALID_ID_TOKEN"),
        (ServiceError(.providerNotFound), "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."),
        (ServiceError(.invalidProviderResponse, "x"), "INVALID_IDP_RESPONSE : x"),
    ])
    func errorsOfFederationAreReported(error: ServiceError, expected: String) async throws {
        let body = #"{"providerId":"apple.com","tokenType":"3","token":"c"}"#
        let (_, status, message, _) = try await response(body, error: error)
        #expect(status == 400 && message == expected)
    }
}
