import HTTPServer
import TestSupport
import Testing

@testable import GatewayService

/// U+0000 is refused wherever text is decoded: PostgreSQL stores no such text, and SQLite would.
@Suite struct NULTests {
    @Test(arguments: [
        ("/v1/accounts:signUp", "key=k", #"{"displayName":"a\u0000"}"#),
        ("/v1/accounts:signUp", "key=k", #"{"display_name":"a","x\u0000":1}"#),
        ("/v2/accounts/mfaEnrollment:start", "key=k", #"{"idToken":"\u0000"}"#),
        ("/v1/accounts:signUp", "key=k%00", "{}"), ("/v1/accounts:signUp", "key=k&x=%00", "{}"),
    ])
    func bodyOrQueryWithNULIsRefused(path: String, query: String, body: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.send(.post, path, query: query, body: body)
        #expect(response.status == 400 && response.text.contains("U+0000"))
        #expect(harness.mesh.count == 0)
    }

    @Test func pathWithNULIsRefused() async throws {
        let harness = try GatewayHarness()
        let response = try await harness.send(
            .get, "/v2/projects/demo/tenants/a%00b", headers: ["Authorization": "Bearer owner"])
        #expect(response.status == 400 && harness.mesh.count == 0)
    }

    @Test(arguments: ["grant_type=refresh_token&refresh_token=%00", "grant_type%00=refresh_token"])
    func formWithNULIsRefused(form: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.send(
            .post, "/v1/token", query: "key=k",
            headers: ["Content-Type": "application/x-www-form-urlencoded"], body: form)
        #expect(response.status == 400 && harness.mesh.count == 0)
    }
}
