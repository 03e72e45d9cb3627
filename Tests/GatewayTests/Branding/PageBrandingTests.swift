import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The name and the look of a project on its pages.
@Suite struct PageBrandingTests {
    private static let complete = ##"""
        {"branding":{"applicationName":"Flower Shop","supportContact":"help@example.com","colorScheme":"BOTH",
        "termsUrl":"https://example.com/terms","privacyUrl":"https://example.com/privacy","cornerRadius":8,
        "lightColors":{"brand":"#8a2020","canvas":"#fff8f0"},"darkColors":{"brand":"#ff9d94","canvas":"#140f0f"},
        "logo":{"digest":"00ff","mediaType":"image/png","width":96,"height":48}}}
        """##

    private static func branding(_ json: String) throws -> PageBranding {
        PageBranding(try WireJSON.decode(ProjectConfiguration.self, from: Data(json.utf8)).branding)
    }

    /// A gateway with one project, `shop`, whose key is `k`.
    private func harness(_ configuration: String = complete) throws -> GatewayHarness {
        let harness = try GatewayHarness.production(["LATCHKEY_PASSKEY_PAGE": "1"])
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { request in
            guard request.apiKey == "k" else { throw ServiceError(.unknownAPIKey) }
            return .init(project: ProjectID("shop"))
        }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(
                configuration: try WireJSON.decode(ProjectConfiguration.self, from: Data(configuration.utf8)),
                projectNumber: "1", isDisabled: false)
        }
        return harness
    }

    @Test func everyMemberReachesThePage() throws {
        #expect(
            try Self.branding(Self.complete)
                == PageBranding(
                    name: "Flower Shop", logoPath: "/__/auth/logo/00ff", color: RGBColor("#8a2020"),
                    darkColor: RGBColor("#ff9d94"), canvas: RGBColor("#fff8f0"), darkCanvas: RGBColor("#140f0f"),
                    radiusPixels: 8, scheme: .both, supportAddress: EmailAddress("help@example.com"),
                    termsURL: WebURL("https://example.com/terms"), privacyURL: WebURL("https://example.com/privacy")))
        #expect(try Self.branding("{}") == PageBranding())
        #expect(try Self.branding(#"{"branding":{"colorScheme":"DARK"}}"#) == PageBranding(scheme: .dark))
        #expect(
            try Self.branding(#"{"branding":{"supportContact":"https://example.com/help"}}"#)
                == PageBranding(supportPage: WebURL("https://example.com/help")))
    }

    @Test func pageOfAKeyShowsTheBranding() async throws {
        let harness = try harness()
        let response = try await harness.send(.get, "/__/auth/passkeys", query: "apiKey=k")
        #expect(response.text.contains(" · Flower Shop</title>") && response.text.contains("<bdi>Flower Shop</bdi>"))
        #expect(
            response.text.contains(#"src="/__/auth/logo/00ff""#) && response.text.contains("mailto:help@example.com"))
        #expect(response.text.contains("https://example.com/terms") && response.text.contains("color=8a2020"))
        #expect(response.header("Content-Security-Policy")?.contains("img-src 'self'") == true)
        // The realm of the page is that of its address.
        _ = try await harness.send(.get, "/__/auth/passkeys", query: "apiKey=k&tenantId=t1")
        #expect(harness.mesh.sent(Identity.ResolveConfiguration.self).map(\.realm.tenant?.rawValue) == [nil, "t1"])
    }

    /// Also the page about a link that is no longer valid.
    @Test func pageOfALinkShowsTheBranding() async throws {
        let harness = try harness()
        harness.mesh.reply(to: Identity.InspectActionCode.self) { _ in throw ServiceError(.expiredActionCode) }
        let response = try await harness.send(
            .get, "/__/auth/action", query: "mode=verifyEmail&oobCode=c&apiKey=k&lang=en")
        #expect(response.status == 400 && response.text.contains("<bdi>Flower Shop</bdi>"))
    }

    @Test func pageOfAnUnknownKeyHasNone() async throws {
        let harness = try harness()
        let response = try await harness.send(.get, "/__/auth/passkeys", query: "apiKey=other")
        #expect(response.status == 200 && !response.text.contains("Flower Shop"))
    }

    /// A page is served while identity cannot be asked.
    @Test func pageWithoutIdentityHasNone() async throws {
        let harness = try harness()
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in throw ServiceError(.unavailable) }
        let response = try await harness.send(.get, "/__/auth/passkeys", query: "apiKey=k")
        #expect(response.status == 200 && !response.text.contains("Flower Shop"))
    }

    @Test func brandingIsKeptUntilItChanges() async throws {
        let harness = try harness()
        func open() async throws { _ = try await harness.send(.get, "/__/auth/passkeys", query: "apiKey=k") }
        func reads() -> Int { harness.mesh.sent(Identity.ResolveConfiguration.self).count }
        try await open()
        try await open()
        #expect(reads() == 1)
        // Tenants inherit from their project.
        let project = ProjectID("shop")
        harness.gateway.handle(.configurationChanged(Realm(project: ProjectID("other"))))
        try await open()
        #expect(reads() == 1)
        harness.gateway.handle(.configurationChanged(Realm(project: project, tenant: TenantID("t1"))))
        try await open()
        #expect(reads() == 2)
        // An event can be lost.
        harness.clock.advance(by: .seconds(5))
        try await open()
        #expect(reads() == 3)
    }

    /// Markup in a name is text.
    @Test func nameIsEscaped() async throws {
        let harness = try harness(#"{"branding":{"applicationName":"<script>alert(1)</script>\"'"}}"#)
        let response = try await harness.send(.get, "/__/auth/passkeys", query: "apiKey=k")
        #expect(!response.text.contains("<script>alert") && response.text.contains("&lt;script&gt;alert(1)"))
    }
}
