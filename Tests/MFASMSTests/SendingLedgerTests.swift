import Contracts
import PhoneNumbers
import Testing
import Vocabulary

@testable import MFASMSService

/// The rules of sending at their bounds.
@Suite struct SendingLedgerTests {
    private static func ledger(_ tallies: [SendingScope: SendingTally] = [:]) -> SendingLedger {
        SendingLedger(ladder: nil, tallies: tallies, range: RangeRecord(at: .midnight))
    }

    private func refusal(
        _ ledger: SendingLedger, _ send: ProposedSend, _ policy: SendingPolicy = SendingPolicy(),
        at now: Moment = .midnight
    ) -> SendingTrip? {
        var ledger = ledger
        switch ledger.admit(send, hasAddress: send.ipAddress != nil, policy, at: now) {
        case .admitted: return nil
        case .refused(let trip): return trip
        }
    }

    // MARK: The ladder

    @Test func everyMessageMakesTheNextWaitLonger() throws {
        var policy = SendingProcess.boundless
        policy.waits = SendingPolicy().waits
        var ledger = Self.ledger()
        let send = try ProposedSend.example()
        var now = Moment.midnight
        for wait in [0, 30, 60, 120, 300, 300, 300] {
            if wait > 0 {
                let last = now
                now = last + (wait - 1)
                #expect(refusal(ledger, send, policy, at: now) == SendingTrip(reason: .wait, until: last + wait))
                now = now + .milliseconds(999)
                #expect(refusal(ledger, send, policy, at: now) != nil)
                now = now + .milliseconds(1)
            }
            guard case .admitted = ledger.admit(send, hasAddress: true, policy, at: now) else {
                Issue.record("refused after \(wait) s")
                return
            }
        }
        #expect(ledger.ladder == ResendLadder(messages: 7, lastAt: now, previousAt: now + -300))
    }

    @Test func aRefundStepsBack() throws {
        let send = try ProposedSend.example()
        var policy = SendingProcess.boundless
        policy.waits = [.seconds(30), .seconds(60)]
        var ledger = Self.ledger()
        _ = ledger.admit(send, hasAddress: true, policy, at: .midnight)
        let once = ledger
        _ = ledger.admit(send, hasAddress: true, policy, at: .midnight + 40)
        #expect(ledger.ladder?.messages == 2)
        let entry = ledger.refund(send, hasAddress: true, policy)
        #expect(ledger.ladder == once.ladder)
        #expect(ledger.range.sent == 1)
        #expect(!entry.scopes.contains(.account) && entry.scopes.contains(.address))
        _ = ledger.refund(send, hasAddress: true, policy)
        #expect(ledger.ladder == nil && ledger.range.sent == 0)
    }

    @Test func aClockThatWasSetBackLengthensNoWait() {
        let ladder = ResendLadder(messages: 1, lastAt: .midnight + 3600, previousAt: nil)
        #expect(ladder.wait([.seconds(30)], at: .midnight) == .midnight + 30)
    }

    // MARK: Counts

    @Test func everyCountHasItsBound() throws {
        let send = try ProposedSend.example(account: "a")
        let day = Moment.midnight + 86_400
        let hour = Moment.midnight + 3600
        for (scope, bound, reason, until) in [
            (SendingScope.number, 5, SendingTrip.Reason.number, day), (.account, 20, .account, day),
            (.address, 10, .address, hour), (.rangeHour, 100, .range, hour), (.rangeDay, 500, .range, day),
        ] {
            let below = Self.ledger([scope: SendingTally(sent: bound - 1)])
            #expect(refusal(below, send) == nil, "\(scope)")
            let at = Self.ledger([scope: SendingTally(sent: bound)])
            #expect(refusal(at, send) == SendingTrip(reason: reason, until: until), "\(scope)")
            #expect(refusal(at, send, SendingProcess.boundless) == nil, "\(scope)")
        }
    }

    @Test func whatCameBackPestersNobody() throws {
        let send = try ProposedSend.example()
        let answered = Self.ledger([.number: SendingTally(sent: 19, verified: 15)])
        #expect(refusal(answered, send) == nil)
        let pestered = Self.ledger([.number: SendingTally(sent: 19, verified: 14)])
        #expect(refusal(pestered, send)?.reason == .number)
        // Twenty a day are too many for anybody.
        let many = Self.ledger([.number: SendingTally(sent: 20, verified: 20)])
        #expect(refusal(many, send)?.reason == .number)
    }

    // MARK: Money

    @Test func theLastMessageOfABudgetIsPaidInFull() throws {
        var policy = SendingProcess.boundless
        policy.budget.inHour = 1_000_000
        policy.prices.byRegion["DE"] = 300_000
        let send = try ProposedSend.example(purpose: .secondFactor)
        for (spent, isAdmitted) in [(0, true), (700_000, true), (700_001, false), (1_000_000, false)] {
            let ledger = Self.ledger([.projectHour: SendingTally(spentMicros: Int64(spent))])
            #expect((refusal(ledger, send, policy) == nil) == isAdmitted, "\(spent)")
        }
        policy.budget.inDay = 1_000_000
        policy.budget.inHour = nil
        let day = Self.ledger([.projectDay: SendingTally(spentMicros: 700_001)])
        #expect(refusal(day, send, policy) == SendingTrip(reason: .budget, until: .midnight + 86_400))
    }

    @Test func aPartOfTheBudgetIsForSecondFactors() throws {
        var policy = SendingProcess.boundless
        policy.budget.inHour = 10_000_000
        var ledger = Self.ledger([.projectHour: SendingTally(spentMicros: 8_000_000)])
        (ledger.range.sent, ledger.range.verified) = (10, 10)
        for (purpose, isAdmitted) in [
            (ProposedSend.Purpose.signIn, false), (.enrollment, false), (.secondFactor, true),
        ] {
            let trip = refusal(ledger, try .example(purpose: purpose), policy)
            #expect((trip == nil) == isAdmitted, "\(purpose)")
        }
        ledger.tallies[.projectHour]?.spentMicros = 7_950_000
        #expect(refusal(ledger, try .example(), policy) == nil)
        ledger.tallies[.projectHour]?.spentMicros = 10_000_000
        #expect(refusal(ledger, try .example(purpose: .secondFactor), policy)?.reason == .budget)
    }

    @Test func aPartOfTheBudgetIsForRangesThatHaveProvedGood() throws {
        var policy = SendingProcess.boundless
        policy.conversion = .init()
        policy.budget.inDay = 10_000_000
        var ledger = Self.ledger([.newRangesDay: SendingTally(spentMicros: 4_950_000)])
        #expect(refusal(ledger, try .example(), policy) == nil)
        ledger.tallies[.newRangesDay]?.spentMicros = 4_950_001
        #expect(refusal(ledger, try .example(), policy) == SendingTrip(reason: .newRanges, until: .midnight + 86_400))
        #expect(refusal(ledger, try .example(purpose: .secondFactor), policy) == nil)
        (ledger.range.sent, ledger.range.verified) = (40, 4)
        #expect(refusal(ledger, try .example(), policy)?.reason == .newRanges)
        (ledger.range.sent, ledger.range.verified) = (50, 5)
        #expect(refusal(ledger, try .example(), policy) == nil)
        (ledger.range.sent, ledger.range.verified) = (51, 5)
        #expect(refusal(ledger, try .example(), policy)?.reason != nil)
    }

    @Test func noBudgetOverflows() throws {
        var policy = SendingProcess.boundless
        policy.budget.inHour = .max
        let ledger = Self.ledger([.projectHour: SendingTally(spentMicros: 1 << 60)])
        #expect(refusal(ledger, try .example(purpose: .secondFactor), policy) == nil)
    }

    @Test func whatConcernsThePersonIsToldFirst() throws {
        var ledger = Self.ledger([
            .number: SendingTally(sent: 9), .projectHour: SendingTally(spentMicros: 1_000_000_000),
        ])
        ledger.ladder = ResendLadder(at: .midnight)
        #expect(refusal(ledger, try .example())?.error == .resendTooSoon(until: .midnight + 30))
        ledger.ladder = nil
        #expect(refusal(ledger, try .example())?.error == .sendLimitReached(until: .midnight + 86_400))
        ledger.tallies[.number] = nil
        #expect(refusal(ledger, try .example())?.error == .budgetSpent(until: .midnight + 3600))
    }

    // MARK: Windows

    @Test(arguments: [0, 1, 3_599_999, 3_600_000, 86_399_999, 86_400_000, 100_000_000] as [Int64])
    func windowsAreThoseOfTheClock(milliseconds: Int64) {
        let now = Moment(milliseconds: Moment.midnight.milliseconds + milliseconds)
        for scope in SendingScope.allCases {
            let window = scope.window(at: now)
            #expect(window.start <= now && now < window.end)
            #expect(window.end == window.start + .seconds(scope.windowSeconds))
            #expect(window.start.milliseconds % (scope.windowSeconds * 1000) == 0)
        }
    }
}
