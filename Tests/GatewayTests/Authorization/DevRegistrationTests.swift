import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct DevRegistrationTests {
    private static let url = "https://app.example.com/other"
    private static let query = PercentEncoding.query([("client_id", "c"), ("redirect_uri", url), ("state", "s")])

    private func harness(_ application: Identity.Application?, _ gateway: GatewayHarness) -> GatewayHarness {
        gateway.mesh.reply(to: Identity.ResolveApplication.self) { _ in
            guard let application else { throw ServiceError(.applicationNotFound) }
            return application
        }
        gateway.mesh.reply(to: Identity.CreateApplication.self) { _ in AuthorizationTokensTests.application }
        gateway.mesh.reply(to: Identity.ReplaceApplication.self) { request in
            guard request.registration.redirectURLs.last == Self.url else {
                throw ServiceError(.invalidApplication, "redirectUris[1] has a fragment")
            }
            return AuthorizationTokensTests.application
        }
        return gateway
    }

    private func register(
        _ harness: GatewayHarness, query: String = query, site: String = "same-origin"
    ) async throws -> TestResponse {
        try await harness.send(
            .post, DevRegistration.path, query: query,
            headers: [
                "Host": "127.0.0.1:9099", "Sec-Fetch-Site": site, "Content-Type": "application/x-www-form-urlencoded",
            ])
    }

    @Test func unknownApplicationIsRegisteredUnderItsID() async throws {
        let harness = harness(nil, try GatewayHarness())
        let page = try await harness.send(
            .get, AuthorizationPage.path, query: Self.query, headers: ["Host": "127.0.0.1:9099"])
        #expect(page.status == 400 && page.text.contains("Register it") && page.text.contains(Self.url))
        let response = try await register(harness)
        #expect(response.header("location") == "\(AuthorizationPage.path)?\(Self.query)")
        let sent = try #require(harness.mesh.sent(Identity.CreateApplication.self).first)
        #expect(sent.id == ApplicationID("c") && sent.project == ProjectID("demo-latchkey"))
        #expect(sent.registration == .init(displayName: "c", kind: .web, redirectURLs: [Self.url]))
    }

    @Test func knownApplicationGetsAnotherAddress() async throws {
        let application = AuthorizationTokensTests.application
        let harness = harness(application, try GatewayHarness())
        #expect(try await register(harness).status == 303)
        let sent = try #require(harness.mesh.sent(Identity.ReplaceApplication.self).first)
        #expect(sent.registration.redirectURLs == application.registration.redirectURLs + [Self.url])
        #expect(sent.expectedRevision == application.revision)
        let query = PercentEncoding.query([("client_id", "c"), ("redirect_uri", "https://app.example.com/#a")])
        let refused = try await register(harness, query: query)
        #expect(refused.status == 400 && refused.text.contains("has a fragment"))
    }

    /// A page of another site registers nothing on the machine of a developer.
    @Test func formOfAnotherSiteRegistersNothing() async throws {
        let harness = harness(nil, try GatewayHarness())
        for site in ["cross-site", "same-site", "none"] {
            #expect(try await register(harness, site: site).status == 403)
        }
        #expect(harness.mesh.sent(Identity.CreateApplication.self).isEmpty)
    }

    @Test func productionRegistersNothing() async throws {
        let harness = harness(nil, try .production(["LATCHKEY_PUBLIC_URL": "https://auth.example.org"]))
        let page = try await harness.send(
            .get, AuthorizationPage.path, query: Self.query, headers: ["Host": "auth.example.org"])
        #expect(page.status == 400 && !page.text.contains("Register it"))
        #expect(try await register(harness).status == 404)
        #expect(harness.mesh.sent(Identity.CreateApplication.self).isEmpty)
    }
}
