import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct FairQueueTests {
    private static let second = Duration.seconds(1)

    @Test func slotsArePassedOnInTurns() {
        var queue = FairQueue<String>(slots: 1, workPerSlot: .seconds(100))
        #expect(queue.enter("a", cost: Self.second) == .runs)
        for ticket in 1...3 { #expect(queue.enter("a", cost: Self.second) == .waits(ticket: ticket)) }
        #expect(queue.enter("b", cost: Self.second) == .waits(ticket: 4))
        #expect(queue.enter("c", cost: Self.second) == .waits(ticket: 5))
        // The second request of a key waits for one of each other key, however many came before.
        #expect(queue.leave("a", cost: Self.second) == 1)
        #expect(queue.leave("a", cost: Self.second) == 4)
        #expect(queue.leave("b", cost: Self.second) == 5)
        #expect(queue.leave("c", cost: Self.second) == 2)
        #expect(queue.leave("a", cost: Self.second) == 3)
        #expect(queue.leave("a", cost: Self.second) == nil)
        #expect(queue.enter("d", cost: Self.second) == .runs)
    }

    @Test func workIsBoundedInAllAndPerKey() {
        var queue = FairQueue<Int>(slots: 2, workPerSlot: .seconds(5))
        var admitted = 0
        for _ in 0..<40 where queue.enter(0, cost: Self.second) != .refused { admitted += 1 }
        #expect(admitted == 5)
        for key in 1...10 { _ = queue.enter(key, cost: Self.second) }
        #expect(queue.enter(11, cost: Self.second) == .refused)
        // One that is alone is never refused, whatever it costs.
        var other = FairQueue<Int>(slots: 1, workPerSlot: .seconds(5))
        #expect(other.enter(0, cost: .seconds(30)) == .runs)
        #expect(other.enter(1, cost: .milliseconds(1)) == .refused)
        #expect(other.leave(0, cost: .seconds(30)) == nil)
        #expect(other.enter(1, cost: .milliseconds(1)) == .runs)
    }

    /// No ticket is lost or passed on twice, and nothing is left at the end.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func everyTicketGetsASlotOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = FairQueue<Int>(slots: 3, workPerSlot: .seconds(5))
        var running: [(key: Int, cost: Duration)] = []
        var waiting: [Int: (key: Int, cost: Duration)] = [:]
        func leave() {
            let place = Int.random(in: running.indices, using: &random)
            let left = running.remove(at: place)
            guard let ticket = queue.leave(left.key, cost: left.cost) else {
                #expect(waiting.isEmpty)
                return
            }
            if let next = waiting.removeValue(forKey: ticket) {
                running.append(next)
            } else {
                Issue.record("an unknown ticket")
            }
        }
        for _ in 0..<500 {
            if Bool.random(using: &random) || running.isEmpty {
                let request = (
                    key: Int.random(in: 0..<4, using: &random),
                    cost: Duration.milliseconds(Int.random(in: 1...2000, using: &random))
                )
                switch queue.enter(request.key, cost: request.cost) {
                case .runs: running.append(request)
                case .waits(let ticket): waiting[ticket] = request
                case .refused: break
                }
            } else {
                leave()
            }
            #expect(running.count <= 3 && (waiting.isEmpty || running.count == 3))
        }
        while !running.isEmpty { leave() }
        #expect(waiting.isEmpty)
        #expect(queue.enter(0, cost: .seconds(100)) == .runs)
    }
}

@Suite struct OldHashBudgetsTests {
    private let network = ClientNetwork("192.0.2.1")!
    private let start = ContinuousClock.now

    @Test func budgetIsUsedUpAndRefills() {
        var budgets = OldHashBudgets()
        for _ in 0..<10 { #expect(budgets.charge(.seconds(1), to: network, at: start) == nil) }
        let wait = budgets.charge(.seconds(1), to: network, at: start)
        #expect(wait == .seconds(6))
        #expect(budgets.charge(.seconds(1), to: ClientNetwork("192.0.2.2")!, at: start) == nil)
        #expect(budgets.charge(.seconds(1), to: network, at: start + .seconds(5)) != nil)
        #expect(budgets.charge(.seconds(1), to: network, at: start + .seconds(7)) == nil)
        #expect(budgets.charge(.seconds(10), to: network, at: start + .seconds(1000)) == nil)
    }

    @Test func cheapGuessesCostLess() {
        var budgets = OldHashBudgets()
        var count = 0
        while budgets.charge(.milliseconds(10), to: network, at: start) == nil { count += 1 }
        #expect(count == 1000)
    }

    @Test func rightPasswordCostsNothing() {
        var budgets = OldHashBudgets()
        for _ in 0..<100 {
            #expect(budgets.charge(.seconds(1), to: network, at: start) == nil)
            budgets.refund(.seconds(1), to: network, at: start)
        }
        for _ in 0..<10 { #expect(budgets.charge(.seconds(1), to: network, at: start) == nil) }
    }

    /// A guess that costs more than the capacity needs a full budget.
    @Test func expensiveGuessIsPossible() {
        var budgets = OldHashBudgets()
        #expect(budgets.charge(.seconds(30), to: network, at: start) == nil)
        #expect(budgets.charge(.milliseconds(1), to: network, at: start + .seconds(100)) != nil)
        #expect(budgets.charge(.milliseconds(1), to: network, at: start + .seconds(200)) == nil)
    }

    /// Security rule RL1.
    @Test func holderOfManyNetworksHasFourBudgets() {
        var budgets = OldHashBudgets()
        var count = 0
        for place in 0..<100 {
            let network = ClientNetwork("2001:db8:1:\(String(place, radix: 16))::1")!
            for _ in 0..<10 where budgets.charge(.seconds(1), to: network, at: start) == nil { count += 1 }
        }
        #expect(count == 40)
    }

    @Test func manyNetworksAreForgottenFromTheFullestBudget() {
        var budgets = OldHashBudgets()
        for _ in 0..<10 { _ = budgets.charge(.seconds(1), to: network, at: start) }
        for number in 0..<2 * OldHashBudgets.maximumNetworks {
            let other = ClientNetwork("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")!
            #expect(budgets.charge(.milliseconds(1), to: other, at: start) == nil)
        }
        #expect(budgets.charge(.seconds(1), to: network, at: start) != nil)
    }
}
