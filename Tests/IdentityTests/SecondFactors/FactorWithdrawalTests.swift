import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// REST 3.3, security rule TO11.
extension IdentityFixture {
    @discardableResult
    func withdraw(
        _ tokens: TokenSet?, _ id: String?, idempotencyKey: String? = nil
    ) async throws -> Identity.WithdrawFactor.Reply {
        try await send(
            Identity.WithdrawFactor(
                realm: Self.realm, idToken: tokens?.idToken, factorID: id.map { FactorID($0) }),
            idempotencyKey: idempotencyKey)
    }
}

/// REST 3.3, security rule TO11.
@Suite(.serialized) struct FactorWithdrawalTests {
    private static let number = "+12025550101"

    private static func secondFactor(_ tokens: TokenSet) throws -> JSONValue? {
        try OwnAccountTests.claims(tokens)["firebase"]?["second_factor_identifier"]
    }

    @Test(arguments: StoreEngine.allCases)
    func withdrawalOfLastFactorKeepsSessionWithoutFactor(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let ada = try await fixture.signUpVerified()
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        fixture.clock.advance(by: .seconds(300))
        let reply = try await fixture.withdraw(enrolled.tokens, "app")
        let tokens = try #require(reply.tokens)
        #expect(reply.account.secondFactors == [])
        let claims = try OwnAccountTests.claims(tokens)
        let now = JSONValue.integer(fixture.clock.now.timestamp.seconds)
        #expect(claims["auth_time"] == now && claims["iat"] == now)
        #expect(claims["firebase"]?["sign_in_second_factor"] == nil)
        _ = try await fixture.lookUp(try await fixture.refresh(tokens.refreshToken).idToken)
        for old in [ada.tokens, enrolled.tokens] {
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(old.idToken) }
            await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(old.refreshToken) }
        }
        #expect(fixture.published.all.contains(.sessionsRevoked(IdentityFixture.realm, ada.account.id)))
        #expect(try await fixture.auditActions().contains("account.factor-withdrawn"))
        let mail = try await fixture.mail(.secondFactorRemoved)
        #expect(mail.recipient == EmailAddress("ada@example.com") && mail.secondFactor == "authenticator")
        _ = try await fixture.signIn()
    }

    @Test func withdrawalOfAnotherFactorKeepsSessionFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let phone = try await fixture.enrollPhone(ada.tokens, "f", Self.number)
        let app = try await fixture.enrollTOTP(phone.tokens)
        let reply = try await fixture.withdraw(app.tokens, "f")
        #expect(reply.account.secondFactors.map(\.id) == [FactorID("app")])
        #expect(try Self.secondFactor(try #require(reply.tokens)) == .string("app"))
        #expect(try await fixture.mail(.secondFactorRemoved).secondFactor == "+*******0101")
    }

    @Test func withdrawalOfSessionFactorEndsSessionWhileOthersRemain() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let phone = try await fixture.enrollPhone(ada.tokens, "f", Self.number)
        let app = try await fixture.enrollTOTP(phone.tokens)
        fixture.clock.advance(by: .seconds(1))
        let reply = try await fixture.withdraw(app.tokens, "app")
        #expect(reply.tokens == nil && reply.account.secondFactors.map(\.id) == [FactorID("f")])
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.lookUp(app.tokens.idToken) }
        await #expect(throws: ServiceError(.sessionExpired)) { try await fixture.refresh(app.tokens.refreshToken) }
    }

    /// TO11: TOTP enrollment ends no session, so an earlier one may exist.
    @Test func sessionWithoutSecondFactorCannotWithdrawLastOne() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let app = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.withdraw(ada.tokens, "app") }
        #expect(try await fixture.lookUp(ada.tokens.idToken).secondFactors.count == 1)
        _ = try await fixture.lookUp(app.tokens.idToken)
        // This also applies to a disabled factor: it may be enabled again later.
        let both = try await fixture.change(
            ada.account.id,
            .init(secondFactors: [
                .init(id: FactorID("app")), .init(id: FactorID("f"), kind: .phone(number: Self.number)),
            ]))
        #expect(both.secondFactors.count == 2)
        try await fixture.configure { $0.mfa?.state = .disabled }
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.withdraw(ada.tokens, "app") }
        for id in ["app", "f"] {
            await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.withdraw(ada.tokens, id) }
        }
        try await fixture.configure { $0.mfa?.providerConfigs = [] }
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.withdraw(ada.tokens, "f") }
        #expect(try await fixture.lookUp(ada.tokens.idToken).secondFactors.count == 2)
    }

    @Test func withdrawalRequiresRecentSignIn() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let app = try await fixture.enrollTOTP(ada.tokens)
        fixture.clock.advance(by: .seconds(301))
        // The age of the sign-in is checked first: a new sign-in is required in any case.
        for tokens in [ada.tokens, app.tokens, try await fixture.refresh(app.tokens.refreshToken)] {
            await #expect(throws: ServiceError(.recentSignInRequired)) { try await fixture.withdraw(tokens, "app") }
        }
        let credential = try await PendingSignInTests.credential(fixture)
        let again = try await PendingSignInTests.complete(fixture, credential, FactorID("app"))
        fixture.clock.advance(by: .seconds(300))
        #expect(try await fixture.withdraw(again.tokens, "app").account.secondFactors == [])
    }

    /// A recovery code replaces the lost factor.
    @Test func recoveryCodeSessionWithdrawsFactor() async throws {
        let fixture = try await IdentityFixture()
        let app = try await fixture.enrollTOTP(try await fixture.signUpVerified().tokens)
        let codes = try await fixture.send(
            Identity.GenerateRecoveryCodes(realm: IdentityFixture.realm, idToken: app.tokens.idToken)
        ).codes
        let reply = try await fixture.send(
            Identity.SignInWithRecoveryCode(
                project: IdentityFixture.realm.project,
                pendingCredential: try await PendingSignInTests.credential(fixture),
                code: codes.first))
        #expect(try await fixture.withdraw(reply.tokens, "app").account.secondFactors == [])
    }

    @Test(arguments: ["no-such", "", nil]) func unknownFactorIsNotFound(id: String?) async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        await #expect(throws: ServiceError(.factorNotFound)) { try await fixture.withdraw(ada.tokens, id) }
        let app = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.factorNotFound)) { try await fixture.withdraw(app.tokens, id) }
        _ = try await fixture.lookUp(app.tokens.idToken)
        await #expect(throws: ServiceError(.missingIDToken)) { try await fixture.withdraw(nil, "app") }
    }

    @Test func factorOfAnotherAccountIsKept() async throws {
        let fixture = try await IdentityFixture()
        let grace = try await fixture.signUpVerified("grace@example.com")
        let theirs = try await fixture.enrollTOTP(grace.tokens, "theirs")
        let ada = try await fixture.signUpVerified()
        let own = try await fixture.enrollTOTP(ada.tokens, "own")
        await #expect(throws: ServiceError(.factorNotFound)) { try await fixture.withdraw(own.tokens, "theirs") }
        #expect(try await fixture.lookUp(theirs.tokens.idToken).secondFactors.count == 1)
    }

    @Test func pendingSignInsEnd() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        let phone = try await fixture.enrollPhone(ada.tokens, "f", Self.number)
        let app = try await fixture.enrollTOTP(phone.tokens)
        let credential = try await PendingSignInTests.credential(fixture)
        try await fixture.withdraw(app.tokens, "f")
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await PendingSignInTests.complete(fixture, credential, FactorID("app"))
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func repeatedCallGetsRecordedReply(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let app = try await fixture.enrollTOTP(try await fixture.signUpVerified().tokens)
        fixture.clock.advance(by: .seconds(1))
        let first = try await fixture.withdraw(app.tokens, "app", idempotencyKey: "k")
        let second = try await fixture.withdraw(app.tokens, "app", idempotencyKey: "k")
        #expect(first.tokens?.refreshToken == second.tokens?.refreshToken && first.account == second.account)
    }

    @Test(arguments: StoreEngine.allCases)
    func withdrawalTakesEffectOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let app = try await fixture.enrollTOTP(try await fixture.signUpVerified().tokens)
        let (replies, refusals) = await fiftyAtOnce { _ in try await fixture.withdraw(app.tokens, "app") }
        #expect(replies.count == 1 && refusals.allSatisfy { $0 == ServiceError(.factorNotFound) })
        #expect(try await fixture.auditActions().count { $0 == "account.factor-withdrawn" } == 1)
    }
}
