import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What identity tells the other services about the name and the look of a project.
@Suite struct BrandingEffectTests {
    private func brand(_ fixture: IdentityFixture, _ name: String) async throws {
        try await fixture.configure { configuration in
            var branding = ProjectConfiguration.Branding()
            branding.applicationName = name
            branding.logo = .init()
            branding.logo?.content = SampleImage.png
            configuration.branding = branding
        }
    }

    private func resetEmail(_ fixture: IdentityFixture, in realm: Realm = IdentityFixture.realm) async throws
        -> Notifier.SendEmail
    {
        _ = try await fixture.send(
            Identity.SendActionCode(realm: realm, purpose: .passwordReset, email: "ada@example.com"))
        return try await fixture.mail(.resetPassword)
    }

    @Test func emailHasTheNameAndTheLook() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp("ada@example.com")
        let plain = try await resetEmail(fixture)
        #expect(plain.appName == "demo" && plain.branding == nil && plain.logoURL == nil)
        try await brand(fixture, "Flower Shop")
        let email = try await resetEmail(fixture)
        let digest = try #require(email.branding?.logo?.digest)
        #expect(email.appName == "Flower Shop" && email.branding?.logo?.content == nil)
        #expect(email.logoURL == fixture.service.context.actionPage.origin + "/__/auth/logo/" + digest)
    }

    @Test func emailOfATenantHasItsName() async throws {
        let fixture = try await IdentityFixture()
        try await brand(fixture, "Flower Shop")
        let realm = try await fixture.makeTenant { tenant in
            tenant.branding = .init()
            tenant.branding?.applicationName = "Acme"
        }
        _ = try await fixture.send(
            Identity.SignUp(realm: realm, email: "ada@example.com", password: Secret("correct-horse-9")))
        let email = try await resetEmail(fixture, in: realm)
        #expect(email.appName == "Acme" && email.branding?.senderName == "Acme" && email.logoURL != nil)
    }

    @Test func secondFactorHasTheName() async throws {
        let fixture = try await IdentityFixture()
        try await fixture.configure { configuration in
            configuration.mfa?.providerConfigs = [.init()]
            configuration.mfa?.providerConfigs?[0].state = .enabled
            configuration.mfa?.providerConfigs?[0].totpProviderConfig = .init()
        }
        let made = try await fixture.signUp("ada@example.com")
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        #expect(try await fixture.check(made.tokens, .totp).applicationName == "demo")
        try await brand(fixture, "Flower Shop")
        #expect(try await fixture.check(made.tokens, .totp).applicationName == "Flower Shop")
    }

    /// The relying party keeps a name of its own.
    @Test func passkeyHasTheNameUnlessItHasAnother() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp("ada@example.com")
        try await brand(fixture, "Flower Shop")
        #expect(try await fixture.checkPasskey(ada.tokens).configuration?.relyingPartyName == "Flower Shop")
        try await fixture.configure { configuration in
            configuration.passkeyConfig = .init()
            configuration.passkeyConfig?.relyingPartyId = "example.com"
        }
        let named = try await fixture.checkPasskey(ada.tokens).configuration
        #expect(named?.relyingPartyName == "Flower Shop" && named?.relyingPartyId == "example.com")
        try await fixture.configure { $0.passkeyConfig?.relyingPartyName = "Shop" }
        #expect(try await fixture.checkPasskey(ada.tokens).configuration?.relyingPartyName == "Shop")
    }
}
