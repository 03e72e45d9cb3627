import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Codes cannot be found by trying: within a session, over sessions, or over addresses (security rules RL1 to RL4, SM2 and
/// SM5).
@Suite(.serialized) struct EmailCodeAttemptTests {
    private static let realm = IdentityFixture.realm
    private static let home = ClientContext(ipAddress: "192.0.2.10")

    private static func fixture(_ engine: StoreEngine = .memory) async throws -> IdentityFixture {
        let fixture = try await IdentityFixture(engine)
        try await fixture.allowEmailCodes()
        return fixture
    }

    /// A code that no session of the test has.
    private static let wrong = Secret("wrong")

    private static func attempt(
        _ fixture: IdentityFixture, _ sent: IdentityFixture.SentCode, _ code: Secret<String> = wrong,
        from client: ClientContext = .init()
    ) async -> ServiceError? {
        do {
            _ = try await fixture.signInByCode(sent.sessionInfo, code, client: client)
            return nil
        } catch {
            return error as? ServiceError
        }
    }

    @Test(arguments: StoreEngine.allCases) func sixthCodeIsNotEvaluated(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let sent = try await fixture.sendCode()
        for _ in 0..<5 { #expect(await Self.attempt(fixture, sent) == ServiceError(.invalidCode)) }
        fixture.clock.advance(by: .seconds(60))
        #expect(await Self.attempt(fixture, sent, sent.code) == ServiceError(.verificationSessionExpired))
        // A new code begins with the count of the address.
        let next = try await fixture.sendCode()
        #expect(await Self.attempt(fixture, next, next.code) == nil)
    }

    /// Security rule RL4, and one success for fifty equal codes.
    @Test(arguments: StoreEngine.allCases) func fiftyParallelCodesAreCounted(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let first = try await fixture.sendCode()
        let (none, refusals) = await fiftyAtOnce { _ in
            try await fixture.signInByCode(first.sessionInfo, Self.wrong)
        }
        #expect(none.isEmpty && refusals.count { $0 == ServiceError(.invalidCode) } == 5)
        #expect(refusals.count { $0 == ServiceError(.verificationSessionExpired) } == 45)
        fixture.clock.advance(by: .seconds(60))
        let second = try await fixture.sendCode()
        let (replies, losers) = await fiftyAtOnce { _ in
            try await fixture.signInByCode(second.sessionInfo, second.code)
        }
        #expect(replies.count == 1 && losers.allSatisfy { $0 == ServiceError(.invalidVerificationSession) })
        let accounts = try await fixture.store.read { try $0.rows("SELECT account_id FROM accounts") }
        #expect(accounts.count == 1)
    }

    /// New codes do not reset the count of the address. Whatever the pace, it admits sixty wrong codes, and then a day
    /// without any.
    @Test func addressAdmitsFewCodesOverAllSessions() async throws {
        let fixture = try await Self.fixture()
        let begin = fixture.clock.now
        var (evaluated, sent) = (0, try await fixture.sendCode())
        var last = begin
        while fixture.clock.now < begin + .seconds(3 * 86_400), evaluated < 61 {
            let error = await Self.attempt(fixture, sent)
            if error == ServiceError(.invalidCode) {
                (evaluated, last) = (evaluated + 1, fixture.clock.now)
            } else if error?.limit == .emailCodeAttempts {
                // The clock is moved to the end of the lock, or by a second.
                var wait = Duration.seconds(1)
                if case .at(let end) = error?.retry {
                    wait = .milliseconds(end.milliseconds - fixture.clock.now.milliseconds)
                }
                fixture.clock.advance(by: wait)
            } else {
                // The quotas of requests allow ten per hour.
                fixture.clock.advance(by: .seconds(361))
                sent = try await fixture.sendCode()
            }
            if evaluated == SignInAttempts.maximumAttempts { break }
        }
        #expect(evaluated == SignInAttempts.maximumAttempts && last > begin + .seconds(9 * 3600))
        fixture.clock.advance(by: .seconds(86_400 - 3600))
        sent = try await fixture.sendCode()
        let error = await Self.attempt(fixture, sent, sent.code)
        #expect(error?.limit == .emailCodeAttempts && error?.code == .tooManyAttempts)
    }

    /// Both purposes of an address are counted together, and every address for itself.
    @Test func attemptsAreCountedPerAddress() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signUp()
        let signIn = try await fixture.sendCode()
        for _ in 0..<5 { _ = await Self.attempt(fixture, signIn) }
        let verification = try await fixture.sendCode(verifying: ada.tokens.idToken)
        do {
            _ = try await fixture.send(
                Identity.VerifyEmailWithCode(
                    realm: Self.realm, sessionInfo: verification.sessionInfo, code: verification.code))
            Issue.record("the address has used up its attempts")
        } catch let error as ServiceError {
            #expect(error == .limited(by: .emailCodeAttempts, until: fixture.clock.now + .seconds(2)))
        }
        let other = try await fixture.sendCode("other@example.com")
        #expect(await Self.attempt(fixture, other, other.code) == nil)
        // The passwords of the address have a count of their own.
        await #expect(throws: ServiceError(.invalidCredentials)) { try await fixture.signIn("ada@example.com", "no") }
    }

    @Test func rightCodeResetsTheCount() async throws {
        let fixture = try await Self.fixture()
        for _ in 0..<3 {
            let sent = try await fixture.sendCode()
            for _ in 0..<4 { #expect(await Self.attempt(fixture, sent) == ServiceError(.invalidCode)) }
            #expect(await Self.attempt(fixture, sent, sent.code) == nil)
        }
    }

    /// Security rule RL3: others cannot keep the owner out, whose client is known.
    @Test(arguments: StoreEngine.allCases) func ownerSignsInWhileOthersAreLocked(engine: StoreEngine) async throws {
        let fixture = try await Self.fixture(engine)
        let first = try await fixture.sendCode(client: Self.home)
        #expect(await Self.attempt(fixture, first, first.code, from: Self.home) == nil)
        let sent = try await fixture.sendCode(client: Self.home)
        let others = ClientContext(ipAddress: "198.51.100.1")
        // The session is that of the owner here, so that the lock of the address is what refuses.
        for _ in 0..<4 { #expect(await Self.attempt(fixture, sent, from: others) == ServiceError(.invalidCode)) }
        let attacked = try await fixture.sendCode(client: others)
        #expect(await Self.attempt(fixture, attacked, from: others) == ServiceError(.invalidCode))
        #expect(await Self.attempt(fixture, attacked, from: others)?.limit == .emailCodeAttempts)
        let own = try await fixture.sendCode(client: Self.home)
        #expect(await Self.attempt(fixture, own, own.code, from: others)?.limit == .emailCodeAttempts)
        #expect(await Self.attempt(fixture, own, own.code, from: Self.home) == nil)
    }

    /// One client tries a few codes at each of many addresses.
    @Test(arguments: ["198.51.100.1", "2001:db8:7:1::1"]) func networkTriesFewCodesOverAllAddresses(
        address: String
    ) async throws {
        let fixture = try await Self.fixture()
        let client = ClientContext(ipAddress: address)
        for number in 0..<EmailQuota.wrongCodesPerNetwork / 3 {
            let sent = try await fixture.sendCode("victim-\(number)@example.com", client: client)
            for _ in 0..<3 {
                #expect(await Self.attempt(fixture, sent, from: client) == ServiceError(.invalidCode))
            }
        }
        let last = try await fixture.sendCode("last@example.com", client: client)
        let error = await Self.attempt(fixture, last, last.code, from: client)
        let end = fixture.clock.now + EmailQuota.addressWindow
        #expect(error == .limited(by: .emailCodeAttempts, until: end))
        // It is not counted for the code, which another network can use.
        #expect(await Self.attempt(fixture, last, last.code, from: Self.home) == nil)
        fixture.clock.advance(by: EmailQuota.addressWindow)
        let later = try await fixture.sendCode("last@example.com", client: client)
        #expect(await Self.attempt(fixture, later, later.code, from: client) == nil)
    }

    /// The quotas of e-mails are those of links (REST 2.10): links and codes of one purpose are counted together.
    @Test func quotasOfEmailsApply() async throws {
        let fixture = try await Self.fixture()
        for number in 0..<EmailQuota.perAddress {
            if number % 2 == 0 { try await fixture.send(.emailSignIn) } else { _ = try await fixture.sendCode() }
        }
        do {
            _ = try await fixture.sendCode()
            Issue.record("the address has got ten e-mails")
        } catch let error as ServiceError {
            #expect(error.limit == .emailsPerAddress)
        }
        let client = ClientContext(ipAddress: "198.51.100.1")
        for _ in 0..<EmailQuota.perAddressAndNetwork { _ = try await fixture.sendCode("b@example.com", client: client) }
        await #expect(throws: ServiceError.self) { try await fixture.sendCode("b@example.com", client: client) }
        let ada = try await fixture.signUp("c@example.com")
        for _ in 0..<EmailQuota.perUnverifiedAccount { _ = try await fixture.sendCode(verifying: ada.tokens.idToken) }
        do {
            _ = try await fixture.sendCode(verifying: ada.tokens.idToken)
            Issue.record("the account has sent five e-mails")
        } catch let error as ServiceError {
            #expect(error.limit == .emailsPerAccount)
        }
    }

    /// Each refused sign-in is in the audit log (security rule AU1).
    @Test func refusalsAreAudited() async throws {
        let fixture = try await Self.fixture()
        _ = try await fixture.signUp()
        let sent = try await fixture.sendCode()
        for _ in 0..<5 { _ = await Self.attempt(fixture, sent) }
        let next = try await fixture.sendCode()
        #expect(await Self.attempt(fixture, next, next.code)?.limit == .emailCodeAttempts)
        try await fixture.store.closeRefusals(at: fixture.clock.now + .seconds(120))
        let outcomes = try await fixture.store.read { transaction in
            try transaction.rows(
                """
                SELECT outcome, CAST(SUM(COALESCE(count, 1)) AS INTEGER) AS n FROM audit_log WHERE action = $1
                GROUP BY outcome ORDER BY outcome
                """, .text("session.created")
            ).map { "\(try $0.get("outcome") as String) \(try $0.get("n") as Int)" }
        }
        #expect(outcomes == ["limited 1", "refused 5"])
    }
}
