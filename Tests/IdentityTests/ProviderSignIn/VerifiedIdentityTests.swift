import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Identities that are presented again, with a pending token. Serialized: each test uses several connections.
@Suite(.serialized) struct VerifiedIdentityTests {
    private static let google = IdentityFixture.person(authoritative: true, provider: "google.com")

    /// What voids identities that were verified before.
    enum Event: CaseIterable {
        case passwordChange, signOutEverywhere, removalByOwner, removalByAdministrator, removalOfAll
    }

    enum Use: CaseIterable {
        /// The account has the identity, it has its address, or the request has an ID token of the account.
        case signIn, join, link
    }

    private static func present(
        _ fixture: IdentityFixture, verifiedAt: Moment, linkIDToken: Secret<String>? = nil
    ) async throws -> Identity.ProviderSignInReply.Session {
        let reply = try await fixture.send(
            Identity.SignInWithProvider(
                realm: IdentityFixture.realm, identity: google, linkIDToken: linkIDToken, verifiedAt: verifiedAt))
        return try #require(reply.session)
    }

    private static func make(_ event: Event, _ fixture: IdentityFixture, _ tokens: TokenSet, _ id: AccountID)
        async throws
    {
        switch event {
        case .passwordChange:
            _ = try await fixture.changeOwn(tokens, .init(password: Secret("another-horse-9")))
        case .signOutEverywhere:
            _ = try await fixture.change(id, .init(validSince: fixture.clock.now.timestamp))
        case .removalByOwner: _ = try await fixture.changeOwn(tokens, .init(removals: [.provider("google.com")]))
        case .removalByAdministrator: _ = try await fixture.change(id, .init(removals: [.provider("google.com")]))
        case .removalOfAll: _ = try await fixture.change(id, .init(removals: [.providers]))
        }
    }

    @Test(arguments: Event.allCases, Use.allCases)
    func identityVerifiedBeforeIsVoid(event: Event, use: Use) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        let session = try await fixture.providerSession(Self.google)
        let verifiedAt = fixture.clock.now
        _ = try await Self.present(fixture, verifiedAt: verifiedAt)
        fixture.clock.advance(by: .seconds(1))
        try await Self.make(event, fixture, session.tokens, made.account.id)
        fixture.clock.advance(by: .seconds(1))
        switch use {
        case .signIn: try await fixture.link(made.account.id, Self.google)
        case .join, .link: _ = try await fixture.change(made.account.id, .init(removals: [.providers]))
        }
        var idToken: Secret<String>?
        if use == .link {
            let password = event == .passwordChange ? "another-horse-9" : "correct-horse-9"
            idToken = try await fixture.signIn("ada@example.com", password).tokens.idToken
        }
        await #expect(throws: ServiceError(.invalidPendingToken)) {
            _ = try await Self.present(fixture, verifiedAt: verifiedAt, linkIDToken: idToken)
        }
        fixture.clock.advance(by: .milliseconds(1))
        let again = try await Self.present(fixture, verifiedAt: fixture.clock.now, linkIDToken: idToken)
        #expect(again.account.id == made.account.id)
    }

    /// The creation of an account ends no session: an identity that was verified before it stays valid, also when the
    /// application needed longer than a second to present it.
    @Test(arguments: Use.allCases, StoreEngine.allCases)
    func identityVerifiedBeforeTheAccountWasCreatedIsValid(use: Use, engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let verifiedAt = fixture.clock.now
        fixture.clock.advance(by: .seconds(2))
        let id: AccountID
        var idToken: Secret<String>?
        switch use {
        case .signIn: id = try await Self.present(fixture, verifiedAt: verifiedAt).account.id
        case .join:
            id = try await fixture.signUp().account.id
            // Otherwise the owner of the address ends the sessions of its creator.
            _ = try await fixture.change(id, .init(emailVerified: true))
        case .link:
            let made = try await fixture.signUp()
            (id, idToken) = (made.account.id, made.tokens.idToken)
        }
        for _ in 1...2 {
            #expect(try await Self.present(fixture, verifiedAt: verifiedAt, linkIDToken: idToken).account.id == id)
            fixture.clock.advance(by: .seconds(1))
        }
        _ = try await fixture.change(id, .init(removals: [.provider("google.com")]))
        await #expect(throws: ServiceError(.invalidPendingToken)) {
            _ = try await Self.present(fixture, verifiedAt: verifiedAt, linkIDToken: idToken)
        }
    }

    /// `validSince` has whole seconds and does not change when sessions end in the second of the creation.
    @Test(arguments: StoreEngine.allCases)
    func revocationInTheSecondOfTheCreationVoidsIdentities(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let verifiedAt = fixture.clock.now
        fixture.clock.advance(by: .seconds(2))
        let session = try await fixture.providerSession(Self.google)
        _ = try await Self.present(fixture, verifiedAt: verifiedAt)
        fixture.clock.advance(by: .milliseconds(1))
        _ = try await fixture.changeOwn(session.tokens, .init(password: Secret("another-horse-9")))
        await #expect(throws: ServiceError(.invalidPendingToken)) {
            _ = try await Self.present(fixture, verifiedAt: verifiedAt)
        }
    }

    /// Tokens have whole seconds, the record of the account has milliseconds.
    @Test(arguments: StoreEngine.allCases) func identityOfTheSameSecondIsVoid(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let session = try await fixture.providerSession(Self.google)
        let verifiedAt = fixture.clock.now
        fixture.clock.advance(by: .milliseconds(1))
        _ = try await fixture.changeOwn(session.tokens, .init(password: Secret("another-horse-9")))
        await #expect(throws: ServiceError(.invalidPendingToken)) {
            _ = try await Self.present(fixture, verifiedAt: verifiedAt)
        }
        // An identity that is verified now is not concerned.
        _ = try await fixture.providerSession(Self.google)
    }

    @Test func clockThatWasAheadVoidsIdentitiesNoLonger() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(emailVerified: true))
        try await fixture.link(made.account.id, Self.google)
        let now = fixture.clock.now
        fixture.clock.setWall(now + .seconds(86_400 * 365))
        _ = try await fixture.change(made.account.id, .init(removals: [.provider("google.com")]))
        fixture.clock.setWall(now + .seconds(1))
        #expect(try await Self.present(fixture, verifiedAt: fixture.clock.now).account.id == made.account.id)
    }

    /// Changes that end no session and remove no identity.
    @Test func otherChangesKeepIdentitiesValid() async throws {
        let fixture = try await IdentityFixture()
        let session = try await fixture.providerSession(Self.google)
        let verifiedAt = fixture.clock.now
        fixture.clock.advance(by: .seconds(1))
        let github = IdentityFixture.person("7", email: nil, provider: "github.com")
        let linked = try await fixture.providerSession(github, linkIDToken: session.tokens.idToken)
        _ = try await fixture.changeOwn(linked.tokens, .init(displayName: "Grace"))
        _ = try await Self.present(fixture, verifiedAt: verifiedAt)
    }
}
