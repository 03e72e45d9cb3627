import Contracts
import Crypto
import JSON
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

extension IdentityFixture {
    /// An account with an authenticator app and ten recovery codes.
    func signUpWithCodes(_ email: String = "ada@example.com") async throws -> (
        tokens: TokenSet, codes: [Secret<String>]
    ) {
        let app = try await enrollTOTP(try await signUpVerified(email).tokens)
        return (app.tokens, try await generate(app.tokens))
    }

    func generate(_ tokens: TokenSet?) async throws -> [Secret<String>] {
        try await send(Identity.GenerateRecoveryCodes(realm: Self.realm, idToken: tokens?.idToken)).codes
    }

    func codesLeft(_ tokens: TokenSet) async throws -> Int {
        try await send(Identity.CountRecoveryCodes(realm: Self.realm, idToken: tokens.idToken)).remaining
    }

    @discardableResult
    func recover(
        _ credential: Secret<String>?, _ code: Secret<String>?
    ) async throws -> Identity.SignInWithRecoveryCode.Reply {
        try await send(
            Identity.SignInWithRecoveryCode(project: Self.realm.project, pendingCredential: credential, code: code))
    }
}

@Suite struct RecoveryCodeTests {
    // MARK: The code

    @Test func codeHasSixtyBitsInThreeGroups() throws {
        let code = RecoveryCode { Array(repeating: 31, count: $0) }
        #expect(
            code.text == "zzzz-zzzz-zzzz" && RecoveryCode { Array(repeating: 32, count: $0) }.text == "0000-0000-0000")
        let drawn = (0..<200).map { _ in RecoveryCode(randomBytes: Random.bytes) }
        #expect(Set(drawn).count == 200 && Set(drawn.flatMap { Array($0.text) }).count == 33)
        for code in drawn { #expect(RecoveryCode(code.text) == code) }
    }

    @Test(
        arguments: [
            "k7mq-2fxp-9d3t", "K7MQ-2FXP-9D3T", "k7mq2fxp9d3t", " k7mq 2fxp 9d3t\n", "K7mQ—2fxp‑9d3t",
            "k-7-m-q-2-f-x-p-9-d-3-t",
        ])
    func codeIsReadLeniently(text: String) throws {
        #expect(try #require(RecoveryCode(text)).text == "k7mq-2fxp-9d3t")
    }

    @Test func similarCharactersAreEqual() throws {
        #expect(RecoveryCode("oOiI-lL00-1111") == RecoveryCode("0011-1100-1111"))
    }

    @Test(
        arguments: [
            "", "k7mq-2fxp-9d3", "k7mq-2fxp-9d3tt", "k7mq-2fxp-9d3u", "k7mq-2fxp-9d3!", "ｋ7mq-2fxp-9d3t",
            "k7mq-2fxp-9d3t\0", String(repeating: "-", count: 5000) + "k7mq2fxp9d3t",
        ])
    func malformedTextIsRejected(text: String) {
        #expect(RecoveryCode(text) == nil)
    }

    @Test func digestDependsOnAccount() throws {
        let code = try #require(RecoveryCode("k7mq-2fxp-9d3t"))
        let inputs = [
            code.digestInput(of: AccountID("a"), in: Realm(project: ProjectID("p"))),
            code.digestInput(of: AccountID("b"), in: Realm(project: ProjectID("p"))),
            code.digestInput(of: AccountID("a"), in: Realm(project: ProjectID("q"))),
            code.digestInput(of: AccountID("a"), in: Realm(project: ProjectID("p"), tenant: TenantID("t"))),
            code.digestInput(of: AccountID("t/1:a"), in: Realm(project: ProjectID("p"))),
        ]
        #expect(Set(inputs).count == inputs.count)
    }

    // MARK: Attempts

    @Test func fiveFailuresCloseWindow() throws {
        let start = Moment(milliseconds: 1_700_000_000_000)
        var attempts = RecoveryAttempts.none(at: start)
        for _ in 0..<5 { try attempts.reserve(at: start + .seconds(10)) }
        let counted = attempts
        #expect(throws: ServiceError.limited(by: .recoveryCodeAttempts, until: start + .seconds(300))) {
            try attempts.reserve(at: start + .seconds(299))
        }
        #expect(attempts == counted)
        try attempts.reserve(at: start + .seconds(300))
        #expect(attempts == .init(failures: 6, failuresInWindow: 1, windowBeganAt: start + .seconds(300)))
        // A clock that is set back ends no block.
        for _ in 0..<4 { try attempts.reserve(at: start) }
        #expect(throws: ServiceError.self) { try attempts.reserve(at: start) }
    }

    @Test func hundredConsecutiveFailuresLockForOneDay() throws {
        var now = Moment(milliseconds: 1_700_000_000_000)
        var attempts = RecoveryAttempts.none(at: now)
        var admitted = 0
        for _ in 0..<30 {
            for _ in 0..<6 where (try? attempts.reserve(at: now)) != nil { admitted += 1 }
            now = now + RecoveryAttempts.window
        }
        #expect(admitted == 100)
        #expect(throws: ServiceError.self) { try attempts.reserve(at: now) }
        try attempts.reserve(at: now + RecoveryAttempts.memory)
        #expect(attempts.failures == 1)
    }
}

@Suite(.serialized) struct RecoverySignInTests {
    private static let wrong = Secret("0000-0000-0000")

    // MARK: Generation

    @Test(arguments: StoreEngine.allCases) func tenCodesAreReturnedOnceAndStoredAsDigests(engine: StoreEngine)
        async throws
    {
        let fixture = try await IdentityFixture(engine)
        let app = try await fixture.enrollTOTP(try await fixture.signUpVerified().tokens)
        #expect(try await fixture.codesLeft(app.tokens) == 0)
        #expect(try await fixture.firstFactor().secondFactor?.remainingRecoveryCodes == nil)
        let codes = try await fixture.generate(app.tokens).map { $0.reveal() }
        #expect(codes.count == 10 && Set(codes).count == 10 && codes.allSatisfy { RecoveryCode($0) != nil })
        #expect(try await fixture.codesLeft(app.tokens) == 10)
        #expect(try await fixture.firstFactor().secondFactor?.remainingRecoveryCodes == 10)
        let digests = try await fixture.store.read { transaction in
            try transaction.rows("SELECT code_digest FROM recovery_codes").map { try $0.get("code_digest") as [UInt8] }
        }
        let plain = codes.map { SHA2.sha256(Array($0.utf8)) } + codes.map { Array($0.utf8) }
        #expect(Set(digests).count == 10 && Set(digests).isDisjoint(with: plain))
        #expect(try await fixture.auditActions().contains("account.recovery-codes-generated"))
    }

    @Test func newCodesVoidOldOnes() async throws {
        let fixture = try await IdentityFixture()
        let (tokens, old) = try await fixture.signUpWithCodes()
        let new = try await fixture.generate(tokens)
        let credential = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.recover(credential, old[0]) }
        #expect(try await fixture.recover(credential, new[0]).remaining == 9)
    }

    @Test func generationRequiresRecentSignInWithSecondFactor() async throws {
        let fixture = try await IdentityFixture()
        let ada = try await fixture.signUpVerified()
        await #expect(throws: ServiceError(.missingIDToken)) { try await fixture.generate(nil) }
        await #expect(throws: ServiceError(.factorNotFound)) { try await fixture.generate(ada.tokens) }
        let app = try await fixture.enrollTOTP(ada.tokens)
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await fixture.generate(ada.tokens) }
        fixture.clock.advance(by: .seconds(300))
        _ = try await fixture.generate(app.tokens)
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await fixture.generate(app.tokens) }
    }

    // MARK: Sign-in

    @Test(arguments: StoreEngine.allCases) func codeReplacesSecondFactorOnce(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (_, codes) = try await fixture.signUpWithCodes()
        fixture.clock.advance(by: .seconds(100))
        let credential = try await PendingSignInTests.credential(fixture)
        let reply = try await fixture.recover(credential, Secret(codes[3].reveal().uppercased()))
        #expect(reply.remaining == 9 && reply.account.lastSignInAt == fixture.clock.now)
        #expect(try await fixture.mail(.recoveryCodeUsed).recipient == EmailAddress("ada@example.com"))
        for tokens in [reply.tokens, try await fixture.refresh(reply.tokens.refreshToken)] {
            let claims = try OwnAccountTests.claims(tokens)
            #expect(claims["auth_time"] == .integer(fixture.clock.now.timestamp.seconds))
            #expect(claims["firebase"]?["sign_in_provider"] == .string("password"))
            #expect(claims["firebase"]?["sign_in_second_factor"] == .string("recovery_code"))
            #expect(claims["firebase"]?["second_factor_identifier"] == nil)
            let principal = try await fixture.send(
                Identity.VerifyIDToken(realm: IdentityFixture.realm, idToken: tokens.idToken)
            ).principal
            #expect(principal.secondFactorID == nil)
        }
        #expect(try await fixture.codesLeft(reply.tokens) == 9)
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await fixture.recover(credential, codes[4])
        }
        let next = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.recover(next, codes[3]) }
        // A session from a recovery code can replace the lost factor.
        let bare = try #require(try await fixture.withdraw(reply.tokens, "app").tokens)
        _ = try await fixture.enrollTOTP(bare, "new-app")
    }

    @Test(arguments: StoreEngine.allCases) func codeIsRedeemedOnceUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (tokens, codes) = try await fixture.signUpWithCodes()
        var credentials: [Secret<String>] = []
        for _ in 0..<50 { credentials.append(try await PendingSignInTests.credential(fixture)) }
        let (replies, refusals) = await fiftyAtOnce { [credentials] number in
            try await fixture.recover(credentials[number], codes[0])
        }
        #expect(replies.map(\.remaining) == [9])
        // What comes after the success is wrong, and counted.
        #expect(refusals.count { $0 == ServiceError(.invalidCode) } == 5)
        #expect(try await fixture.codesLeft(tokens) == 9)
    }

    @Test(arguments: StoreEngine.allCases)
    func credentialRedeemsOneCodeUnderConcurrency(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (tokens, codes) = try await fixture.signUpWithCodes()
        let credential = try await PendingSignInTests.credential(fixture)
        let (replies, refusals) = await fiftyAtOnce { number in
            try await fixture.recover(credential, codes[number % 10])
        }
        #expect(replies.count == 1 && refusals.allSatisfy { $0 == ServiceError(.invalidPendingCredential) })
        #expect(try await fixture.codesLeft(tokens) == 9)
    }

    @Test(arguments: StoreEngine.allCases) func fiveOfFiftyParallelAttemptsAreVerified(engine: StoreEngine) async throws
    {
        let fixture = try await IdentityFixture(engine)
        let (_, codes) = try await fixture.signUpWithCodes()
        let credential = try await PendingSignInTests.credential(fixture)
        let until = fixture.clock.now + .seconds(300)
        let (replies, refusals) = await fiftyAtOnce { number in
            try await fixture.recover(credential, number % 2 == 0 ? Self.wrong : Secret("no code"))
        }
        #expect(replies.isEmpty && refusals.count { $0 == ServiceError(.invalidCode) } == 5)
        #expect(refusals.count { $0 == .limited(by: .recoveryCodeAttempts, until: until) } == 45)
        // Another credential has the same budget, and so have new codes.
        let other = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError.limited(by: .recoveryCodeAttempts, until: until)) {
            try await fixture.recover(other, codes[0])
        }
        fixture.clock.advance(by: .seconds(300))
        #expect(try await fixture.recover(other, codes[0]).remaining == 9)
        try await fixture.store.closeRefusals(at: fixture.clock.now + .seconds(120))
        let outcomes = try await fixture.store.read { transaction in
            try transaction.rows(
                """
                SELECT outcome, CAST(SUM(COALESCE(count, 1)) AS INTEGER) AS n FROM audit_log WHERE action = $1
                GROUP BY outcome ORDER BY outcome
                """, .text("session.recovery-code-used")
            ).map { "\(try $0.get("outcome") as String) \(try $0.get("n") as Int)" }
        }
        #expect(outcomes == ["done 1", "limited 46", "refused 5"])
    }

    @Test func successResetsFailuresAndNewCodesDoNot() async throws {
        let fixture = try await IdentityFixture()
        let (tokens, codes) = try await fixture.signUpWithCodes()
        func fail(_ times: Int) async throws {
            let credential = try await PendingSignInTests.credential(fixture)
            for _ in 0..<times {
                await #expect(throws: ServiceError(.invalidCode)) { try await fixture.recover(credential, Self.wrong) }
            }
        }
        try await fail(4)
        try await fixture.recover(try await PendingSignInTests.credential(fixture), codes[0])
        try await fail(5)
        let renewed = try await fixture.generate(tokens)
        let credential = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError.self) { try await fixture.recover(credential, renewed[0]) }
    }

    @Test func codeOfAnotherAccountIsRefused() async throws {
        let fixture = try await IdentityFixture()
        let (_, theirs) = try await fixture.signUpWithCodes("grace@example.com")
        _ = try await fixture.signUpWithCodes()
        let credential = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.recover(credential, theirs[0]) }
    }

    @Test func credentialIsCheckedFirst() async throws {
        let fixture = try await IdentityFixture()
        let (tokens, codes) = try await fixture.signUpWithCodes()
        let credential = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError(.invalidPendingCredential)) { try await fixture.recover(nil, codes[0]) }
        await #expect(throws: ServiceError(.invalidPendingCredential)) {
            try await fixture.recover(tokens.idToken, codes[0])
        }
        await #expect(throws: ServiceError(.missingCode)) { try await fixture.recover(credential, nil) }
        await #expect(throws: ServiceError(.missingCode)) { try await fixture.recover(credential, Secret("")) }
        fixture.clock.advance(by: .seconds(600))
        await #expect(throws: ServiceError(.pendingCredentialExpired)) {
            try await fixture.recover(credential, codes[0])
        }
        let disabled = try await PendingSignInTests.credential(fixture)
        let account = try await fixture.lookUp(tokens.idToken)
        _ = try await fixture.change(account.id, .init(disabled: true))
        await #expect(throws: ServiceError(.accountDisabled)) {
            try await fixture.recover(disabled, codes[0])
        }
        _ = try await fixture.change(account.id, .init(disabled: false))
        #expect(try await fixture.codesLeft(tokens) == 10)
    }

    // MARK: Deletion

    /// Withdrawn, replaced by an administrator, or reverted by the notice: without a factor there are no codes.
    @Test(arguments: 0..<3) func removalOfLastFactorDeletesCodes(way: Int) async throws {
        let fixture = try await IdentityFixture()
        let (tokens, _) = try await fixture.signUpWithCodes()
        let id = try await fixture.lookUp(tokens.idToken).id
        switch way {
        case 0: try await fixture.withdraw(tokens, "app")
        case 1: _ = try await fixture.change(id, .init(secondFactors: []))
        default:
            try await fixture.apply(
                try await fixture.listed().first { $0.purpose == .revertSecondFactorAddition }?.code)
        }
        #expect(try await fixture.store.remainingRecoveryCodes(of: id, in: IdentityFixture.realm) == nil)
    }

    @Test func codesRemainWhileFactorRemains() async throws {
        let fixture = try await IdentityFixture()
        let (tokens, _) = try await fixture.signUpWithCodes()
        let phone = try await fixture.enrollPhone(tokens, "f", "+12025550101")
        let reply = try await fixture.withdraw(phone.tokens, "app")
        #expect(try await fixture.codesLeft(try #require(reply.tokens)) == 10)
    }

    @Test(arguments: StoreEngine.allCases) func accountDeletionDeletesCodes(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let (tokens, _) = try await fixture.signUpWithCodes()
        let credential = try await PendingSignInTests.credential(fixture)
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.recover(credential, Self.wrong) }
        _ = try await fixture.send(Identity.DeleteOwnAccount(realm: IdentityFixture.realm, idToken: tokens.idToken))
        for table in ["recovery_codes", "recovery_attempts"] {
            let rows = try await fixture.store.read { try $0.rows("SELECT account_id FROM \(table)").count }
            #expect(rows == 0)
        }
    }

    @Test func zeroRemainingCodesDifferFromNone() async throws {
        let fixture = try await IdentityFixture()
        let (tokens, codes) = try await fixture.signUpWithCodes()
        for code in codes { try await fixture.recover(try await PendingSignInTests.credential(fixture), code) }
        #expect(try await fixture.codesLeft(tokens) == 0)
        #expect(try await fixture.firstFactor().secondFactor?.remainingRecoveryCodes == 0)
    }
}
