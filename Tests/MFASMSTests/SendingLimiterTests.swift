import Contracts
import PhoneNumbers
import Testing
import Vocabulary

@testable import MFASMSService

/// The send limits at their bounds.
@Suite struct SendingLimiterTests {
    private static func limiter(_ counts: [SendingScope: SendingCount] = [:]) -> SendingLimiter {
        SendingLimiter(resendBackoff: nil, counts: counts, prefix: PrefixRecord(at: .midnight))
    }

    private func exceededLimit(
        _ limiter: SendingLimiter, _ send: CountedSend, _ policy: SendingPolicy = SendingPolicy(),
        at now: Moment = .midnight
    ) -> ExceededLimit? {
        var limiter = limiter
        switch limiter.admit(send, hasAddress: send.ipAddress != nil, policy, at: now) {
        case .admitted: return nil
        case .refused(let exceeded): return exceeded
        }
    }

    // MARK: Resend backoff

    @Test func resendDelayGrowsWithEachMessage() throws {
        var policy = SendingProcess.boundless
        policy.resendDelays = SendingPolicy().resendDelays
        var limiter = Self.limiter()
        let send = try CountedSend.example()
        var now = Moment.midnight
        for wait in [0, 30, 60, 120, 300, 300, 300] {
            if wait > 0 {
                let last = now
                now = last + (wait - 1)
                #expect(
                    exceededLimit(limiter, send, policy, at: now)
                        == ExceededLimit(reason: .resendBackoff, until: last + wait)
                )
                now = now + .milliseconds(999)
                #expect(exceededLimit(limiter, send, policy, at: now) != nil)
                now = now + .milliseconds(1)
            }
            guard case .admitted = limiter.admit(send, hasAddress: true, policy, at: now) else {
                Issue.record("refused after \(wait) s")
                return
            }
        }
        #expect(limiter.resendBackoff == ResendBackoff(messages: 7, lastAt: now, previousAt: now + -300))
    }

    @Test func refundRestoresPreviousState() throws {
        let send = try CountedSend.example()
        var policy = SendingProcess.boundless
        policy.resendDelays = [.seconds(30), .seconds(60)]
        var limiter = Self.limiter()
        _ = limiter.admit(send, hasAddress: true, policy, at: .midnight)
        let once = limiter
        _ = limiter.admit(send, hasAddress: true, policy, at: .midnight + 40)
        #expect(limiter.resendBackoff?.messages == 2)
        let entry = limiter.refund(send, hasAddress: true, policy)
        #expect(limiter.resendBackoff == once.resendBackoff)
        #expect(limiter.prefix.sent == 1)
        #expect(!entry.scopes.contains(.account) && entry.scopes.contains(.address))
        _ = limiter.refund(send, hasAddress: true, policy)
        #expect(limiter.resendBackoff == nil && limiter.prefix.sent == 0)
    }

    // MARK: Counts

    @Test func everyCountHasLimit() throws {
        let send = try CountedSend.example(account: "a")
        let day = Moment.midnight + 86_400
        let hour = Moment.midnight + 3600
        for (scope, bound, reason, until) in [
            (SendingScope.number, 5, ExceededLimit.Reason.number, day), (.account, 20, .account, day),
            (.address, 10, .address, hour), (.site, 10 * ClientNetwork.siteFactor, .address, hour),
            (.prefixHour, 100, .prefix, hour), (.prefixDay, 500, .prefix, day),
        ] {
            let below = Self.limiter([scope: SendingCount(sent: bound - 1)])
            #expect(exceededLimit(below, send) == nil, "\(scope)")
            let at = Self.limiter([scope: SendingCount(sent: bound)])
            #expect(exceededLimit(at, send) == ExceededLimit(reason: reason, until: until), "\(scope)")
            #expect(exceededLimit(at, send, SendingProcess.boundless) == nil, "\(scope)")
        }
    }

    @Test func verifiedMessagesDoNotCountAsUnanswered() throws {
        let send = try CountedSend.example()
        let answered = Self.limiter([.number: SendingCount(sent: 19, verified: 15)])
        #expect(exceededLimit(answered, send) == nil)
        let pestered = Self.limiter([.number: SendingCount(sent: 19, verified: 14)])
        #expect(exceededLimit(pestered, send)?.reason == .number)
        // Twenty per day exceed the limit for every number.
        let many = Self.limiter([.number: SendingCount(sent: 20, verified: 20)])
        #expect(exceededLimit(many, send)?.reason == .number)
    }

    // MARK: Budgets

    @Test func messageThatReachesBudgetIsAdmitted() throws {
        var policy = SendingProcess.boundless
        policy.budget.inHour = 1_000_000
        policy.prices.byRegion["DE"] = 300_000
        let send = try CountedSend.example(purpose: .secondFactor)
        for (spent, isAdmitted) in [(0, true), (700_000, true), (700_001, false), (1_000_000, false)] {
            let limiter = Self.limiter([.projectHour: SendingCount(spentMicros: Int64(spent))])
            #expect((exceededLimit(limiter, send, policy) == nil) == isAdmitted, "\(spent)")
        }
        policy.budget.inDay = 1_000_000
        policy.budget.inHour = nil
        let day = Self.limiter([.projectDay: SendingCount(spentMicros: 700_001)])
        #expect(exceededLimit(day, send, policy) == ExceededLimit(reason: .budget, until: .midnight + 86_400))
    }

    @Test func budgetShareIsReservedForSecondFactors() throws {
        var policy = SendingProcess.boundless
        policy.budget.inHour = 10_000_000
        var limiter = Self.limiter([.projectHour: SendingCount(spentMicros: 8_000_000)])
        (limiter.prefix.sent, limiter.prefix.verified) = (10, 10)
        for (purpose, isAdmitted) in [
            (CountedSend.Purpose.signIn, false), (.enrollment, false), (.secondFactor, true),
        ] {
            let exceeded = exceededLimit(limiter, try .example(purpose: purpose), policy)
            #expect((exceeded == nil) == isAdmitted, "\(purpose)")
        }
        limiter.counts[.projectHour]?.spentMicros = 7_950_000
        #expect(exceededLimit(limiter, try .example(), policy) == nil)
        limiter.counts[.projectHour]?.spentMicros = 10_000_000
        #expect(exceededLimit(limiter, try .example(purpose: .secondFactor), policy)?.reason == .budget)
    }

    @Test func budgetShareIsReservedForEstablishedPrefixes() throws {
        var policy = SendingProcess.boundless
        policy.conversion = .init()
        policy.budget.inDay = 10_000_000
        var limiter = Self.limiter([.newPrefixesDay: SendingCount(spentMicros: 4_950_000)])
        #expect(exceededLimit(limiter, try .example(), policy) == nil)
        limiter.counts[.newPrefixesDay]?.spentMicros = 4_950_001
        #expect(
            exceededLimit(limiter, try .example(), policy)
                == ExceededLimit(reason: .newPrefixes, until: .midnight + 86_400))
        #expect(exceededLimit(limiter, try .example(purpose: .secondFactor), policy) == nil)
        (limiter.prefix.sent, limiter.prefix.verified) = (40, 4)
        #expect(exceededLimit(limiter, try .example(), policy)?.reason == .newPrefixes)
        (limiter.prefix.sent, limiter.prefix.verified) = (50, 5)
        #expect(exceededLimit(limiter, try .example(), policy) == nil)
        (limiter.prefix.sent, limiter.prefix.verified) = (51, 5)
        #expect(exceededLimit(limiter, try .example(), policy)?.reason != nil)
    }

    @Test func budgetArithmeticDoesNotOverflow() throws {
        var policy = SendingProcess.boundless
        policy.budget.inHour = .max
        let limiter = Self.limiter([.projectHour: SendingCount(spentMicros: 1 << 60)])
        #expect(exceededLimit(limiter, try .example(purpose: .secondFactor), policy) == nil)
    }

    @Test func accountLimitIsReportedBeforeProjectLimit() throws {
        var limiter = Self.limiter([
            .number: SendingCount(sent: 9), .projectHour: SendingCount(spentMicros: 1_000_000_000),
        ])
        limiter.resendBackoff = ResendBackoff(at: .midnight)
        #expect(exceededLimit(limiter, try .example())?.error == .limited(by: .smsResendBackoff, until: .midnight + 30))
        limiter.resendBackoff = nil
        #expect(
            exceededLimit(limiter, try .example())?.error
                == .limited(by: .smsPerNumber, until: .midnight + 86_400))
        limiter.counts[.number] = nil
        #expect(
            exceededLimit(limiter, try .example())?.error == .limited(by: .smsProjectBudget, until: .midnight + 3600))
    }

    // MARK: Windows

    @Test(arguments: [0, 1, 3_599_999, 3_600_000, 86_399_999, 86_400_000, 100_000_000] as [Int64])
    func windowsAreAlignedToClock(milliseconds: Int64) {
        let now = Moment(milliseconds: Moment.midnight.milliseconds + milliseconds)
        for scope in SendingScope.allCases {
            let window = scope.window(at: now)
            #expect(window.start <= now && now < window.end)
            #expect(window.end == window.start + .seconds(scope.windowSeconds))
            #expect(window.start.milliseconds % (scope.windowSeconds * 1000) == 0)
        }
    }
}
