import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 3.8.
@Suite struct TokensTests {
    private static let form = "application/x-www-form-urlencoded"

    private func refresh(_ body: String, type: String, _ harness: GatewayHarness) async throws -> TestResponse {
        try await harness.send(
            .post, "/securetoken.googleapis.com/v1/token", query: "key=k", headers: ["Content-Type": type], body: body)
    }

    @Test(arguments: [
        (form, "grant_type=refresh_token&refresh_token=opaque%2B1"),
        (form + "; charset=UTF-8", "grantType=refresh_token&refreshToken=opaque%2B1&scope="),
        ("application/json", #"{"grantType":"refresh_token","refreshToken":"opaque+1"}"#),
        ("application/json", #"{"grant_type":"refresh_token","refresh_token":"opaque+1","scope":null}"#),
    ])
    func formsAndJSONAreAccepted(type: String, body: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.RefreshSession.self) { _ in
            .init(accountID: AccountID("alice"), projectNumber: "4711", tokens: .example)
        }
        let response = try await refresh(body, type: type, harness)
        #expect(
            response.json
                == (try json(
                    #"{"id_token":"header.payload.signature","access_token":"header.payload.signature","refresh_token":"opaque","expires_in":"3600","token_type":"Bearer","user_id":"alice","project_id":"4711"}"#
                )))
        let sent = try #require(harness.mesh.sent(Identity.RefreshSession.self).first)
        #expect((sent.project, sent.refreshToken?.reveal()) == (ProjectID("demo-latchkey"), "opaque+1"))
    }

    @Test(arguments: [
        ("refresh_token=x", "MISSING_GRANT_TYPE"), ("grant_type=&refresh_token=x", "MISSING_GRANT_TYPE"),
        ("grant_type=password&refresh_token=x", "INVALID_GRANT_TYPE"),
        ("grant_type=refresh_token", "MISSING_REFRESH_TOKEN"),
        ("grant_type=refresh_token&refresh_token=", "MISSING_REFRESH_TOKEN"),
        ("grant_type=refresh_token&refresh_token=x", "INVALID_REFRESH_TOKEN"),
    ])
    func missingOrInvalidFieldIsNamed(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.RefreshSession.self) { request in
            throw ServiceError(request.refreshToken == nil ? .missingRefreshToken : .invalidRefreshToken)
        }
        let response = try await refresh(body, type: Self.form, harness)
        // The envelope of Secure Token: a status word and no list.
        #expect(
            response.json == (try json(#"{"error":{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#)))
    }

    @Test func otherContentIsRefused() async throws {
        let harness = try GatewayHarness()
        let response = try await refresh("grant_type=refresh_token&refresh_token=x", type: "text/plain", harness)
        #expect(response.status == 415)
        #expect(try await refresh("a=1&a=2", type: Self.form, harness).status == 400)
        #expect(harness.mesh.count == 0)
    }
}

/// Section 6 of the token reference.
@Suite struct PublishedKeysTests {
    private static let signer = "securetoken@system.gserviceaccount.com"

    private func harness() throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { request in
            let id = request.purpose.rawValue
            return .init(
                keys: [.init(id: SigningKeyID(id), certificatePEM: "PEM \(id)", modulus: "n", exponent: "AQAB")],
                maximumAgeSeconds: 19_800)
        }
        return harness
    }

    @Test(arguments: [
        ("/www.googleapis.com/robot/v1/metadata/x509/\(signer)", "idToken"),
        ("/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys", "sessionCookie"),
        ("/identitytoolkit.googleapis.com/v1/publicKeys", "sessionCookie"),
    ])
    func certificatesArePublished(path: String, id: String) async throws {
        let response = try await harness().send(.get, path)
        #expect(response.json == (try json(#"{"\#(id)":"PEM \#(id)"}"#)))
        #expect(response.header("cache-control") == "public, max-age=19800, must-revalidate")
        #expect(response.http.headers.count { $0.name.lowercased() == "cache-control" } == 1)
    }

    @Test(arguments: [
        ("/www.googleapis.com/service_accounts/v1/jwk/\(signer)", "idToken"),
        ("/identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys", "sessionCookie"),
    ])
    func keySetsArePublished(path: String, id: String) async throws {
        let response = try await harness().send(.get, path)
        #expect(
            response.json
                == (try json(#"{"keys":[{"kty":"RSA","alg":"RS256","use":"sig","kid":"\#(id)","n":"n","e":"AQAB"}]}"#)))
        #expect(response.header("cache-control") == "public, max-age=19800, must-revalidate")
    }

    @Test func failuresAreNotCacheable() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in throw ServiceError(.unavailable) }
        let response = try await harness.send(.get, "/v1/publicKeys")
        #expect((response.status, response.header("cache-control")) == (503, "no-store"))
    }

    @Test(arguments: [
        (["LATCHKEY_DEV": "1"], "http://127.0.0.1:9099/www.googleapis.com"),
        (
            ["LATCHKEY_LISTEN": "127.0.0.1:9099", "LATCHKEY_PUBLIC_URL": "https://auth.example.com/"],
            "https://auth.example.com/www.googleapis.com"
        ),
    ])
    func discoveryLeadsToKeysWithoutHostHeader(settings: [String: String], base: String) async throws {
        let harness = try GatewayHarness(settings)
        for (path, host) in [
            ("/securetoken.google.com/shop/.well-known/openid-configuration", "other.localhost"),
            ("/shop/.well-known/openid-configuration", "securetoken.google.com"),
        ] {
            let response = try await harness.send(.get, path, headers: ["Host": host])
            #expect(response.json["issuer"] == .string("https://securetoken.google.com/shop"))
            #expect(response.json["jwks_uri"] == .string("\(base)/service_accounts/v1/jwk/\(Self.signer)"))
        }
    }
}
