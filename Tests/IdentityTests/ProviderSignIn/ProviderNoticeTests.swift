import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The owner of a verified address is informed when an identity gets access to the account.
@Suite struct ProviderNoticeTests {
    private static let google = IdentityFixture.person(authoritative: true, provider: "google.com")

    private func notices(_ fixture: IdentityFixture) async throws -> [Notifier.SendEmail] {
        try await fixture.mails().filter { $0.purpose == .providerLinked }
    }

    @Test func verifiedOwnerIsInformedOfLink() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.providerSession(
            IdentityFixture.person(email: "work@example.com"), linkIDToken: ada.tokens.idToken)
        let mail = try #require(try await notices(fixture).first)
        #expect(mail.recipient == EmailAddress("ada@example.com") && mail.provider == "oidc.company")
        #expect(mail.link == nil && mail.displayName == "Ada")
        // Neither another sign-in nor another address at the provider is a link.
        _ = try await fixture.providerSession(IdentityFixture.person(email: "new@example.com"))
        #expect(try await notices(fixture).count == 1)
        // Another identity of the same provider is.
        _ = try await fixture.providerSession(IdentityFixture.person("other"), linkIDToken: ada.tokens.idToken)
        #expect(try await notices(fixture).count == 2)
    }

    @Test func verifiedOwnerIsInformedWhenAnIdentityJoins() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUpVerified()
        _ = try await fixture.providerSession(Self.google)
        #expect(try await notices(fixture).map(\.provider) == ["google.com"])
    }

    @Test func ownerIsInformedOfTakeover() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        _ = try await fixture.providerSession(Self.google)
        #expect(try await notices(fixture).map(\.recipient) == [EmailAddress("ada@example.com")])
    }

    @Test func noticeFollowsSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        try await fixture.enrollTOTP(ada.tokens)
        let pending = try #require(try await fixture.signInByProvider(Self.google).pending)
        #expect(try await notices(fixture).isEmpty)
        _ = try await PendingSignInTests.complete(
            fixture, pending.secondFactor.pendingCredential, FactorID("app"))
        #expect(try await notices(fixture).map(\.provider) == ["google.com"])
    }

    /// New accounts, accounts without a verified owner, and requests that change nothing.
    @Test func otherSignInsCauseNoNotice() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.providerSession(IdentityFixture.person("1", email: "new@example.com"))
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        _ = try await fixture.providerSession(
            IdentityFixture.person("2", email: "upgraded@example.com"), linkIDToken: anonymous.tokens.idToken)
        let unverified = try await fixture.signUp("unverified@example.com")
        _ = try await fixture.providerSession(
            IdentityFixture.person("3", email: nil), linkIDToken: unverified.tokens.idToken)
        _ = try await fixture.signUpVerified()
        #expect(try await fixture.signInByProvider().confirmation != nil)
        #expect(try await notices(fixture).isEmpty)
    }
}
