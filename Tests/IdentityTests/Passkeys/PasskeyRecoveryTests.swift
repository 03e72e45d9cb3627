import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The passkeys of an account whose owner comes back by an e-mail: an address recovery, a password reset, a sign-in by
/// link, or the rejection of a verification (security rule FE13).
@Suite(.serialized) struct PasskeyRecoveryTests {
    private static let realm = IdentityFixture.realm

    /// An account of `ada@example.com` with two passkeys. Its address was changed, and `code` restores it.
    private func stolen(
        _ fixture: IdentityFixture
    ) async throws -> (account: AccountID, tokens: TokenSet, code: Secret<String>) {
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1, name: "Laptop"), ada.tokens)
        fixture.clock.advance(by: .seconds(10))
        _ = try await fixture.enroll(PasskeyTests.passkey(2, name: "Phone"), ada.tokens)
        _ = try await fixture.signIn(ada.account.id, PasskeyTests.id(2))
        let changed = try await fixture.apply(
            try await fixture.code(.verifyAndChangeEmail, newEmail: "thief@example.com"))
        #expect(changed.account.passkeys.count == 2)
        let signedIn = try await fixture.signIn(ada.account.id, PasskeyTests.id(2))
        let undo = try #require(try await fixture.listed().first { $0.purpose == .recoverEmail })
        return (ada.account.id, try #require(signedIn.tokens), undo.code)
    }

    @Test(arguments: StoreEngine.allCases, [nil, false, true] as [Bool?])
    func emailRecoveryListsPasskeysAndRemovesThemOnRequest(engine: StoreEngine, removes: Bool?) async throws {
        let fixture = try await IdentityFixture(engine)
        let (account, tokens, code) = try await stolen(fixture)
        let now = fixture.clock.now
        #expect(
            try await fixture.inspect(code).passkeys == [
                .init(name: "Laptop", createdAt: Moment(milliseconds: now.milliseconds - 10_000)),
                .init(name: "Phone", createdAt: now, lastUsedAt: now),
            ])
        let applied = try await fixture.apply(code, removesPasskeys: removes).account
        #expect(applied.email == EmailAddress("ada@example.com") && applied.emailVerified)
        #expect(applied.passkeys.count == (removes == true ? 0 : 2))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(Self.realm, account)))
        if removes == true {
            await #expect(throws: ServiceError(.passkeyNotFound)) {
                try await fixture.signIn(account, PasskeyTests.id(2))
            }
            // The credentials may be added again.
            let signedIn = try await fixture.signIn()
            #expect(try await fixture.enroll(PasskeyTests.passkey(1), signedIn.tokens).account.passkeys.count == 1)
        } else {
            #expect(try await fixture.signIn(account, PasskeyTests.id(2)).tokens != nil)
        }
    }

    /// A code that is refused with the parameter stays valid without it.
    @Test func otherCodesDoNotRemoveAllPasskeys() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada.tokens)
        let revert = try #require(try await fixture.listed().first).code
        let change = try await fixture.code(.verifyAndChangeEmail, newEmail: "new@example.com")
        let verification = try await fixture.code(.verifyEmail)
        for code in [revert, change, verification] {
            await #expect(throws: ServiceError.passkeysNotRemovable) {
                try await fixture.apply(code, removesPasskeys: true)
            }
            #expect(try await fixture.lookUp(ada.tokens.idToken).passkeys.count == 1)
        }
        try await fixture.apply(verification, removesPasskeys: false)
        try await fixture.apply(revert)
    }

    /// Whoever knew the password may have linked an identity, which a reset keeps.
    @Test(arguments: StoreEngine.allCases) func resetListsIdentitiesOfTheLastDays(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        let google = IdentityFixture.person("g", email: nil, provider: "google.com")
        let github = IdentityFixture.person("h", email: nil, provider: "github.com")
        var tokens = try await fixture.providerSession(google, linkIDToken: ada.tokens.idToken).tokens
        let first = fixture.clock.now
        fixture.clock.advance(by: .seconds(3 * 86_400))
        tokens = try await fixture.signIn().tokens
        _ = try await fixture.providerSession(github, linkIDToken: tokens.idToken)
        let second = fixture.clock.now
        // Another sign-in does not make it new, and neither does a change of the account.
        fixture.clock.advance(by: .seconds(86_400))
        tokens = try await fixture.providerSession(google).tokens
        _ = try await fixture.changeOwn(tokens, .init(displayName: "Ada"))
        let code = try await fixture.code(.passwordReset)
        #expect(
            try await fixture.inspect(code).recentProviders == [
                .init(id: "google.com", linkedAt: first), .init(id: "github.com", linkedAt: second),
            ])
        fixture.clock.advance(by: .seconds(3 * 86_400))
        let next = try await fixture.code(.passwordReset)
        #expect(try await fixture.inspect(next).recentProviders == [.init(id: "github.com", linkedAt: second)])
        fixture.clock.advance(by: .seconds(3 * 86_400))
        let last = try await fixture.code(.passwordReset)
        #expect(try await fixture.inspect(last).recentProviders == nil)
        // Other links do not list them.
        let change = try await fixture.code(.verifyAndChangeEmail, newEmail: "new@example.com")
        #expect(try await fixture.inspect(change).recentProviders == nil)
    }

    /// The reset removes the identities of an address that is not proven.
    @Test func resetOfUnprovenAddressListsNoIdentities() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.providerSession(
            IdentityFixture.person("g", email: nil), linkIDToken: made.tokens.idToken)
        let code = try await fixture.code(.passwordReset)
        #expect(try await fixture.inspect(code).recentProviders == nil)
    }

    /// A password reset keeps the passkeys of a verified owner, who should know them.
    @Test(arguments: [true, false]) func passwordResetListsPasskeysThatStay(isVerified: Bool) async throws {
        let fixture = try await IdentityFixture()
        let ada = isVerified ? try await fixture.signUpVerified().tokens : try await fixture.signUp().tokens
        _ = try await fixture.enroll(PasskeyTests.passkey(1), ada)
        let code = try await fixture.code(.passwordReset, "Ada@example.com")
        #expect(
            try await fixture.inspect(code).passkeys
                == (isVerified ? [.init(name: "Laptop", createdAt: fixture.clock.now)] : nil))
        try await fixture.reset(code)
        let signedIn = try await fixture.signIn("ada@example.com", "another-secret-7")
        #expect(signedIn.account.passkeys.count == (isVerified ? 1 : 0))
    }

    // MARK: Unverified addresses

    enum Claim: CaseIterable { case reset, link, rejection }

    /// An attacker has created the account for the address of a victim, with a passkey.
    @Test(arguments: Claim.allCases, StoreEngine.allCases)
    func claimOfUnverifiedEmailRemovesPasskeys(claim: Claim, engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let planted = try await fixture.signUp("victim@example.com")
        _ = try await fixture.enroll(PasskeyTests.passkey(1), planted.tokens)
        switch claim {
        case .reset: try await fixture.reset(try await fixture.code(.passwordReset, "victim@example.com"))
        case .link: _ = try await fixture.signInByNewLink("victim@example.com")
        case .rejection:
            let code = try await fixture.code(.verifyEmail, "victim@example.com")
            #expect(
                try await fixture.inspect(code).signInMethods
                    == .init(
                        hasPassword: true, hasEmailLink: false,
                        passkeys: [.init(name: nil, createdAt: fixture.clock.now)]))
            _ = try await fixture.send(Identity.RejectEmailVerification(realm: Self.realm, code: code))
        }
        let account = try #require(try await fixture.store.account(planted.account.id, in: Self.realm)?.account)
        #expect(account.passkeys.isEmpty)
        await #expect(throws: ServiceError(.passkeyNotFound)) {
            try await fixture.signIn(planted.account.id, PasskeyTests.id(1))
        }
    }

    /// The attacker's code for the own, former address removes no passkey of the victim, who has claimed the account.
    @Test(arguments: StoreEngine.allCases)
    func undoCodeOfAttackerIsVoidAfterClaim(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await fixture.showsEmails()
        let planted = try await fixture.signUp("attacker@example.com")
        _ = try await fixture.enroll(PasskeyTests.passkey(1), planted.tokens)
        let undo = try #require(try await fixture.listed().first { $0.purpose == .revertPasskeyAddition }).code
        _ = try await fixture.changeOwn(planted.tokens, .init(email: "victim@example.com"))
        _ = try await fixture.inspect(undo)
        try await fixture.apply(try await fixture.code(.verifyEmail, "victim@example.com"))
        await #expect(throws: ServiceError(.invalidActionCode)) { try await fixture.inspect(undo) }
    }
}
