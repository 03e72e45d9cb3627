import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    /// An account with a verified e-mail address and a recent sign-in; SMS and TOTP are enabled.
    func signUpVerified(_ email: String = "ada@example.com") async throws -> SignedIn {
        try await configure { configuration in
            configuration.mfa?.state = .enabled
            configuration.mfa?.enabledProviders = [.phoneSMS]
            configuration.mfa?.providerConfigs = [.init()]
            configuration.mfa?.providerConfigs?[0].state = .enabled
            configuration.mfa?.providerConfigs?[0].totpProviderConfig = .init()
        }
        let made = try await signUp(email)
        return SignedIn(
            account: try await change(made.account.id, .init(emailVerified: true)), tokens: made.tokens)
    }

    func check(
        _ tokens: TokenSet?, _ method: SecondFactor.Method, _ number: String? = nil,
        stage: Identity.CheckEnrollment.Stage = .start, in realm: Realm = Self.realm
    ) async throws -> Identity.CheckEnrollment.Reply {
        try await send(
            Identity.CheckEnrollment(
                realm: realm, idToken: tokens?.idToken,
                factor: method == .totp ? .totp : .phone(number.flatMap(PhoneNumber.init)),
                stage: stage))
    }

    @discardableResult
    func enrollPhone(
        _ tokens: TokenSet?, _ id: String, _ number: String, idempotencyKey: String? = nil
    ) async throws -> Identity.EnrollFactor.Reply {
        try await send(
            Identity.EnrollFactor(
                realm: Self.realm, idToken: tokens?.idToken, factorID: FactorID(id),
                kind: .phone(#require(PhoneNumber(number))), displayName: nil),
            idempotencyKey: idempotencyKey)
    }

    @discardableResult
    func enrollTOTP(
        _ tokens: TokenSet?, _ id: String = "app", name: String? = "authenticator", idempotencyKey: String? = nil
    ) async throws -> Identity.EnrollFactor.Reply {
        try await send(
            Identity.EnrollFactor(
                realm: Self.realm, idToken: tokens?.idToken, factorID: FactorID(id), kind: .totp, displayName: name),
            idempotencyKey: idempotencyKey)
    }
}

/// Runs `body` fifty times in parallel.
func fiftyAtOnce<Reply: Sendable>(
    _ body: @escaping @Sendable (Int) async throws -> Reply
) async -> (replies: [Reply], refusals: [ServiceError]) {
    await withTaskGroup { group in
        for number in 0..<50 {
            group.addTask {
                do {
                    return Result<Reply, any Error>.success(try await body(number))
                } catch {
                    return .failure(error)
                }
            }
        }
        var (replies, refusals): ([Reply], [ServiceError]) = ([], [])
        for await result in group {
            switch result {
            case .success(let reply): replies.append(reply)
            case .failure(let error as ServiceError): refusals.append(error)
            case .failure(let error): Issue.record("\(error)")
            }
        }
        return (replies, refusals)
    }
}

/// REST 3.1 and 3.2.
@Suite(.serialized) struct FactorEnrollmentTests {
    private static let number = "+12025550101"

    // MARK: Permissions

    /// Each refusal precedes all later ones in the list.
    @Test func checksRunInOrder() async throws {
        let fixture = try await IdentityFixture()
        await #expect(throws: ServiceError.secondFactorDisabled(.totp)) { try await fixture.check(nil, .totp) }
        await #expect(throws: ServiceError.secondFactorDisabled(.phone)) { try await fixture.check(nil, .phone) }
        let ada = try await fixture.signUpVerified()
        await #expect(throws: ServiceError(.missingIDToken)) { try await fixture.check(nil, .totp) }
        let anonymous = try await fixture.send(Identity.SignUp(realm: IdentityFixture.realm))
        await #expect(throws: ServiceError(.firstFactorNotEligible)) {
            try await fixture.check(anonymous.tokens, .phone)
        }
        _ = try await fixture.change(ada.account.id, .init(emailVerified: false))
        await #expect(throws: ServiceError(.unverifiedEmail)) { try await fixture.check(ada.tokens, .phone) }
        let numbers = (1...4).map { "+1202555010\($0)" }
        let entries = numbers.map { Identity.FactorEntry(id: FactorID($0), kind: .phone(number: $0)) }
        _ = try await fixture.change(ada.account.id, .init(emailVerified: true, secondFactors: entries))
        fixture.clock.advance(by: .seconds(301))
        await #expect(throws: ServiceError(.invalidPhoneNumber)) { try await fixture.check(ada.tokens, .phone) }
        await #expect(throws: ServiceError(.factorExists)) {
            try await fixture.check(ada.tokens, .phone, Self.number)
        }
        // Too late for both, but first there must be room.
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.check(ada.tokens, .totp) }
        let full = entries + [.init(id: FactorID("5"), kind: .phone(number: "+12025550105"))]
        _ = try await fixture.change(ada.account.id, .init(secondFactors: full))
        await #expect(throws: ServiceError(.tooManyFactors)) { try await fixture.check(ada.tokens, .totp) }
        await #expect(throws: ServiceError(.tooManyFactors)) {
            try await fixture.check(ada.tokens, .phone, "+12025550106")
        }
    }

    @Test func totpEnrollmentRequiresRecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        fixture.clock.advance(by: .seconds(300))
        let reply = try await fixture.check(ada.tokens, .totp)
        #expect(reply.account.id == ada.account.id && reply.verification == .totp(windowSteps: 5))
        #expect(reply.principal.accountID == ada.account.id && reply.principal.secondFactorID == nil)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await fixture.check(ada.tokens, .totp) }
        _ = try await fixture.check(ada.tokens, .totp, stage: .finish)
        await #expect(throws: ServiceError(.recentSignInRequired)) {
            try await fixture.check(ada.tokens, .phone, Self.number)
        }
        _ = try await fixture.check(ada.tokens, .phone, Self.number, stage: .finish)
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.tooManyTOTPFactors)) { try await fixture.check(enrolled.tokens, .totp) }
        _ = try await fixture.check(enrolled.tokens, .totp, stage: .finish)
        await #expect(throws: ServiceError(.tooManyTOTPFactors)) {
            try await fixture.enrollTOTP(enrolled.tokens, "other")
        }
    }

    @Test(
        arguments: [
            ("password", true), ("google.com", true), ("oidc.x", true), ("saml.x", true), ("passkey", true),
            ("anonymous", false), ("phone", false), ("custom", false), ("gc.apple.com", false),
        ])
    func firstFactorOfSessionMustBeSupported(provider: String, isSupported: Bool) throws {
        let stored = SecondFactorListTests.account([])
        let enrollment = FactorEnrollment(
            factor: .totp, principal: .example(of: stored, provider: provider),
            authentication: AuthenticationContext(authenticatedAt: stored.account.validSince, signInProvider: provider))
        if isSupported {
            try enrollment.checkSession(stored)
        } else {
            #expect(throws: ServiceError(.firstFactorNotEligible)) { try enrollment.checkSession(stored) }
        }
    }

    @Test func signInPhoneIsRefusedAsSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        _ = try await fixture.change(ada.account.id, .init(phoneNumber: "+12025550109"))
        await #expect(throws: ServiceError(.unsupportedFirstFactor)) {
            try await fixture.check(ada.tokens, .phone, Self.number)
        }
        _ = try await fixture.check(ada.tokens, .totp)
    }

    @Test func tenantOfTokenDeterminesEnabledFactors() async throws {
        let fixture = try await IdentityFixture()
        let realm = try await fixture.makeTenant()
        try await fixture.changeTenant(realm) {
            $0.mfaConfig = .init()
            $0.mfaConfig?.providerConfigs = [.init()]
            $0.mfaConfig?.providerConfigs?[0].state = .enabled
            $0.mfaConfig?.providerConfigs?[0].totpProviderConfig = .init()
            $0.mfaConfig?.providerConfigs?[0].totpProviderConfig?.adjacentIntervals = 2
        }
        let made = try await fixture.send(
            Identity.SignUp(realm: realm, email: "ada@example.com", password: Secret("correct-horse-9")))
        _ = try await fixture.send(
            Identity.UpdateAccount(
                realm: realm, accountID: made.account.id, changes: .init(emailVerified: true)))
        #expect(try await fixture.check(made.tokens, .totp, in: realm).verification == .totp(windowSteps: 2))
        #expect(try await fixture.check(made.tokens, .totp).verification == .totp(windowSteps: 2))
        await #expect(throws: ServiceError.secondFactorDisabled(.phone)) {
            try await fixture.check(made.tokens, .phone, Self.number, in: realm)
        }
    }

    @Test func disabledFactorHasReadableMessage() {
        #expect(
            ServiceError.secondFactorDisabled(.phone)
                == ServiceError(.operationNotAllowed, "SMS based MFA not enabled."))
        #expect(
            ServiceError.secondFactorDisabled(.totp)
                == ServiceError(.operationNotAllowed, "TOTP based MFA not enabled."))
    }

    // MARK: Effects

    @Test(arguments: StoreEngine.allCases)
    func phoneEnrollmentEndsEarlierSessions(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        fixture.clock.advance(by: .seconds(1000))
        let reply = try await fixture.enrollPhone(ada.tokens, "f", Self.number)
        #expect(reply.account.secondFactors.map(\.id) == [FactorID("f")])
        #expect(reply.account.secondFactors.map(\.enrolledAt) == [fixture.clock.now])
        let claims = try OwnAccountTests.claims(reply.tokens)
        let now = JSONValue.integer(fixture.clock.now.timestamp.seconds)
        #expect(claims["auth_time"] == now && claims["iat"] == now && claims["phone_number"] == nil)
        #expect(claims["firebase"]?["sign_in_second_factor"] == .string("phone"))
        #expect(claims["firebase"]?["second_factor_identifier"] == .string("f"))
        let refreshed = try OwnAccountTests.claims(try await fixture.refresh(reply.tokens.refreshToken))
        #expect(refreshed["firebase"]?["second_factor_identifier"] == .string("f"))
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(ada.tokens.idToken) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(ada.tokens.refreshToken) }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, ada.account.id)))
        #expect(try await fixture.auditActions().contains("account.factor-enrolled"))
        #expect(try await fixture.mail(.secondFactorAdded).secondFactor == "+*******0101")
    }

    @Test(arguments: StoreEngine.allCases)
    func totpEnrollmentKeepsEarlierSessions(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        fixture.clock.advance(by: .seconds(10))
        let reply = try await fixture.enrollTOTP(ada.tokens)
        let claims = try OwnAccountTests.claims(reply.tokens)
        #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
        #expect(claims["firebase"]?["sign_in_second_factor"] == .string("totp"))
        _ = try await fixture.lookUp(ada.tokens.idToken)
        let before = try OwnAccountTests.claims(try await fixture.refresh(ada.tokens.refreshToken))
        #expect(before["firebase"]?["sign_in_second_factor"] == nil)
        #expect(!fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, ada.account.id)))
        #expect(try await fixture.mail(.secondFactorAdded).secondFactor == "authenticator")
        #expect(try await fixture.firstFactor().secondFactor?.factors.map(\.id) == [FactorID("app")])
    }

    @Test func noticeRemovesItsOwnFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let first = try await fixture.enrollTOTP(ada.tokens)
        let second = try await fixture.enrollPhone(first.tokens, "f", Self.number)
        let codes = try await fixture.listed().filter { $0.purpose == .revertSecondFactorAddition }
        #expect(codes.count == 2)
        let left = try await fixture.apply(try #require(codes.first).code)
        #expect(left.account.secondFactors.map(\.id) == [FactorID("f")])
        await #expect(throws: ServiceError(.sessionExpired)) {
            try await fixture.refresh(second.tokens.refreshToken)
        }
        #expect(try await fixture.apply(try #require(codes.last).code).account.secondFactors == [])
    }

    /// SM13, TO11: otherwise an earlier session would bypass the second factor.
    @Test func nextFactorRequiresSessionWithSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let reply = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.check(ada.tokens, .phone, Self.number)
        }
        await #expect(throws: ServiceError(.secondFactorRequired)) {
            try await fixture.enrollPhone(ada.tokens, "f", Self.number)
        }
        _ = try await fixture.enrollPhone(reply.tokens, "f", Self.number)
    }

    @Test func displayNameAndFactorIDAreValidated() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        await #expect(throws: ServiceError.profileTooLong) {
            try await fixture.enrollTOTP(ada.tokens, name: String(repeating: "x", count: 1025))
        }
        await #expect(throws: ServiceError.self) { try await fixture.enrollTOTP(ada.tokens, name: "a\0b") }
        for id in ["", "a\nb", String(repeating: "x", count: 129)] {
            await #expect(throws: ServiceError(.invalidFactorID)) { try await fixture.enrollTOTP(ada.tokens, id) }
        }
    }

    /// The rules of a name are those of passkeys.
    @Test func factorIsRenamed() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        let renamed = Identity.OwnAccountChanges.RenamedFactor(id: FactorID("app"), name: "Work")
        let reply = try await fixture.changeOwn(enrolled.tokens, .init(renamedFactor: renamed))
        #expect(reply.account.secondFactors.map(\.displayName) == ["Work"])
        #expect(reply.account.secondFactors.map(\.id) == [FactorID("app")])
        for name in ["", " ", "a\nb", String(repeating: "é", count: 129)] {
            await #expect(throws: ServiceError(.invalidDisplayName)) {
                try await fixture.changeOwn(
                    enrolled.tokens, .init(renamedFactor: .init(id: FactorID("app"), name: name)))
            }
        }
        await #expect(throws: ServiceError(.factorNotFound)) {
            try await fixture.changeOwn(
                enrolled.tokens, .init(renamedFactor: .init(id: FactorID("other"), name: "Work")))
        }
    }

    // MARK: Repetition and concurrency

    @Test(arguments: StoreEngine.allCases)
    func repeatedCallGetsRecordedReply(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        let first = try await fixture.enrollPhone(ada.tokens, "f", Self.number, idempotencyKey: "k")
        fixture.clock.advance(by: .seconds(2))
        let second = try await fixture.enrollPhone(ada.tokens, "f", Self.number, idempotencyKey: "k")
        #expect(first.tokens.refreshToken == second.tokens.refreshToken && first.account == second.account)
    }

    @Test func repeatedFactorIsListedOnceAndReturnsSession() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let first = try await fixture.enrollTOTP(ada.tokens, idempotencyKey: "a")
        fixture.clock.advance(by: .seconds(2))
        let second = try await fixture.enrollTOTP(ada.tokens, idempotencyKey: "b")
        #expect(second.account.secondFactors == first.account.secondFactors)
        #expect(second.tokens.refreshToken != first.tokens.refreshToken)
        _ = try await fixture.refresh(first.tokens.refreshToken)
        _ = try await fixture.refresh(second.tokens.refreshToken)
        await #expect(throws: ServiceError(.factorIDExists)) {
            try await fixture.enrollPhone(second.tokens, "app", Self.number)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func phoneNumberIsEnrolledOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        let (replies, refusals) = await fiftyAtOnce { number in
            try await fixture.enrollPhone(ada.tokens, "f\(number)", Self.number)
        }
        #expect(replies.count == 1 && refusals.allSatisfy { $0 == ServiceError(.factorExists) })
        let factors = try await fixture.lookUp(try #require(replies.first).tokens.idToken).secondFactors
        #expect(factors.count == 1)
    }

    @Test(arguments: StoreEngine.allCases)
    func totpFactorIsEnrolledOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        let (replies, refusals) = await fiftyAtOnce { number in
            try await fixture.enrollTOTP(ada.tokens, "app\(number)")
        }
        #expect(replies.count == 1 && refusals.allSatisfy { $0 == ServiceError(.tooManyTOTPFactors) })
        #expect(try await fixture.lookUp(ada.tokens.idToken).secondFactors.count == 1)
    }

    // MARK: Pending sign-ins

    /// MP4: each change made by the owner.
    @Test(arguments: 0..<4) func pendingSignInsEnd(event: Int) async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        let credential = try await PendingSignInTests.credential(fixture)
        switch event {
        case 0: try await fixture.enrollPhone(enrolled.tokens, "f", Self.number)
        case 1: _ = try await fixture.changeOwn(enrolled.tokens, .init(password: Secret("another-horse-9")))
        case 2: try await fixture.reset(try await fixture.code(.passwordReset))
        default:
            let code = try await fixture.listed().first { $0.purpose == .revertSecondFactorAddition }?.code
            try await fixture.apply(code)
        }
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await PendingSignInTests.complete(fixture, credential, FactorID("app"))
        }
    }
}

extension Principal {
    static func example(of stored: StoredAccount, provider: String = "password") -> Principal {
        Principal(
            accountID: stored.account.id, realm: stored.account.realm, issuedAt: stored.account.validSince,
            authenticatedAt: stored.account.validSince, signInProvider: provider)
    }
}
