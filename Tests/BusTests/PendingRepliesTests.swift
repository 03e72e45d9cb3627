import Bus
import Contracts
import TestSupport
import Testing
import Vocabulary
import ZeroMQ

@Suite struct PendingRepliesTests {
    let clock = ManualClock()

    func pending(limit: Int = 100) -> PendingReplies<Int> {
        PendingReplies(limit: limit, brokerGrace: .seconds(1))
    }

    func request(_ number: UInt64) -> BusMessage.Request {
        .init(
            service: BusName(.identity), id: id(number), deadline: clock.now + .seconds(5), isIdempotent: false,
            payload: PayloadDigest(high: 0, low: number), body: ZeroMQFrame(Array("{}".utf8)))
    }

    func id(_ number: UInt64) -> RequestID { RequestID(high: 0, low: number) }

    /// Adds call number `number` with the number as its continuation, and sends it if a broker is available.
    @discardableResult
    func add(
        _ number: UInt64, to pending: inout PendingReplies<Int>, within: Duration = .seconds(5), again: Bool = false,
        through link: Int? = nil
    ) -> WireError.Code? {
        let refused = pending.insert(
            request(number), continuation: Int(number), isRetryable: again, expiresAt: clock.instant + within,
            at: clock.instant)
        if let link, refused == nil { pending.markSent(id(number), through: link) }
        return refused?.error.code
    }

    @Test func replyFindsItsWaiterOnce() {
        var pending = pending()
        add(1, to: &pending, through: 0)
        #expect(pending.remove(id(1)) == 1)
        #expect(pending.remove(id(1)) == nil)
        #expect(pending.isEmpty)
    }

    @Test func replyAfterDeadlineFindsNoWaiter() {
        var pending = pending()
        add(1, to: &pending, within: .milliseconds(100), through: 0)
        clock.advance(by: .milliseconds(99))
        #expect(pending.expire(at: clock.instant).isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(pending.dueAt() == clock.instant)
        let refused = pending.expire(at: clock.instant)
        #expect(refused.map(\.continuation) == [1])
        #expect(refused.map(\.error.code) == [.deadlineExceeded])
        #expect(pending.remove(id(1)) == nil)
    }

    @Test func deadlinesExpireInOrder() {
        var pending = pending()
        add(1, to: &pending, within: .seconds(3), through: 0)
        add(2, to: &pending, within: .seconds(1), through: 0)
        add(3, to: &pending, within: .seconds(2), through: 0)
        var order: [Int] = []
        for _ in 1...3 {
            clock.advance(by: .seconds(1))
            #expect(pending.dueAt() == clock.instant)
            order += pending.expire(at: clock.instant).map(\.continuation)
        }
        #expect(order == [2, 3, 1])
        #expect(pending.dueAt() == nil)
    }

    @Test func fullTableIsOverloaded() {
        var pending = pending(limit: 2)
        #expect(add(1, to: &pending, through: 0) == nil)
        #expect(add(2, to: &pending, through: 0) == nil)
        #expect(add(3, to: &pending) == .overloaded)
        _ = pending.remove(id(1))
        #expect(add(4, to: &pending) == nil)
    }

    @Test func duplicateIDIsRefused() {
        var pending = pending()
        add(1, to: &pending)
        #expect(add(1, to: &pending) == .invalidRequest)
        #expect(pending.remove(id(1)) == 1)
    }

    @Test func unsentCallsWaitForBrokerInOrder() {
        var pending = pending()
        for number in 1...3 as ClosedRange<UInt64> { add(number, to: &pending) }
        _ = pending.remove(id(2))
        #expect(pending.nextUnsent()?.id == id(1))
        pending.markSent(id(1), through: 0)
        #expect(pending.nextUnsent()?.id == id(3))
        pending.markSent(id(3), through: 0)
        #expect(pending.nextUnsent() == nil)
    }

    @Test func callWithoutBrokerIsUnavailableAfterOneSecond() {
        var pending = pending()
        add(1, to: &pending)
        clock.advance(by: .milliseconds(999))
        #expect(pending.expire(at: clock.instant).isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(pending.dueAt() == clock.instant)
        #expect(pending.expire(at: clock.instant).map(\.error.code) == [.unavailable])
        #expect(pending.isEmpty)
    }

    @Test func earlierDeadlineAppliesWithoutBroker() {
        var pending = pending()
        add(1, to: &pending, within: .milliseconds(300))
        clock.advance(by: .milliseconds(300))
        #expect(pending.expire(at: clock.instant).map(\.error.code) == [.deadlineExceeded])
    }

    @Test func idempotentCallOutlivesItsBroker() {
        var pending = pending()
        add(1, to: &pending, again: true, through: 0)
        add(2, to: &pending, again: false, through: 0)
        add(3, to: &pending, again: false, through: 1)
        let refused = pending.brokerLost(link: 0, at: clock.instant)
        #expect(refused.map(\.continuation) == [2])
        #expect(refused.map(\.error.code) == [.unavailable])
        #expect(pending.nextUnsent()?.id == id(1))
        pending.markSent(id(1), through: 1)
        #expect(pending.brokerLost(link: 0, at: clock.instant).isEmpty)
        #expect(pending.remove(id(1)) == 1)
        #expect(pending.remove(id(3)) == 3)
    }

    @Test func unsentQueueDoesNotGrowWithoutBound() {
        var pending = pending(limit: 8)
        add(0, to: &pending)
        for number in 1...1000 as ClosedRange<UInt64> {
            add(number, to: &pending)
            pending.markSent(id(number - 1), through: 0)
            _ = pending.nextUnsent()
            _ = pending.remove(id(number - 1))
        }
        #expect(pending.count == 1)
        #expect(pending.nextUnsent()?.id == id(1000))
    }

    @Test func shutdownRemovesEveryWaiter() {
        var pending = pending()
        add(1, to: &pending)
        add(2, to: &pending, through: 0)
        #expect(pending.removeAll().sorted() == [1, 2])
        #expect(pending.isEmpty && pending.nextUnsent() == nil && pending.dueAt() == nil)
    }

    /// Random events in random order: each continuation is removed exactly once.
    @Test(arguments: 0..<200 as Range<UInt64>) func everyWaiterIsRemovedOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var pending = pending(limit: 20)
        var left: [Int: Int] = [:]
        var added: UInt64 = 0
        for _ in 0..<300 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0...2:
                added += 1
                let refused = pending.insert(
                    request(added), continuation: Int(added), isRetryable: Bool.random(using: &random),
                    expiresAt: clock.instant + .milliseconds(Int64.random(in: 0...3000, using: &random)),
                    at: clock.instant)
                if let refused { left[refused.continuation, default: 0] += 1 }
            case 3:
                guard let next = pending.nextUnsent() else { continue }
                pending.markSent(next.id, through: Int.random(in: 0...2, using: &random))
            case 4:
                guard added > 0 else { continue }
                let continuation = pending.remove(id(UInt64.random(in: 1...added, using: &random)))
                if let continuation { left[continuation, default: 0] += 1 }
            case 5:
                clock.advance(by: .milliseconds(Int64.random(in: 0...400, using: &random)))
                for refused in pending.expire(at: clock.instant) { left[refused.continuation, default: 0] += 1 }
            default:
                for refused in pending.brokerLost(link: Int.random(in: 0...2, using: &random), at: clock.instant) {
                    left[refused.continuation, default: 0] += 1
                }
            }
        }
        for continuation in pending.removeAll() { left[continuation, default: 0] += 1 }
        #expect(left.count == Int(added))
        #expect(left.values.allSatisfy { $0 == 1 })
    }
}

@Suite struct RetryBudgetTests {
    @Test func retriesAreLimitedToOneCallInTen() {
        var budget = RetryBudget()
        var spent = 0
        for _ in 1...1000 {
            budget.deposit()
            if budget.tryWithdraw() { spent += 1 }
        }
        #expect((100...110).contains(spent))
    }

    @Test func idleProcessCanRetryTenTimesInARow() {
        var budget = RetryBudget()
        for _ in 1...1000 { budget.deposit() }
        #expect((1...20).count { _ in budget.tryWithdraw() } == 10)
    }
}
