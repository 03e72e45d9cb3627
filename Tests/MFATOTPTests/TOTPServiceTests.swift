import Contracts
import Crypto
import DatabaseService
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

/// REST 3.1, 3.2 and 3.5 for authenticator apps.
@Suite struct TOTPServiceTests {
    // MARK: Enrollment

    /// Security rules TO1 and TO6.
    @Test func secretIsReturnedAtStart() async throws {
        let fixture = try await TOTPFixture()
        let started = try await fixture.start(qrCode: .svg)
        #expect((started.digits, started.hashingAlgorithm, started.periodSeconds) == (6, "SHA1", 30))
        #expect(try #require(Base32.decode(started.sharedSecretKey.reveal())).count == 20)
        #expect(started.expiresAt == fixture.clock.now + .seconds(900))
        #expect(
            started.keyURI.reveal()
                == "otpauth://totp/Flower%20Shop:ada%40example.com?secret=\(started.sharedSecretKey.reveal())&issuer=Flower%20Shop"
                + "&algorithm=SHA1&digits=6&period=30")
        #expect(try #require(started.qrCode).reveal().hasPrefix("<svg "))
        let other = try await fixture.start(qrCode: .text)
        #expect(other.sharedSecretKey != started.sharedSecretKey && other.sessionInfo != started.sessionInfo)
        #expect(try #require(other.qrCode).reveal().hasPrefix("\u{1b}[30;47m"))
        #expect(try await fixture.start().qrCode == nil)
        #expect(fixture.identity.state.withLock { $0.accounts[AccountID("ada")]?.secondFactors } == [])
        #expect(try await fixture.factorCount() == 0)
    }

    @Test func ineligibleAccountCannotStartEnrollment() async throws {
        let fixture = try await TOTPFixture()
        for code in [
            WireError.Code.operationNotAllowed, .unverifiedEmail, .recentSignInRequired, .firstFactorNotEligible,
        ] {
            fixture.identity.refuse(.checkEnrollment, code)
            await #expect(throws: ServiceError(code)) { try await fixture.start() }
        }
    }

    @Test func codeCompletesEnrollment() async throws {
        let fixture = try await TOTPFixture()
        let started = try await fixture.start()
        try await fixture.finish(started.sessionInfo, try fixture.code(started))
        let enrolled = fixture.identity.state.withLock { $0.enrolled }
        #expect(enrolled.map(\.displayName) == ["app"])
        #expect(enrolled[0].factorID.rawValue.count == 36)
        #expect(enrolled[0].kind == .totp)
        #expect(try await fixture.store.listing.keys(after: nil, limit: 9).map(\.id) == enrolled.map(\.factorID))
    }

    /// The checks run in the order of the expectations.
    @Test func enrollmentChecksRunInOrder() async throws {
        let fixture = try await TOTPFixture()
        fixture.identity.add("eve")
        let started = try await fixture.start()
        let code = try fixture.code(started)
        let session = started.sessionInfo
        func refusal(
            _ session: Secret<String>?, _ code: String?, by id: String? = "ada", name: String? = "app"
        ) async -> WireError.Code? {
            do {
                try await fixture.finish(session, code, by: id, name: name)
                return nil
            } catch {
                return (error as? ServiceError)?.code
            }
        }
        #expect(await refusal(session, code, by: nil) == .missingIDToken)
        #expect(await refusal(session, code, by: "nobody") == .invalidIDToken)
        #expect(await refusal(nil, code) == .missingVerificationSession)
        for text in ["made-up", "", String(repeating: "A", count: 43), String(repeating: "A", count: 5000)] {
            #expect(await refusal(Secret(text), code) == .invalidVerificationSession)
        }
        #expect(await refusal(session, code, by: "eve") == .invalidVerificationSession)
        #expect(await refusal(session, "000", name: nil) == .missingFactorName)
        #expect(await refusal(session, "000", name: "") == .missingFactorName)
        #expect(await refusal(session, nil) == .missingCode)
        for text in ["12345", "1234567", "abcdef", "１２３４５６", " 12345"] {
            #expect(await refusal(session, text) == .invalidCode)
        }
        fixture.identity.state.withLock { $0.isOn = false }
        #expect(await refusal(session, code) == .operationNotAllowed)
        fixture.identity.state.withLock { $0.isOn = true }
        #expect(await refusal(session, code) == nil)
        #expect(await refusal(session, code) == nil)
        #expect(await refusal(session, code, name: "another") == .factorAlreadyEnrolled)
        #expect(await refusal(session, "000") == .factorAlreadyEnrolled)
    }

    @Test func threeWrongCodesCloseEnrollment() async throws {
        let fixture = try await TOTPFixture()
        let started = try await fixture.start()
        let wrong = fixture.wrong(try #require(Base32.decode(started.sharedSecretKey.reveal())))
        for _ in 0..<3 {
            await #expect(throws: ServiceError(.invalidCode)) { try await fixture.finish(started.sessionInfo, wrong) }
        }
        for _ in 0..<2 {
            await #expect(
                throws:
                    ServiceError(WireError(.tooManyEnrollmentAttempts, limit: .totpEnrollmentAttempts))
            ) {
                try await fixture.finish(started.sessionInfo, try fixture.code(started))
            }
        }
        #expect(try await fixture.factorCount() == 0)
        #expect(fixture.identity.state.withLock { $0.enrolled.count } == 0)
    }

    /// Security rule TO8.
    @Test func enrollmentExpiresAfterFifteenMinutes() async throws {
        let fixture = try await TOTPFixture()
        let (early, late) = (try await fixture.start(), try await fixture.start())
        fixture.clock.advance(by: .milliseconds(899_999))
        try await fixture.finish(early.sessionInfo, try fixture.code(early))
        fixture.clock.advance(by: .milliseconds(1))
        await #expect(throws: ServiceError(.verificationSessionExpired)) {
            try await fixture.finish(late.sessionInfo, try fixture.code(late))
        }
        // Later the session is unknown.
        fixture.clock.advance(by: .seconds(3600))
        try await fixture.store.sweep(at: fixture.clock.now)
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finish(late.sessionInfo, try fixture.code(late))
        }
    }

    @Test func onlyFiveLatestEnrollmentsStayOpen() async throws {
        let fixture = try await TOTPFixture()
        var started: [MFATOTP.StartEnrollment.Reply] = []
        for _ in 0..<7 {
            started.append(try await fixture.start())
            fixture.clock.advance(by: .seconds(1))
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finish(started[1].sessionInfo, try fixture.code(started[1]))
        }
        try await fixture.finish(started[2].sessionInfo, try fixture.code(started[2]))
    }

    /// The enrollment is stored as verified before identity is called: after a lost request or reply, the client can
    /// retry.
    @Test(arguments: [true, false])
    func enrollmentResumesAfterLostReply(reachesIdentity: Bool) async throws {
        let fixture = try await TOTPFixture()
        let started = try await fixture.start()
        let code = try fixture.code(started)
        if reachesIdentity {
            fixture.identity.state.withLock { $0.losesReply = true }
        } else {
            fixture.identity.refuse(.enrollFactor, .unavailable)
        }
        await #expect(throws: ServiceError.self) { try await fixture.finish(started.sessionInfo, code) }
        // Another process, long after the expiry of the code.
        fixture.clock.advance(by: .seconds(600))
        try await fixture.finish(started.sessionInfo, code)
        #expect(Set(fixture.identity.state.withLock { $0.enrolled.map(\.factorID) }).count == 1)
        #expect(try await fixture.factorCount() == 1)
        #expect(fixture.identity.state.withLock { Set($0.enrollmentKeys).count } == 1)
        await #expect(throws: ServiceError(.factorAlreadyEnrolled)) {
            try await fixture.finish(started.sessionInfo, code, name: "another")
        }
    }

    /// Of fifty parallel requests, every third has a wrong code. One enrolls the app, and its repetitions get its
    /// reply.
    @Test(arguments: StoreEngine.allCases)
    func onlyOneOfFiftyParallelFinishesEnrolls(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let started = try await fixture.start()
        let (code, secret) = (try fixture.code(started), try #require(Base32.decode(started.sharedSecretKey.reveal())))
        // Verified, but identity does not reply: all later requests find a leased enrollment.
        fixture.identity.refuse(.enrollFactor, .unavailable)
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.finish(started.sessionInfo, code) }
        let wrong = fixture.wrong(secret)
        let ends = await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask { () -> (Int, WireError.Code?) in
                    do {
                        let isWrong = number % 3 == 0
                        // The other requests have another name, so that only one request is the repetition.
                        try await fixture.finish(
                            started.sessionInfo, isWrong ? wrong : code, name: number % 3 == 1 ? "app" : "app \(number)"
                        )
                        return (number % 3, nil)
                    } catch {
                        return (number % 3, (error as? ServiceError)?.code ?? .internal)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (kind, code) in ends {
            if kind == 1 {
                #expect(code == nil)
            } else {
                #expect([.invalidCode, .tooManyEnrollmentAttempts, .factorAlreadyEnrolled].contains(code))
            }
        }
        #expect(fixture.identity.state.withLock { Set($0.enrollmentKeys).count } == 1)
        #expect(try await fixture.factorCount() == 1)
    }

    /// Fifty different requests bring the correct code in parallel.
    @Test(arguments: StoreEngine.allCases)
    func onlyOneOfFiftyDifferentRequestsEnrolls(engine: StoreEngine) async throws {
        let fixture = try await TOTPFixture(engine)
        let started = try await fixture.start()
        let code = try fixture.code(started)
        let refusals = await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask { () -> WireError.Code? in
                    do {
                        try await fixture.finish(started.sessionInfo, code, name: "app \(number)")
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internal
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.count { $0 == nil } == 1)
        for case let code? in refusals {
            #expect([.invalidCode, .tooManyEnrollmentAttempts, .factorAlreadyEnrolled].contains(code))
        }
        #expect(fixture.identity.state.withLock { $0.enrolled.count } == 1)
        #expect(try await fixture.factorCount() == 1)
    }

    /// The earlier code is used; a later code takes over the enrollment whose request was lost.
    @Test func laterCodeCompletesEnrollmentOfAnotherRequest() async throws {
        let fixture = try await TOTPFixture()
        let started = try await fixture.start()
        fixture.identity.refuse(.enrollFactor, .unavailable)
        let code = try fixture.code(started)
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.finish(started.sessionInfo, code) }
        await #expect(throws: ServiceError(.invalidCode)) {
            try await fixture.finish(started.sessionInfo, code, name: "another")
        }
        fixture.clock.advance(by: .seconds(30))
        try await fixture.finish(started.sessionInfo, try fixture.code(started), name: "another")
        #expect(fixture.identity.state.withLock { $0.enrolled.map(\.displayName) } == ["another"])
        await #expect(throws: ServiceError(.factorAlreadyEnrolled)) {
            try await fixture.finish(started.sessionInfo, code)
        }
    }

    @Test func anotherAccountCannotResumeVerifiedEnrollment() async throws {
        let fixture = try await TOTPFixture()
        fixture.identity.add("eve")
        let started = try await fixture.start()
        fixture.identity.refuse(.enrollFactor, .unavailable)
        await #expect(throws: ServiceError.self) {
            try await fixture.finish(started.sessionInfo, try fixture.code(started))
        }
        await #expect(throws: ServiceError(.invalidVerificationSession)) {
            try await fixture.finish(started.sessionInfo, try fixture.code(started), by: "eve")
        }
    }

    // MARK: Sign-in

    @Test func codeCompletesSignIn() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        try await fixture.signIn(ada, fixture.code(ada.secret))
        #expect(fixture.identity.state.withLock { $0.received.last } == .completeSignIn)
    }

    /// Security rules TO3 and TO4.
    @Test func codeIsAcceptedOnce() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        // The code of the enrollment is used too.
        await #expect(throws: ServiceError(.invalidCode)) {
            try await fixture.signIn(ada, fixture.code(ada.secret, -1))
        }
        let code = fixture.code(ada.secret)
        try await fixture.signIn(ada, code)
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(ada, code) }
    }

    @Test(arguments: 0...10)
    func windowFollowsProjectConfiguration(window: Int64) async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        fixture.identity.state.withLock { $0.window = Int(window) }
        fixture.clock.advance(by: .seconds(3600))
        for offset in [-window - 1, window + 1] {
            await #expect(throws: ServiceError(.invalidCode)) {
                try await fixture.signIn(ada, fixture.code(ada.secret, offset))
            }
        }
        try await fixture.signIn(ada, fixture.code(ada.secret, -window))
        if window > 0 { try await fixture.signIn(ada, fixture.code(ada.secret, window)) }
    }

    @Test func signInChecksRunInOrder() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        let eve = try await fixture.enrolled("eve")
        func refusal(
            _ credential: Secret<String>?, _ id: FactorID?, _ code: String?
        ) async -> WireError.Code? {
            do {
                _ = try await fixture.send(
                    MFATOTP.FinishSignIn(
                        project: TOTPFixture.realm.project, pendingCredential: credential, factorID: id,
                        code: code.map(Secret.init)))
                return nil
            } catch {
                return (error as? ServiceError)?.code
            }
        }
        let code = fixture.code(ada.secret)
        let credential = fixture.identity.begin("ada", at: fixture.clock.now)
        #expect(await refusal(nil, ada.factorID, code) == .invalidPendingCredential)
        #expect(await refusal(Secret("made-up"), ada.factorID, code) == .invalidPendingCredential)
        #expect(await refusal(credential, nil, code) == .missingFactorID)
        #expect(await refusal(credential, FactorID("no-such"), code) == .factorNotFound)
        #expect(await refusal(credential, eve.factorID, code) == .factorNotFound)
        #expect(await refusal(credential, ada.factorID, nil) == .missingCode)
        for text in ["12345", "1234567", "abcdef", "１２３４５６", "-12345", " 12345"] {
            #expect(await refusal(credential, ada.factorID, text) == .invalidCode)
        }
        let late = fixture.identity.begin("ada", at: fixture.clock.now + .seconds(-300))
        #expect(await refusal(late, ada.factorID, code) == .factorChallengeTimedOut)
        let inTime = fixture.identity.begin("ada", at: fixture.clock.now + .milliseconds(-299_999))
        #expect(await refusal(inTime, ada.factorID, code) == nil)
        #expect(await refusal(inTime, ada.factorID, fixture.code(ada.secret, 1)) == .invalidPendingCredential)
    }

    @Test func factorUnlistedByIdentityIsRefused() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        fixture.identity.unlist("ada")
        await #expect(throws: ServiceError(.factorNotFound)) { try await fixture.signIn(ada, fixture.code(ada.secret)) }
        // A factor that only identity has is unknown, too.
        fixture.identity.list(FactorID("stranger"), of: "ada")
        await #expect(throws: ServiceError(.factorNotFound)) {
            try await fixture.signIn(ada, fixture.code(ada.secret), factorID: FactorID("stranger"))
        }
    }

    /// Security rule TO7.
    @Test func failuresAccumulateOverSignIns() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        let wrong = fixture.wrong(ada.secret)
        for _ in 0..<5 {
            await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(ada, wrong) }
            fixture.clock.advance(by: .seconds(1))
        }
        await #expect(throws: ServiceError(WireError(.quotaExceeded, retryAfterSeconds: 295, limit: .totpCodeAttempts)))
        {
            try await fixture.signIn(ada, fixture.code(ada.secret))
        }
        #expect(fixture.logged.lines(of: "totp.factor-locked").count == 1)
        fixture.clock.advance(by: .seconds(295))
        try await fixture.signIn(ada, fixture.code(ada.secret))
        let counted = fixture.metrics.snapshot().filter { $0.name == "latchkey_totp_codes_total" }
        #expect(
            Dictionary(uniqueKeysWithValues: counted.map { ($0.labels["result"], $0.value) })
                == ["accepted": 1, "invalid": 5, "locked": 1])
    }

    /// A code that was sent once must not work again, even when the sign-in failed.
    @Test func stepStaysUsedWhenSignInFails() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        let code = fixture.code(ada.secret)
        fixture.identity.refuse(.completeSignIn, .unavailable)
        await #expect(throws: ServiceError(.unavailable)) { try await fixture.signIn(ada, code) }
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(ada, code) }
        try await fixture.signIn(ada, fixture.code(ada.secret, 1))
    }

    /// Security rule AU1. Without identity the code is refused all the same.
    @Test func refusedCodeIsInAuditLog() async throws {
        let fixture = try await TOTPFixture()
        let enrolled = try await fixture.enrolled()
        fixture.identity.refuse(.recordRefusedSignIn, .unavailable)
        for number in 0...TOTPFactor.maximumFailures {
            let code = number < TOTPFactor.maximumFailures ? WireError.Code.invalidCode : .quotaExceeded
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.signIn(enrolled, fixture.wrong(enrolled.secret))
            }
            #expect(error?.code == code)
        }
        let recorded = fixture.identity.state.withLock { $0.refusedSignIns }
        #expect(recorded.allSatisfy { $0.accountID == AccountID("ada") && $0.realm == TOTPFixture.realm })
        // The first one was lost.
        #expect(
            recorded.map(\.reason) == Array(repeating: .invalid, count: TOTPFactor.maximumFailures - 1) + [.limited])
    }

    @Test func clockSetBackIsLogged() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        try await fixture.signIn(ada, fixture.code(ada.secret))
        let then = fixture.clock.now
        fixture.clock.setWall(then + .seconds(-90))
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(ada, fixture.code(ada.secret)) }
        #expect(fixture.logged.lines(of: "totp.clock-skew-detected") == [])
        fixture.clock.setWall(then + .seconds(-3600))
        await #expect(throws: ServiceError(.invalidCode)) { try await fixture.signIn(ada, fixture.code(ada.secret)) }
        #expect(fixture.logged.lines(of: "totp.clock-skew-detected").count == 1)
        let gauge = fixture.metrics.snapshot().first { $0.name == "latchkey_totp_clock_skew_seconds" }
        #expect(gauge?.value == 3600)
        fixture.clock.setWall(then + .seconds(30))
        try await fixture.signIn(ada, fixture.code(ada.secret))
    }

    @Test func logContainsNoSecrets() async throws {
        let fixture = try await TOTPFixture()
        let ada = try await fixture.enrolled()
        var codes: [String] = []
        for _ in 0..<6 {
            codes.append(fixture.wrong(ada.secret))
            _ = try? await fixture.signIn(ada, codes[0])  // `try?`: other tests cover the result.
        }
        let text = fixture.logged.all.withLock { $0.joined() }
        for secret in codes + [Base32.encode(ada.secret), "ada@example.com"] { #expect(!text.contains(secret)) }
    }
}
