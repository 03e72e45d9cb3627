import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.6 and `:createSessionCookie` of 4.1 as requests.
@Suite struct CustomTokensTests {
    @Test func customTokenResponseOmitsAccountID() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithCustomToken.self) { _ in
            .init(account: .example(), tokens: .example, isNewAccount: false)
        }
        for path in ["v1/accounts:signInWithCustomToken"] {
            let response = try await harness.client(path, #"{"token":"t","tenantId":"x","returnSecureToken":true}"#)
            #expect(
                response.json
                    == (try json(
                        #"{"kind":"identitytoolkit#VerifyCustomTokenResponse","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600","isNewUser":false}"#
                    )))
        }
        let sent = try #require(harness.mesh.sent(Identity.SignInWithCustomToken.self).first)
        #expect(sent.token?.reveal() == "t" && sent.realm.tenant == TenantID("x"))
    }

    /// The grant of a registered application in the place of the token, for Firebase's libraries.
    @Test(
        arguments: [
            ([:], "demo-latchkey", 200), (["client_id": "d"], "demo-latchkey", 400),
            (["code": "y"], "demo-latchkey", 400),
            (["code_verifier": "w"], "demo-latchkey", 400), ([:], "another-project", 400),
        ] as [([String: String], String, Int)])
    func authorizationCodeOpensTheSessionOfItsPage(
        changes: [String: String], project: String, status: Int
    ) async throws {
        let harness = try AuthorizationTokensTests.harness(project: project)
        let grant = AuthorizationTokensTests.form.merging(changes) { $1 }.filter { $0.key != "grant_type" }
        let token = "latchkey-code.\(Base64URL.encode(Array(try WireJSON.encode(grant))))"
        let response = try await harness.client("v1/accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#)
        #expect(response.status == status)
        if status == 200 {
            #expect(response.json["refreshToken"] == .string("opaque") && response.json["isNewUser"] == .bool(false))
        } else {
            #expect(response.text.contains("INVALID_CUSTOM_TOKEN"))
        }
        #expect(harness.mesh.sent(Identity.SignInWithCustomToken.self).isEmpty)
    }

    @Test(
        arguments: [
            (#"{"idToken":"i"}"#, nil), (#"{"idToken":"i","validDuration":300}"#, 300),
            (#"{"id_token":"i","valid_duration":"1209600"}"#, 1_209_600), (#"{"idToken":"i","validDuration":-5}"#, -5),
        ] as [(String, Int64?)])
    func cookieLifetimeIsForwarded(body: String, seconds: Int64?) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CreateSessionCookie.self) { _ in .init(sessionCookie: Secret("c")) }
        let response = try await harness.admin(.post, ":createSessionCookie", body)
        #expect(response.json == (try json(#"{"sessionCookie":"c"}"#)))
        #expect(harness.mesh.sent(Identity.CreateSessionCookie.self).map(\.lifetimeSeconds) == [seconds])
    }

    @Test func nonNumericCookieLifetimeIsRefused() async throws {
        let response = try await GatewayHarness().admin(
            .post, ":createSessionCookie", #"{"idToken":"i","validDuration":"long"}"#)
        #expect((response.status, response.error?["status"]) == (400, .string("INVALID_ARGUMENT")))
    }
}
