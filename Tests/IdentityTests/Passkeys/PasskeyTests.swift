import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The list of passkeys in accounts, and sign-in with them. The ceremonies are tested with the passkey service.
@Suite struct PasskeyTests {
    static func id(_ number: UInt8) -> CredentialID {
        CredentialID([number])!  // One byte is a valid length.
    }

    static func passkey(_ number: UInt8, name: String = "Laptop") -> AccountPasskey {
        AccountPasskey(
            credentialID: id(number), name: name, relyingPartyID: "localhost", userHandle: OctetString([7, 8]),
            aaguid: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", isBackedUp: false, createdAt: Moment(milliseconds: 1),
            lastUsedAt: Moment(milliseconds: 2))
    }

    private static func tokenClaims(_ tokens: TokenSet?) throws -> [String: JSONValue] {
        try OwnAccountTests.claims(try #require(tokens))
    }

    // MARK: Enrollment

    @Test(arguments: StoreEngine.allCases)
    func enrolledPasskeyIsListed(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(10))
        let check = try await fixture.checkPasskey(ada.tokens)
        #expect(check.account.id == ada.account.id && check.configuration == nil)
        let reply = try await fixture.enroll(Self.passkey(1), ada.tokens)
        var expected = Self.passkey(1)
        expected.createdAt = fixture.clock.now
        expected.lastUsedAt = nil
        #expect(reply.account.passkeys == [expected])
        #expect(try await fixture.lookUp(reply.tokens.idToken).passkeys == [expected])
        // The session continues, and others do not end.
        let claims = try Self.tokenClaims(reply.tokens)
        #expect(claims["firebase"]?["sign_in_provider"] == .string("password"))
        #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds - 10))
        #expect(claims["firebase"]?["sign_in_attributes"] == nil)
        _ = try await fixture.refresh(ada.tokens.refreshToken)
        #expect(try await fixture.auditActions().contains("account.passkey-added"))
    }

    @Test func anonymousAccountBecomesPermanent() async throws {
        let fixture = try await IdentityFixture()
        let made = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        // An anonymous user cannot sign in again.
        fixture.clock.advance(by: .seconds(1000))
        _ = try await fixture.checkPasskey(made.tokens)
        let reply = try await fixture.enroll(Self.passkey(1), made.tokens)
        let claims = try Self.tokenClaims(reply.tokens)
        #expect(claims["firebase"]?["sign_in_provider"] == .string("passkey"))
        #expect(claims["firebase"]?["sign_in_attributes"]?["user_verified"] == .bool(true))
        #expect(claims["provider_id"] == nil)
        let refreshed = try Self.tokenClaims(try await fixture.refresh(reply.tokens.refreshToken))
        #expect(refreshed["firebase"]?["sign_in_attributes"]?["user_verified"] == .bool(true))
    }

    @Test func enrollmentNeedsARecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await fixture.checkPasskey(ada.tokens) }
        _ = try await fixture.checkPasskey(ada.tokens, stage: .finish)
    }

    @Test func enrollmentNeedsTheSecondFactorOfTheAccount() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.checkPasskey(ada.tokens) }
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.enroll(Self.passkey(1), ada.tokens)
        }
        _ = try await fixture.checkPasskey(enrolled.tokens)
        #expect(try await fixture.enroll(Self.passkey(1), enrolled.tokens).account.passkeys.count == 1)
    }

    @Test func disabledPasskeysAreRefused() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        try await fixture.configure { configuration in
            configuration.passkeyConfig = .init()
            configuration.passkeyConfig?.state = .disabled
        }
        await #expect(throws: ServiceError(.passkeysNotEnabled)) { try await fixture.checkPasskey(ada.tokens) }
        await #expect(throws: ServiceError(.passkeysNotEnabled)) {
            try await fixture.enroll(Self.passkey(2), ada.tokens)
        }
        await #expect(throws: ServiceError(.passkeysNotEnabled)) {
            try await fixture.signIn(ada.account.id, Self.id(1))
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func credentialBelongsToOneAccount(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        await #expect(throws: ServiceError(.passkeyExists)) {
            try await fixture.enroll(Self.passkey(1), ada.tokens)
        }
        let bob = try await fixture.signUp("bob@example.com")
        await #expect(throws: ServiceError(.passkeyExists)) {
            try await fixture.enroll(Self.passkey(1), bob.tokens)
        }
        #expect(try await fixture.lookUp(bob.tokens.idToken).passkeys == [])
    }

    @Test func repeatedEnrollmentGetsTheRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let first = try await fixture.enroll(Self.passkey(1), ada.tokens, idempotencyKey: "k")
        let second = try await fixture.enroll(Self.passkey(1), ada.tokens, idempotencyKey: "k")
        #expect(first.tokens.refreshToken == second.tokens.refreshToken)
        #expect(second.account.passkeys.count == 1)
    }

    @Test func listHasALimit() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        for number in 1...UInt8(PasskeyEnrollment.limit) {
            _ = try await fixture.enroll(Self.passkey(number), ada.tokens)
        }
        await #expect(throws: ServiceError(.passkeyLimitExceeded)) { try await fixture.checkPasskey(ada.tokens) }
        await #expect(throws: ServiceError(.passkeyLimitExceeded)) {
            try await fixture.enroll(Self.passkey(200), ada.tokens)
        }
    }

    @Test(arguments: [
        ("", false), (" ", false), ("a", true), (String(repeating: "é", count: 128), true),
        (String(repeating: "é", count: 129), false), ("a\u{1}", false), ("a\nb", false), ("Nia's 📱", true),
    ])
    func nameIsChecked(name: String, isValid: Bool) async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let renamed = Identity.OwnAccountChanges.RenamedPasskey(credentialID: Self.id(1), name: name)
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        if isValid {
            let second = try await fixture.enroll(Self.passkey(2, name: name), ada.tokens)
            #expect(second.account.passkeys.last?.name == name)
            let reply = try await fixture.changeOwn(ada.tokens, .init(renamedPasskey: renamed))
            #expect(reply.account.passkeys.first?.name == name)
        } else {
            await #expect(throws: ServiceError(.invalidDisplayName)) {
                try await fixture.enroll(Self.passkey(2, name: name), ada.tokens)
            }
            await #expect(throws: ServiceError(.invalidDisplayName)) {
                try await fixture.changeOwn(ada.tokens, .init(renamedPasskey: renamed))
            }
        }
    }

    // MARK: Sign-in

    @Test(arguments: StoreEngine.allCases)
    func signInStoresItsUse(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        _ = try await fixture.enroll(Self.passkey(2), ada.tokens)
        fixture.clock.advance(by: .seconds(1000))
        let reply = try await fixture.signIn(ada.account.id, Self.id(1), isBackedUp: true)
        let tokens = try #require(reply.tokens)
        let account = try await fixture.lookUp(tokens.idToken)
        #expect(account.passkeys.map(\.lastUsedAt) == [fixture.clock.now, nil])
        #expect(account.passkeys.map(\.isBackedUp) == [true, false])
        #expect(account.lastSignInAt == fixture.clock.now)
        #expect(reply.account.passkeys == account.passkeys)
        let claims = try Self.tokenClaims(tokens)
        #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
        #expect(claims["firebase"]?["sign_in_provider"] == .string("passkey"))
        #expect(claims["firebase"]?["sign_in_attributes"]?["user_verified"] == .bool(true))
        #expect(claims["firebase"]?["sign_in_second_factor"] == nil)
    }

    @Test func counterRegressionIsAudited() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        try await fixture.signIn(ada.account.id, Self.id(1))
        #expect(try await !fixture.auditActions().contains("passkey.counter-regressed"))
        try await fixture.signIn(ada.account.id, Self.id(1), hasCounterRegression: true)
        #expect(try await fixture.auditActions().filter { $0 == "passkey.counter-regressed" }.count == 1)
    }

    @Test func repeatedSignInGetsTheRecordedReply() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        let first = try await fixture.signIn(ada.account.id, Self.id(1), idempotencyKey: "k")
        let second = try await fixture.signIn(ada.account.id, Self.id(1), idempotencyKey: "k")
        #expect(first.tokens?.refreshToken == second.tokens?.refreshToken)
    }

    /// With user verification no second factor is asked for; without, the passkey is the first factor.
    @Test func userVerificationReplacesTheSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        _ = try await fixture.enroll(Self.passkey(1), enrolled.tokens)
        let verified = try await fixture.signIn(ada.account.id, Self.id(1))
        #expect(verified.tokens != nil && verified.secondFactor == nil)
        let present = try await fixture.signIn(ada.account.id, Self.id(1), isUserVerified: false)
        #expect(present.tokens == nil)
        #expect(present.secondFactor?.factors.map(\.id) == [FactorID("app")])
        let completed = try await fixture.send(
            Identity.CompleteSignIn(
                project: IdentityFixture.realm.project, pendingCredential: present.secondFactor?.pendingCredential,
                factorID: FactorID("app")))
        let claims = try Self.tokenClaims(completed.tokens)
        #expect(claims["firebase"]?["sign_in_provider"] == .string("passkey"))
        #expect(claims["firebase"]?["sign_in_second_factor"] == .string("totp"))
        #expect(claims["firebase"]?["sign_in_attributes"]?["user_verified"] == .bool(false))
    }

    @Test func sessionOfAVerifiedPasskeyMayChangeFactors() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        _ = try await fixture.enroll(Self.passkey(1), enrolled.tokens)
        let tokens = try #require(try await fixture.signIn(ada.account.id, Self.id(1)).tokens)
        #expect(try await fixture.generate(tokens).count == Identity.GenerateRecoveryCodes.count)
        let reply = try await fixture.send(
            Identity.WithdrawFactor(
                realm: IdentityFixture.realm, idToken: tokens.idToken, factorID: FactorID("app")))
        #expect(reply.account.secondFactors == [])
        #expect(reply.tokens != nil)
    }

    @Test func unlistedPasskeyDoesNotSignIn() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        let bob = try await fixture.signUp("bob@example.com")
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        for (account, credential) in [
            (ada.account.id, Self.id(2)), (bob.account.id, Self.id(1)), (AccountID("nobody"), Self.id(1)),
        ] {
            await #expect(throws: ServiceError(.passkeyNotFound)) { try await fixture.signIn(account, credential) }
        }
    }

    @Test func disabledAccountIsRefusedAndStoresNothing() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        _ = try await fixture.change(ada.account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) { try await fixture.signIn(ada.account.id, Self.id(1)) }
        let account = try await fixture.change(ada.account.id, .init(disabled: false))
        #expect(account.passkeys.map(\.lastUsedAt) == [nil])
    }

    // MARK: Removal

    @Test(arguments: StoreEngine.allCases)
    func removedPasskeyDoesNotSignIn(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        _ = try await fixture.enroll(Self.passkey(2), ada.tokens)
        let before = try await fixture.lookUp(ada.tokens.idToken)
        let reply = try await fixture.changeOwn(ada.tokens, .init(removals: [.passkey(Self.id(1))]))
        #expect(reply.account.passkeys.map(\.credentialID) == [Self.id(2)])
        // The session of the caller and all others continue (REST 3.6).
        #expect(reply.account.validSince == before.validSince)
        _ = try await fixture.refresh(ada.tokens.refreshToken)
        await #expect(throws: ServiceError(.passkeyNotFound)) { try await fixture.signIn(ada.account.id, Self.id(1)) }
        _ = try await fixture.signIn(ada.account.id, Self.id(2))
        await #expect(throws: ServiceError(.passkeyNotFound)) {
            try await fixture.changeOwn(ada.tokens, .init(removals: [.passkey(Self.id(1))]))
        }
        // The credential may be added again, also to another account.
        let bob = try await fixture.signUp("bob@example.com")
        #expect(try await fixture.enroll(Self.passkey(1), bob.tokens).account.passkeys.count == 1)
    }

    @Test func administratorRemovesAPasskey() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        #expect(try await fixture.change(ada.account.id, .init(removals: [.passkey(Self.id(1))])).passkeys == [])
    }

    @Test func administratorRenamesAPasskeyByTheRulesOfItsUser() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        let id = ada.account.id
        let renamed = try await fixture.change(
            id, .init(renamedPasskey: .init(credentialID: Self.id(1), name: "Laptop")))
        #expect(renamed.passkeys.map(\.name) == ["Laptop"])
        for (number, name, error) in [
            (1 as UInt8, "", WireError.Code.invalidDisplayName), (2, "Laptop", .passkeyNotFound),
            (1, String(repeating: "n", count: AccountPasskey.maximumNameLength + 1), .invalidDisplayName),
        ] {
            await #expect(throws: ServiceError(error)) {
                try await fixture.change(
                    id, .init(renamedPasskey: .init(credentialID: Self.id(number), name: name)))
            }
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func deletedAccountReleasesItsPasskeys(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUp()
        _ = try await fixture.enroll(Self.passkey(1), ada.tokens)
        _ = try await fixture.send(Identity.DeleteAccount(realm: IdentityFixture.realm, accountID: ada.account.id))
        await #expect(throws: ServiceError(.passkeyNotFound)) { try await fixture.signIn(ada.account.id, Self.id(1)) }
        let bob = try await fixture.signUp("bob@example.com")
        _ = try await fixture.enroll(Self.passkey(1), bob.tokens)
    }
}

extension IdentityFixture {
    @discardableResult
    func checkPasskey(
        _ tokens: TokenSet?, stage: Identity.CheckEnrollment.Stage = .start
    ) async throws -> Identity.CheckPasskeyEnrollment.Reply {
        try await send(Identity.CheckPasskeyEnrollment(realm: Self.realm, idToken: tokens?.idToken, stage: stage))
    }

    @discardableResult
    func enroll(
        _ passkey: AccountPasskey, _ tokens: TokenSet?, isUserVerified: Bool = true, idempotencyKey: String? = nil
    ) async throws -> Identity.EnrollPasskey.Reply {
        try await send(
            Identity.EnrollPasskey(
                realm: Self.realm, idToken: tokens?.idToken, passkey: passkey, isUserVerified: isUserVerified),
            idempotencyKey: idempotencyKey)
    }

    @discardableResult
    func signIn(
        _ id: AccountID, _ credential: CredentialID, isUserVerified: Bool = true, isBackedUp: Bool = false,
        hasCounterRegression: Bool? = nil, idempotencyKey: String? = nil
    ) async throws -> Identity.SignInWithPasskey.Reply {
        try await send(
            Identity.SignInWithPasskey(
                realm: Self.realm, accountID: id, credentialID: credential, isUserVerified: isUserVerified,
                isBackedUp: isBackedUp, hasCounterRegression: hasCounterRegression), idempotencyKey: idempotencyKey)
    }
}
