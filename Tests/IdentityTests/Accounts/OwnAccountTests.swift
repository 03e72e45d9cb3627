import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct OwnAccountTests {
    /// A project without e-mail privacy, where users change their address directly.
    static func fixture() async throws -> IdentityFixture {
        let fixture = try await IdentityFixture()
        try await fixture.configure { $0.emailPrivacyConfig?.enableImprovedEmailPrivacy = false }
        return fixture
    }

    static func claims(_ tokens: TokenSet) throws -> [String: JSONValue] {
        try IDTokenClaims.read(tokens.idToken)
    }

    @Test func profileChangeReturnsUpdatedTokens() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(1000))
        let changed = try await fixture.changeOwn(made.tokens, .init(displayName: "Countess", photoURL: "u"))
        let claims = try Self.claims(changed.tokens)
        #expect(claims["name"] == .string("Countess") && claims["picture"] == .string("u"))
        #expect(claims["auth_time"] == (try Self.claims(made.tokens))["auth_time"])
        #expect(try await fixture.lookUp(made.tokens.idToken).displayName == "Countess")
        let removed = try await fixture.changeOwn(changed.tokens, .init(displayName: "", removals: [.photoURL]))
        #expect(removed.account.displayName == nil && removed.account.photoURL == nil)
    }

    @Test func passwordChangeEndsOtherSessions() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(60))
        let changed = try await fixture.changeOwn(made.tokens, .init(password: Secret("another-horse-9")))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(made.tokens.idToken) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(made.tokens.refreshToken) }
        _ = try await fixture.lookUp(try await fixture.refresh(changed.tokens.refreshToken).idToken)
        let now = JSONValue.integer(fixture.clock.now.timestamp.seconds)
        let claims = try Self.claims(changed.tokens)
        #expect(claims["auth_time"] == now && claims["iat"] == now)
        await #expect(throws: ServiceError(.invalidPassword)) { try await fixture.signIn() }
        _ = try await fixture.signIn("ada@example.com", "another-horse-9")
        #expect(try await fixture.mail(.passwordChanged).recipient == EmailAddress("ada@example.com"))
    }

    @Test func emailChangeUnverifiesAndFreesFormerEmail() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        let changed = try await fixture.changeOwn(made.tokens, .init(email: "grace@example.com"))
        #expect(changed.account.initialEmail == EmailAddress("ada@example.com") && !changed.account.emailVerified)
        await #expect(throws: ServiceError(.emailNotFound)) { try await fixture.signIn() }
        _ = try await fixture.signIn("grace@example.com")
        #expect(try await fixture.signUp().account.id != made.account.id)
    }

    @Test func takenEmailIsRefusedWithoutAnyChange() async throws {
        let fixture = try await Self.fixture()
        _ = try await fixture.signUp("grace@example.com")
        let made = try await fixture.signUp()
        await #expect(throws: ServiceError(.emailExists)) {
            try await fixture.changeOwn(
                made.tokens, .init(email: "Grace@example.com", password: Secret("another-horse-9"), displayName: "X"))
        }
        #expect(try await fixture.lookUp(made.tokens.idToken) == made.account)
        _ = try await fixture.refresh(made.tokens.refreshToken)
        _ = try await fixture.signIn()
    }

    /// The address of a linked provider does not count: the sign-in address is unique.
    @Test func providerEmailDoesNotAllowDuplicateSignInEmail() async throws {
        let fixture = try await Self.fixture()
        let link = { ProviderLink(providerID: "google.com", providerAccountID: $0, email: "ada@example.com") }
        let made = try await fixture.signUp()
        let other = try await fixture.signUp("grace@example.com")
        _ = try await fixture.change(other.account.id, .init(link: link("1")))
        await #expect(throws: ServiceError(.emailExists)) { try await fixture.signUp() }
        await #expect(throws: ServiceError(.emailExists)) {
            try await fixture.changeOwn(other.tokens, .init(email: "ada@example.com"))
        }
        #expect(try await fixture.signIn().account.id == made.account.id)
    }

    /// A token that is issued but not accepted would lock its owner out.
    @Test func longestIssuedTokenIsAccepted() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        let claims = #"{"a":"\#(String(repeating: "語", count: 992))"}"#
        _ = try await fixture.change(
            made.account.id,
            .init(
                customClaims: claims,
                link: .init(
                    providerID: String(repeating: "x", count: 128),
                    providerAccountID: String(repeating: "1", count: 1024))))
        let changed = try await fixture.changeOwn(
            made.tokens,
            .init(
                displayName: String(repeating: "🔑", count: 1024), photoURL: String(repeating: "\"", count: 2048)))
        #expect(try await fixture.lookUp(changed.tokens.idToken).customClaims == claims)
    }

    @Test func tokenDeterminesAccount() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        let other = try await fixture.signUp("grace@example.com")
        func change(naming id: AccountID?) async throws -> Account {
            try await fixture.send(
                Identity.UpdateOwnAccount(
                    realm: IdentityFixture.realm, idToken: made.tokens.idToken, accountID: id,
                    changes: .init(displayName: "X"))
            ).account
        }
        #expect(try await change(naming: made.account.id).id == made.account.id)
        await #expect(throws: ServiceError(.accountMismatch)) { try await change(naming: other.account.id) }
        await #expect(throws: ServiceError(.missingIDToken)) {
            try await fixture.send(
                Identity.UpdateOwnAccount(realm: IdentityFixture.realm, idToken: nil, changes: .init(displayName: "X")))
        }
    }

    @Test func repeatedCallGetsRecordedReply() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(5))
        let changes = Identity.OwnAccountChanges(password: Secret("another-horse-9"))
        let first = try await fixture.changeOwn(made.tokens, changes, idempotencyKey: "k")
        // The token is void by now: only the recorded reply can succeed.
        let second = try await fixture.changeOwn(made.tokens, changes, idempotencyKey: "k")
        #expect(first.account == second.account && first.tokens.refreshToken == second.tokens.refreshToken)
        let link = Identity.SignUp(
            realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
            linkIDToken: first.tokens.idToken)
        let linked = try await fixture.send(link, idempotencyKey: "l")
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.send(link, idempotencyKey: "l").tokens.refreshToken == linked.tokens.refreshToken)
    }

    @Test func passwordRulesApplyToChanges() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        await #expect(throws: ServiceError.weakPassword(.shorterThan(6))) {
            try await fixture.changeOwn(made.tokens, .init(password: Secret("short")))
        }
        await #expect(throws: ServiceError.passwordPolicyViolated([.atMost(characters: Password.maximumBytes)])) {
            try await fixture.changeOwn(
                made.tokens, .init(password: Secret(String(repeating: "x", count: Password.maximumBytes + 1))))
        }
        _ = try await fixture.signIn()
    }

    /// Two changes of different fields both apply. Of two changes to one address, one succeeds.
    @Test func parallelChangesAreAtomic() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        let others = try await [fixture.signUp("b@example.com"), fixture.signUp("c@example.com")]
        try await withThrowingTaskGroup { group in
            group.addTask { _ = try await fixture.changeOwn(made.tokens, .init(displayName: "Ada")) }
            group.addTask { _ = try await fixture.changeOwn(made.tokens, .init(photoURL: "u")) }
            group.addTask { _ = try await fixture.change(made.account.id, .init(customClaims: #"{"a":1}"#)) }
            try await group.waitForAll()
        }
        let account = try await fixture.lookUp(made.tokens.idToken)
        #expect(account.displayName == "Ada" && account.photoURL == "u" && account.customClaims == #"{"a":1}"#)
        let winners = await withTaskGroup { group in
            for other in others {
                group.addTask {
                    do {
                        let changes = Identity.OwnAccountChanges(email: "wanted@example.com", displayName: "Winner")
                        _ = try await fixture.changeOwn(other.tokens, changes)
                        return 1
                    } catch {
                        #expect(error as? ServiceError == ServiceError(.emailExists))
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(winners == 1)
        let found = try await fixture.send(
            Identity.FindAccounts(realm: IdentityFixture.realm, criteria: others.map { .accountID($0.account.id) }))
        #expect(found.accounts.filter { $0.displayName == "Winner" && $0.email?.localPart == "wanted" }.count == 1)
        #expect(found.accounts.filter { $0.displayName == nil && $0.email?.localPart != "wanted" }.count == 1)
    }

    /// Security rules, section 14.
    @Test func passwordChangeEndsEverySessionOfOldPassword() async throws {
        let fixture = try await IdentityFixture(maximumWaitingPasswords: 500)
        let made = try await fixture.signUp()
        let signedIn = try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    // `try?`: after the change the old password is wrong, as expected.
                    try? await fixture.signIn().tokens
                }
            }
            _ = try await fixture.changeOwn(made.tokens, .init(password: Secret("another-horse-9")))
            return try await group.reduce(into: [TokenSet]()) { all, tokens in if let tokens { all.append(tokens) } }
        }
        for tokens in signedIn {
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(tokens.refreshToken) }
        }
    }

    @Test func deletionRequiresRecentSignInAndPermission() async throws {
        let fixture = try await Self.fixture()
        let made = try await fixture.signUp()
        func delete(_ tokens: TokenSet) async throws {
            _ = try await fixture.send(Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: tokens.idToken))
        }
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await delete(made.tokens) }
        let again = try await fixture.signIn()
        fixture.clock.advance(by: .seconds(300))
        try await fixture.configure { configuration in
            configuration.client?.permissions = .init()
            configuration.client?.permissions?.disabledUserDeletion = true
        }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await delete(again.tokens) }
        try await fixture.configure { $0.client?.permissions?.disabledUserDeletion = false }
        try await delete(again.tokens)
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        fixture.clock.advance(by: .seconds(3000))
        try await delete(anonymous.tokens)
    }

    @Test func closedSignUpStillAllowsAccountLinking() async throws {
        let fixture = try await Self.fixture()
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        try await fixture.configure { configuration in
            configuration.client?.permissions = .init()
            configuration.client?.permissions?.disabledUserSignup = true
        }
        await #expect(throws: ServiceError(.adminOnlyOperation)) { try await fixture.signUp() }
        await #expect(throws: ServiceError(.adminOnlyOperation)) {
            try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        }
        let linked = try await fixture.send(
            Identity.SignUp(
                realm: IdentityFixture.realm, email: "ada@example.com", password: Secret("correct-horse-9"),
                linkIDToken: anonymous.tokens.idToken))
        #expect(linked.account.id == anonymous.account.id)
    }

    @Test func deletionRequiresARecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        let deletion = Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: made.tokens.idToken)
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await fixture.send(deletion) }
    }
}

/// `accounts:resetPassword` with the old password (REST 2.11).
@Suite struct PasswordChangeTests {
    func change(
        _ fixture: IdentityFixture, _ email: String? = "ada@example.com", from old: String? = "correct-horse-9",
        to new: String? = "another-horse-9"
    ) async throws -> Account {
        try await fixture.send(
            Identity.ChangePassword(
                realm: IdentityFixture.realm, email: email, oldPassword: old.map(Secret.init),
                newPassword: new.map(Secret.init))
        ).account
    }

    @Test func passwordChangeEndsEverySession() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        #expect(try await change(fixture).id == made.account.id)
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(made.tokens.refreshToken) }
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn() }
        _ = try await fixture.signIn("ada@example.com", "another-horse-9")
        #expect(try await fixture.mail(.passwordChanged).recipient == EmailAddress("ada@example.com"))
    }

    @Test(
        arguments: [
            (nil, "a", "b", ServiceError(.missingEmail)), ("plain", "a", "b", ServiceError(.invalidEmail)),
            ("ada@example.com", nil, "b", ServiceError(.missingPassword)),
            ("ada@example.com", "a", nil, ServiceError(.missingPassword)),
            ("ada@example.com", "wrong", "another-horse-9", ServiceError(.invalidCredentials)),
            ("nobody@example.com", "correct-horse-9", "another-horse-9", ServiceError(.invalidCredentials)),
            ("ada@example.com", "correct-horse-9", "short", .weakPassword(.shorterThan(6))),
        ] as [(String?, String?, String?, ServiceError)])
    func invalidPasswordChangeIsRefused(email: String?, old: String?, new: String?, error: ServiceError) async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        await #expect(throws: error) { try await change(fixture, email, from: old, to: new) }
        _ = try await fixture.signIn()
    }

    /// Whoever knows only the password neither changes it nor signs the owner out, also between check and change.
    @Test(arguments: [true, false]) func accountWithFactorKeepsPasswordAndSessions(isAsked: Bool) async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUpVerified()
        let owner = try await fixture.enrollTOTP(made.tokens).tokens
        if !isAsked {
            try await fixture.configure {
                $0.mfa?.state = .disabled
                $0.mfa?.providerConfigs?[0].state = .disabled
            }
        }
        fixture.clock.advance(by: .seconds(10))
        await #expect(throws: ServiceError(.invalidCredentials)) { try await change(fixture, from: "wrong") }
        if isAsked {
            // As often as it is tried: the password is right, so it does not count as a failure.
            for _ in 0..<6 {
                await #expect(throws: ServiceError(.secondFactorRequired)) { try await change(fixture) }
            }
            for tokens in [made.tokens, owner] {
                _ = try await fixture.lookUp(tokens.idToken)
                _ = try await fixture.refresh(tokens.refreshToken)
            }
            #expect(try await fixture.firstFactor().secondFactor != nil)
        } else {
            // The project asks for no factor at a sign-in.
            _ = try await change(fixture)
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(owner.idToken) }
        }
    }

    @Test func failuresCountAsSignInAttempts() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        for _ in 1...5 {
            await #expect(throws: ServiceError(.invalidCredentials)) { try await change(fixture, from: "wrong") }
        }
        let limited = ServiceError.limited(by: .passwordAttempts, until: fixture.clock.now + .seconds(2))
        await #expect(throws: limited) { try await change(fixture) }
        await #expect(throws: limited) { try await fixture.signIn() }
    }

    @Test func disabledAccountIsNamedOnlyAfterCorrectPassword() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.signUp()
        _ = try await fixture.change(made.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.invalidCredentials)) { try await change(fixture, from: "wrong") }
        await #expect(throws: ServiceError(.accountDisabled)) { try await change(fixture) }
    }

    @Test func passwordChangeRequiresPasswordSignIn() async throws {
        let fixture = try await IdentityFixture()
        _ = try await fixture.signUp()
        try await fixture.configure { $0.signIn?.email?.enabled = false }
        await #expect(throws: ServiceError(.passwordSignInDisabled)) { try await change(fixture) }
    }
}
