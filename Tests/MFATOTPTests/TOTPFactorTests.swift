import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import MFATOTPService

/// Which codes a factor accepts: security rules, section 5.
@Suite struct TOTPFactorTests {
    private static let secret = Array(repeating: UInt8(0x5a), count: 20)
    private static let noon = Moment(milliseconds: 1_700_000_010_000)
    private static let step = TOTPCode.step(at: noon)

    private func factor(last: Int64 = 0) -> TOTPFactor {
        TOTPFactor(lastStep: last, acceptedAt: Moment(milliseconds: 0))
    }

    private func code(_ offset: Int64) -> TOTPCode { TOTPCode(secret: Self.secret, step: Self.step + offset) }

    /// Six digits that are no code near noon.
    private static let wrong: TOTPCode? = {
        let near = Set((-40...40).map { TOTPCode(secret: secret, step: step + $0).text })
        return (100_000..<100_200).map { String($0) }.first { !near.contains($0) }.flatMap { TOTPCode($0) }
    }()

    @Test func matchesBehaviorVectors() throws {
        let vectors = try OTPVectors.all.get().behaviour
        #expect(vectors.count == 15)
        for vector in vectors {
            let secret = try #require(Base32.decode(vector.secretBase32))
            // A factor always has a last step, initially that of its enrollment.
            var factor = factor(last: vector.lastUsedStep ?? 0)
            let now = Moment(milliseconds: vector.unixTime * 1000)
            let result = factor.verify(TOTPCode(vector.code), secret: secret, window: vector.window, at: now)
            #expect((result == .accepted) == vector.accept, "\(vector.id)")
            #expect(factor.lastStep == vector.lastUsedStepAfter ?? 0, "\(vector.id)")
            if vector.accept { #expect(factor.lastStep == vector.matchedStep, "\(vector.id)") }
        }
    }

    /// What an operator reads is what a code meets.
    @Test func blockIsThatOfTheNextCode() {
        var factor = factor()
        for number in 1...TOTPFactor.maximumFailures {
            #expect(factor.block(at: Self.noon) == nil, "\(number)")
            _ = factor.verify(Self.wrong, secret: Self.secret, window: 1, at: Self.noon)
        }
        let end = Self.noon + TOTPFactor.failurePeriod
        #expect(factor.block(at: Self.noon) == .until(end))
        #expect(
            factor.verify(code(0), secret: Self.secret, window: 1, at: Self.noon)
                == .refused(.limited(by: .totpCodeAttempts, until: end)))
        #expect(factor.block(at: end) == nil)
        factor.consecutiveFailures = TOTPFactor.maximumFailuresInARow
        #expect(factor.block(at: end) == .forGood)
    }

    /// Security rule TO2.
    @Test(arguments: 0...10)
    func codesOutsideWindowAreRejected(window: Int) {
        for offset in -Int64(window) - 1...Int64(window) + 1 {
            var factor = factor()
            let isInside = abs(offset) <= Int64(window)
            let result = factor.verify(code(offset), secret: Self.secret, window: window, at: Self.noon)
            #expect(result == (isInside ? .accepted : .refused(ServiceError(.invalidCode))), "\(offset)")
            #expect(factor.lastStep == (isInside ? Self.step + offset : 0))
        }
    }

    /// Property: each step is accepted at most once, and no earlier step is accepted after it, even when the clock
    /// jumps.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func noStepIsAcceptedTwice(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let secret = random.bytes(20)
        let window = Int.random(in: 0...10, using: &random)
        var now = Self.noon
        var factor = factor()
        var accepted: [Int64] = []
        for _ in 0..<200 {
            let jump = Int64.random(in: -40_000...60_000, using: &random)
            now = Moment(milliseconds: now.milliseconds + jump)
            let step = TOTPCode.step(at: now) + Int64.random(in: -12...12, using: &random)
            // Other tests cover the limit of consecutive failures.
            factor.failureTimes = []
            factor.consecutiveFailures = 0
            if factor.verify(TOTPCode(secret: secret, step: step), secret: secret, window: window, at: now) == .accepted
            {
                accepted.append(factor.lastStep)
                #expect(abs(factor.lastStep - TOTPCode.step(at: now)) <= Int64(window))
            }
        }
        #expect(zip(accepted, accepted.dropFirst()).allSatisfy { $0 < $1 })
        #expect(!accepted.isEmpty)
    }

    @Test func fiveWrongCodesLockFactorForFiveMinutes() throws {
        let wrong = try #require(Self.wrong)
        var factor = factor()
        for second in 0..<5 {
            let now = Self.noon + .seconds(second)
            #expect(
                factor.verify(wrong, secret: Self.secret, window: 1, at: now) == .refused(ServiceError(.invalidCode)))
        }
        let free = Self.noon + .seconds(300)
        let late = Self.noon + .milliseconds(299_999)
        #expect(
            factor.verify(code(10), secret: Self.secret, window: 10, at: late)
                == .refused(.limited(by: .totpCodeAttempts, until: free)))
        // The oldest failure has expired, so one attempt is allowed; a right one does not count.
        #expect(factor.verify(code(10), secret: Self.secret, window: 10, at: free) == .accepted)
        #expect(factor.verify(wrong, secret: Self.secret, window: 10, at: free) == .refused(ServiceError(.invalidCode)))
        #expect(
            factor.verify(wrong, secret: Self.secret, window: 10, at: free)
                == .refused(.limited(by: .totpCodeAttempts, until: Self.noon + .seconds(301))))
    }

    @Test func correctCodeKeepsEarlierFailures() throws {
        let wrong = try #require(Self.wrong)
        var factor = factor()
        for _ in 0..<4 { _ = factor.verify(wrong, secret: Self.secret, window: 1, at: Self.noon) }
        #expect(factor.verify(code(0), secret: Self.secret, window: 1, at: Self.noon) == .accepted)
        #expect(factor.consecutiveFailures == 0)
        #expect(
            factor.verify(wrong, secret: Self.secret, window: 1, at: Self.noon) == .refused(ServiceError(.invalidCode)))
        #expect(
            factor.verify(code(1), secret: Self.secret, window: 1, at: Self.noon)
                == .refused(.limited(by: .totpCodeAttempts, until: Self.noon + .seconds(300))))
    }

    @Test func malformedCodeIsNotCountedAsFailure() {
        var factor = factor()
        for _ in 0..<50 {
            #expect(
                factor.verify(nil, secret: Self.secret, window: 1, at: Self.noon)
                    == .refused(ServiceError(.invalidCode)))
        }
        #expect(factor.verify(code(0), secret: Self.secret, window: 1, at: Self.noon) == .accepted)
    }

    /// NIST SP 800-63B-4 §3.2.2.
    @Test func hundredConsecutiveFailuresDisableFactor() throws {
        let wrong = try #require(Self.wrong)
        var factor = factor()
        var now = Self.noon
        for _ in 0..<100 {
            #expect(
                factor.verify(wrong, secret: Self.secret, window: 0, at: now) == .refused(ServiceError(.invalidCode)))
            now = now + .seconds(100)
            // At the present time, the wrong code may be a right one.
            factor.lastStep = TOTPCode.step(at: now) + 20
        }
        let code = TOTPCode(secret: Self.secret, step: factor.lastStep + 1)
        #expect(
            factor.verify(code, secret: Self.secret, window: 10, at: now + .seconds(86_400))
                == .refused(.limited(by: .totpCodeAttempts, until: nil)))
    }

    /// Security rule TO12.
    @Test func usedStepsStayUsedAfterClockIsSetBack() throws {
        var factor = factor()
        #expect(factor.verify(code(0), secret: Self.secret, window: 1, at: Self.noon) == .accepted)
        let earlier = Self.noon + .seconds(-3600)
        #expect(factor.clockSkew(at: earlier) == .seconds(3600))
        #expect(factor.clockSkew(at: Self.noon + .seconds(10)) == .zero)
        for offset in -1...1 as ClosedRange<Int64> {
            let old = TOTPCode(secret: Self.secret, step: TOTPCode.step(at: earlier) + offset)
            #expect(
                factor.verify(old, secret: Self.secret, window: 1, at: earlier) == .refused(ServiceError(.invalidCode)))
        }
        #expect(
            factor.verify(code(0), secret: Self.secret, window: 1, at: earlier) == .refused(ServiceError(.invalidCode)))
        #expect(factor.verify(code(1), secret: Self.secret, window: 1, at: Self.noon) == .accepted)
    }

    /// Earlier failures must not extend the lock by the difference.
    @Test func lockFollowsClockThatIsSetBack() throws {
        let wrong = try #require(Self.wrong)
        var factor = factor()
        for _ in 0..<5 { _ = factor.verify(wrong, secret: Self.secret, window: 1, at: Self.noon) }
        let earlier = Self.noon + .seconds(-3600)
        let until = earlier + .seconds(300)
        #expect(
            factor.verify(nil, secret: Self.secret, window: 1, at: earlier)
                == .refused(.limited(by: .totpCodeAttempts, until: until)))
        #expect(factor.verify(nil, secret: Self.secret, window: 1, at: until) == .refused(ServiceError(.invalidCode)))
    }

    @Test func enrollmentAllowsThreeAttempts() throws {
        let wrong = try #require(Self.wrong)
        var enrollment = TOTPEnrollment(
            owner: TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID("a")), factorID: FactorID("f"),
            createdAt: Self.noon)
        for _ in 0..<3 {
            #expect(Self.verify(&enrollment, nil) == .refused(ServiceError(.invalidCode)))
            #expect(Self.verify(&enrollment, wrong) == .refused(ServiceError(.invalidCode)))
        }
        #expect(Self.verify(&enrollment, code(0)) == .refused(.limited(by: .totpEnrollmentAttempts, until: nil)))
        enrollment.failedAttempts = 2
        #expect(Self.verify(&enrollment, code(1)) == .verified(step: Self.step + 1))
    }

    /// "enrollments.leased_until": a lease of a clock that was ahead holds for five minutes at most.
    @Test(arguments: [(0, true), (200, true), (700, false), (365 * 86_400, false)] as [(Int64, Bool)])
    func leaseOfTheFutureHoldsNoEnrollment(seconds: Int64, holds: Bool) {
        var enrollment = TOTPEnrollment(
            owner: TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID("a")), factorID: FactorID("f"),
            createdAt: Self.noon)
        #expect(Self.verify(&enrollment, code(0)) == .verified(step: Self.step))
        enrollment.proof?.leasedUntil = Self.noon + .seconds(seconds) + TOTPEnrollment.lease
        let second = Self.verify(&enrollment, code(1), by: 2, lastStep: Self.step)
        #expect((second == .refused(ServiceError(.factorAlreadyEnrolled))) == holds)
    }

    /// "factors.failure_times": failures of the future count from now on, and for five minutes.
    @Test(arguments: [600, 365 * 86_400] as [Int64]) func failuresOfTheFutureEnd(seconds: Int64) {
        var factor = TOTPFactor(lastStep: 0, acceptedAt: Self.noon)
        factor.failureTimes = Array(repeating: Self.noon + .seconds(seconds), count: TOTPFactor.maximumFailures)
        let first = factor.verify(code(0), secret: Self.secret, window: 1, at: Self.noon)
        #expect(first != .accepted)
        let later = Self.noon + TOTPFactor.failurePeriod
        let second = factor.verify(nil, secret: Self.secret, window: 1, at: later)
        #expect(second == .refused(ServiceError(.invalidCode)))
    }

    private static func verify(
        _ enrollment: inout TOTPEnrollment, _ code: TOTPCode?, by request: UInt8 = 1, lastStep: Int64? = nil,
        at now: Moment = noon
    ) -> TOTPEnrollment.VerificationResult {
        enrollment.verify(
            .init(code: code, request: [request], windowSteps: 2), secret: secret, lastStep: lastStep, at: now)
    }

    /// The request that brought the correct code can be repeated at any time; the codes of other requests are verified.
    @Test func verifiedEnrollmentResumesOnlyForItsRequest() throws {
        let wrong = try #require(Self.wrong)
        var enrollment = TOTPEnrollment(
            owner: TOTPAccountKey(realm: TOTPFixture.realm, accountID: AccountID("a")), factorID: FactorID("f"),
            createdAt: Self.noon)
        #expect(Self.verify(&enrollment, code(0)) == .verified(step: Self.step))
        #expect(Self.verify(&enrollment, code(0)) == .resumed)
        // Codes of another request: wrong, used, and right but too late.
        #expect(Self.verify(&enrollment, wrong, by: 2, lastStep: Self.step) == .refused(ServiceError(.invalidCode)))
        #expect(Self.verify(&enrollment, code(0), by: 2, lastStep: Self.step) == .refused(ServiceError(.invalidCode)))
        #expect(
            Self.verify(&enrollment, code(1), by: 2, lastStep: Self.step)
                == .refused(ServiceError(.factorAlreadyEnrolled)))
        // The first request was lost.
        let late = Self.noon + TOTPEnrollment.lease
        #expect(
            Self.verify(&enrollment, code(1), by: 2, lastStep: Self.step, at: late) == .verified(step: Self.step + 1))
        #expect(!enrollment.isVerified(by: [1]) && enrollment.isVerified(by: [2]))
        enrollment.state = .finished
        #expect(Self.verify(&enrollment, code(1), by: 2, lastStep: Self.step + 1) == .resumed)
        for code in [wrong, code(2)] {
            #expect(
                Self.verify(&enrollment, code, by: 3, lastStep: Self.step + 1)
                    == .refused(ServiceError(.factorAlreadyEnrolled)))
        }
    }

    @Test func factorIDsAreUUIDs() {
        let id = RandomUUID.text(of: Array(0..<16))
        #expect(id == "00010203-0405-4607-8809-0a0b0c0d0e0f")
        #expect(RandomUUID.text(of: Array(repeating: 0xff, count: 16)) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }
}

/// Codes of another implementation, oathtool.
@Suite struct OathtoolTests {
    @Test(arguments: [0, 1, 5, 10])
    func oathtoolCodesAreAcceptedWithinWindow(window: Int) async throws {
        let directory = try TemporaryDirectory()
        for (secret, seconds) in [
            (Array("12345678901234567890".utf8), 59), (Array(repeating: UInt8(0xa5), count: 20), 1_700_000_010),
            (Array(0..<20), 64_424_509_455),
        ] as [([UInt8], Int)] {
            let now = Moment(milliseconds: Int64(seconds) * 1000)
            let step = TOTPCode.step(at: now)
            let first = max(0, step - Int64(window) - 1)
            // The codes of all steps from one before the window to one after it.
            let program = try RunningProgram(
                "/usr/bin/oathtool",
                [
                    "--totp", "--base32", "--now=@\(first * 30)",
                    "--window=\(step + Int64(window) + 1 - first)", Base32.encode(secret),
                ], in: directory)
            #expect(try await program.ending() == .code(0), "\(program.errors)")
            let codes = program.output.split(separator: "\n").map(String.init)
            for (candidate, code) in zip(first..., codes) {
                var factor = TOTPFactor(lastStep: -1, acceptedAt: Moment(milliseconds: 0))
                let isInside = abs(candidate - step) <= Int64(window)
                let result = factor.verify(TOTPCode(code), secret: secret, window: window, at: now)
                #expect(
                    result == (isInside ? .accepted : .refused(ServiceError(.invalidCode))), "step \(candidate - step)"
                )
            }
            #expect(codes.count == Int(step) + window + 2 - Int(first))
        }
    }
}
