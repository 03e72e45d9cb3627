import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Account pre-hijacking (security rule FE13): an attacker prepares an account with the address of a victim, who signs
/// in later with a provider that decides about the address. Serialized: each test uses several connections.
@Suite(.serialized) struct ProviderTakeoverTests {
    private static let victim = "victim@gmail.com"
    private static let google = IdentityFixture.person(
        "victim", email: victim, authoritative: true, provider: "google.com")

    /// The victim arrives a second later, because tokens have whole seconds.
    private static func arrive(
        _ fixture: IdentityFixture, at planted: AccountID
    ) async throws -> Identity.ProviderSignInReply.Session {
        fixture.clock.advance(by: .seconds(1))
        let session = try await fixture.providerSession(google)
        #expect(session.account.id == planted && session.isEmailRecycled && !session.isNewAccount)
        #expect(session.account.emailVerified && session.account.providers == [google.link])
        #expect(session.account.validSince == fixture.clock.now.timestamp)
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, planted)))
        #expect(try await fixture.auditActions().contains("account.unverified-access-removed"))
        // The new session is valid.
        #expect(try await fixture.lookUp(session.tokens.idToken).providers == [google.link])
        _ = try await fixture.refresh(session.tokens.refreshToken)
        return session
    }

    /// The attack "classic-federated merge".
    @Test(arguments: StoreEngine.allCases)
    func passwordOfAttackerIsRemoved(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let planted = try await fixture.signUp(Self.victim)
        _ = try await fixture.changeOwn(
            planted.tokens, .init(displayName: "Attacker", photoURL: "https://attacker.example/p.png"))
        let session = try await Self.arrive(fixture, at: planted.account.id)
        #expect(!session.account.hasPassword && session.account.displayName == "Ada")
        #expect(session.account.photoURL == "https://img.example/a.png")
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn(Self.victim) }
    }

    /// The attack "unexpired session".
    @Test(arguments: StoreEngine.allCases)
    func sessionsOfAttackerEnd(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let planted = try await fixture.signUp(Self.victim)
        let other = try await fixture.signIn(Self.victim)
        _ = try await Self.arrive(fixture, at: planted.account.id)
        for tokens in [planted.tokens, other.tokens] {
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(tokens.idToken) }
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
            await #expect(throws: ServiceError(.sessionExpired)) {
                try await fixture.signInByProvider(
                    IdentityFixture.person("attacker", email: nil), linkIDToken: tokens.idToken)
            }
        }
    }

    /// A session of the second in which the victim arrives ends too.
    @Test func sessionOfTheSameSecondEnds() async throws {
        let fixture = try await IdentityFixture()
        let planted = try await fixture.signUp(Self.victim)
        let session = try await fixture.providerSession(Self.google)
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await fixture.refresh(planted.tokens.refreshToken)
        }
        _ = try await fixture.refresh(session.tokens.refreshToken)
    }

    /// The attack "trojan identifier": other sign-in methods of the attacker.
    @Test(arguments: StoreEngine.allCases)
    func otherMethodsOfAttackerAreRemoved(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let planted = try await fixture.signUp(Self.victim)
        let trojan = IdentityFixture.person("attacker", email: nil, provider: "github.com")
        let sameProvider = IdentityFixture.person("attacker", email: "attacker@gmail.com", provider: "google.com")
        var tokens = try await fixture.providerSession(trojan, linkIDToken: planted.tokens.idToken).tokens
        tokens = try await fixture.providerSession(sameProvider, linkIDToken: tokens.idToken).tokens
        tokens = try await fixture.session(IdentityFixture.phone, .link, idToken: tokens.idToken).tokens
        _ = try await fixture.enroll(PasskeyTests.passkey(1), tokens)
        let session = try await Self.arrive(fixture, at: planted.account.id)
        #expect(session.account.phoneNumber == nil && session.account.passkeys.isEmpty)
        for identity in [trojan, sameProvider] {
            #expect(try await fixture.providerSession(identity).account.id != planted.account.id)
        }
        #expect(try await fixture.session().account.id != planted.account.id)
        await #expect(throws: ServiceError(.passkeyNotFound)) {
            try await fixture.signIn(planted.account.id, PasskeyTests.id(1))
        }
    }

    /// The attack "trojan identifier": the undo code of an earlier address of the attacker.
    @Test(arguments: StoreEngine.allCases)
    func undoCodeOfAttackerIsVoid(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.showsEmails()
        let planted = try await fixture.signUp("attacker@example.com")
        try await fixture.apply(try await fixture.code(.verifyEmail, "attacker@example.com"))
        _ = try await fixture.changeOwn(planted.tokens, .init(email: Self.victim))
        let undo = try #require(
            try await fixture.listed().first { $0.purpose == .recoverEmail }
        ).code
        try await fixture.inspect(undo)
        _ = try await Self.arrive(fixture, at: planted.account.id)
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(undo) }
    }

    /// The attack "unexpired email change".
    @Test(arguments: StoreEngine.allCases)
    func pendingChangesOfAttackerAreVoid(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let planted = try await fixture.signUp(Self.victim)
        let change = try await fixture.code(.verifyAndChangeEmail, Self.victim, newEmail: "attacker@example.com")
        let reset = try await fixture.code(.passwordReset, Self.victim)
        _ = try await Self.arrive(fixture, at: planted.account.id)
        for code in [change, reset] {
            await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(code) }
        }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.apply(change) }
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.reset(reset) }
    }

    /// The attack "non-verifying provider", before and after the victim has an account.
    @Test(arguments: StoreEngine.allCases)
    func identityWithUnverifiedAddressGivesNoAccess(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let trojan = IdentityFixture.person("attacker", email: Self.victim, verified: false, provider: "facebook.com")
        let planted = try await fixture.providerSession(trojan)
        #expect(planted.isNewAccount && !planted.account.emailVerified)
        _ = try await Self.arrive(fixture, at: planted.account.id)
        let reply = try await fixture.signInByProvider(trojan)
        #expect(reply.session == nil && reply.confirmation?.verifiedProviders == ["google.com"])
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await fixture.refresh(planted.tokens.refreshToken)
        }
    }

    /// Fifty sign-ins of the victim at once: one takes over, and all sign in to the same account.
    @Test(arguments: StoreEngine.allCases)
    func takeoverHappensOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let planted = try await fixture.signUp(Self.victim)
        fixture.clock.advance(by: .seconds(1))
        let result = await fiftyAtOnce { _ in try await fixture.providerSession(Self.google) }
        #expect(result.refusals.isEmpty && result.replies.count == 50)
        #expect(Set(result.replies.map(\.account.id)) == [planted.account.id])
        #expect(result.replies.count(where: \.isEmailRecycled) == 1)
        // The sessions that were opened after the takeover continue.
        for reply in result.replies { _ = try await fixture.refresh(reply.tokens.refreshToken) }
    }
}
