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

    /// The address at the provider belongs to somebody else now.
    @Test(arguments: StoreEngine.allCases) func ownerIsInformedOfOtherIdentityOnceADay(engine: StoreEngine) async throws
    {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.providerSession(Self.google)
        let stranger = IdentityFixture.person("stranger", authoritative: true, provider: "google.com")
        func refusals() async throws -> [Notifier.SendEmail] {
            try await fixture.mails().filter { $0.purpose == .providerRefused }
        }
        for _ in 0..<3 {
            let reply = try await fixture.signInByProvider(stranger)
            #expect(reply.session == nil && reply.pending == nil)
            #expect(reply.confirmation?.accountID == ada.account.id)
            #expect(reply.confirmation?.verifiedProviders == ["password"])
        }
        let mail = try #require(try await refusals().first)
        #expect(mail.recipient == EmailAddress("ada@example.com") && mail.provider == "google.com")
        #expect(try await refusals().count == 1)
        let account = try await fixture.lookUp(ada.tokens.idToken)
        #expect(account.providers == [Self.google.link])
        // A provider that does not decide about the address informs nobody.
        _ = try await fixture.signInByProvider(IdentityFixture.person("stranger", provider: "google.com"))
        #expect(try await refusals().count == 1)
        fixture.clock.advance(by: .seconds(86_400))
        _ = try await fixture.signInByProvider(stranger)
        #expect(try await refusals().count == 2)

        // Confirmed by another method.
        let signedIn = try await fixture.signIn()
        let linked = try await fixture.providerSession(stranger, linkIDToken: signedIn.tokens.idToken)
        #expect(linked.account.id == ada.account.id && linked.account.providers == [stranger.link])
        #expect(try await fixture.providerSession(stranger).account.id == ada.account.id)
        #expect(try await fixture.signInByProvider(Self.google).confirmation != nil)
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
