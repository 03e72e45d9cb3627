import Contracts
import PhoneNumbers
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import MFASMSService

/// Simulates SMS pumping hour by hour (security rules SM6 and SM8) with default limits: a message costs 0.05, and a
/// project may spend 20 per hour and 100 per day.
@Suite(.serialized) struct SendingSimulationTests {
    /// How many messages of one side were sent and refused.
    private struct Outcome: Equatable {
        var sent = 0
        var refused = 0
    }

    private struct SendingSimulation {
        let process: SendingProcess
        let clock: ManualClock
        var attack = Outcome()
        var people = Outcome()
        /// The cost of both sides, by the hour since midnight.
        var spent: [Int: Int64] = [:]

        mutating func send(_ send: CountedSend, isAttack: Bool) async throws {
            let isSent = try await process.admit(send) == nil
            let change = isSent ? \Outcome.sent : \.refused
            if isAttack { attack[keyPath: change] += 1 } else { people[keyPath: change] += 1 }
            guard isSent else { return }
            let hour = Int((clock.now.milliseconds - Moment.midnight.milliseconds) / 3_600_000)
            spent[hour, default: 0] += process.rules.policy.price(in: send.number.region)
            // Users enter the code; pumped numbers do not.
            if !isAttack { try await process.recordVerified(send) }
        }

        /// One user signs in with a number from one of twenty prefixes, each with a hundred thousand numbers.
        mutating func signInUser(_ index: Int, purpose: CountedSend.Purpose = .signIn) async throws {
            let number = "+49151\(20 + index % 20)\(100_000 + index)"
            try await send(.example(number, purpose: purpose, from: "203.0.113.\(index % 250)"), isAttack: false)
        }
    }

    private func simulation() async throws -> SendingSimulation {
        let fixture = try await SendingFixture()
        var simulation = SendingSimulation(process: try await fixture.process(), clock: fixture.clock)
        // On the previous day, a few users of each prefix have signed in.
        fixture.clock.setWall(.midnight + -43_200)
        for index in 0..<120 {
            try await simulation.signInUser(index)
            fixture.clock.advance(by: .seconds(60))
        }
        #expect(simulation.people == Outcome(sent: 120))
        fixture.clock.setWall(.midnight)
        (simulation.people, simulation.spent) = (Outcome(), [:])
        return simulation
    }

    /// Sends to ten thousand numbers (or `attackers`) in six hours, with one legitimate user every five minutes.
    private func attack(
        _ simulation: inout SendingSimulation, with attackers: Int = 10_000, number: (Int) -> String, region: String,
        address: (Int) -> String
    ) async throws {
        let length = 6 * 3_600_000
        var people = 0
        for index in 0..<attackers {
            let elapsed = index * (length / attackers)
            simulation.clock.setWall(.midnight + .milliseconds(elapsed))
            if elapsed >= people * 300_000 {
                try await simulation.signInUser(people + 1000)
                people += 1
            }
            try await simulation.send(
                .example(number(index), region: region, from: address(index)), isAttack: true)
        }
    }

    @Test func attackedPrefixIsBlockedWhileOtherUsersGetCodes() async throws {
        var simulation = try await simulation()
        try await attack(
            &simulation, number: { "+88018120\(10_000 + $0)" }, region: "BD",
            address: { "198.51.\($0 / 250).\($0 % 250)" })
        // Fifty before the first evaluation, and fifty each time the block ends: after one hour, and after two more.
        // The next block lasts four hours.
        #expect(simulation.attack == Outcome(sent: 150, refused: 9850))
        #expect(simulation.people == Outcome(sent: 72))
        let sending = try await simulation.process.sending()
        #expect(sending.spentThisDayMicros == 222 * 50_000)
        #expect(sending.blockedPrefixes.map(\.prefix) == ["+8801812"])
        let closed = try await simulation.process.rows("SELECT * FROM sending_events WHERE reason = 'conversion'")
        #expect(closed.count == 3)
    }

    @Test func oneAddressSendsTenMessages() async throws {
        var simulation = try await simulation()
        for index in 0..<200 {
            try await simulation.send(
                .example("+88018120\(10_000 + index)", region: "BD", from: "2001:db8::\(index)"), isAttack: true)
        }
        #expect(simulation.attack == Outcome(sent: 10, refused: 190))
    }

    /// Thousands of addresses send to fifty prefixes without earlier sign-ins: each prefix gets too few messages for
    /// conversion to detect them.
    @Test func newPrefixesCannotExceedTheirBudgetShare() async throws {
        var simulation = try await simulation()
        try await attack(
            &simulation, number: { "+8801\(810 + $0 % 50)\(100_000 + $0)" }, region: "BD",
            address: { "2001:db8:\(String($0, radix: 16))::1" })
        // Half of the 20 of each hour, until half of the daily 100 is spent.
        #expect((0..<6).map { simulation.spent[$0, default: 0] / 50_000 } == [212, 212, 212, 212, 212, 12])
        #expect(simulation.attack == Outcome(sent: 1000, refused: 9000))
        #expect(simulation.people == Outcome(sent: 72))
        // A user with a second factor can sign in with any prefix.
        try await simulation.send(.example("+33612345678", region: "FR", purpose: .secondFactor), isAttack: false)
        #expect(simulation.people.refused == 0)
    }

    /// The worst case: every number has a prefix that legitimate users have. Conversion detects nothing at first, but
    /// the budget holds, and its second-factor share stays available.
    @Test func attackOnEstablishedPrefixesIsBoundByBudget() async throws {
        var simulation = try await simulation()
        try await attack(
            &simulation, with: 3000, number: { "+49151\(20 + $0 % 20)\(300_000 + $0)" }, region: "DE",
            address: { "198.51.\($0 / 250).\($0 % 250)" })
        for (hour, spent) in simulation.spent { #expect(spent <= 16_000_000, "hour \(hour)") }
        // Exactly four fifths of the daily 100 are spent.
        #expect(simulation.attack.sent + simulation.people.sent == 1600)
        let before = simulation.people
        for index in 0..<20 { try await simulation.signInUser(500 + index, purpose: .secondFactor) }
        #expect(simulation.people == Outcome(sent: before.sent + 20, refused: before.refused))
    }

    /// Two processes send, refund and verify in random order: no hour and no day exceeds its budget, and the records
    /// match the real events.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func budgetsAreNeverExceeded(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let fixture = try await SendingFixture(.file)
        var policy = SendingPolicy()
        policy.resendDelays = []
        policy.prices.byRegion = ["DE": 70_000, "US": 8_000, "BD": 0]
        policy.budget.inHour = Int64.random(in: 100_000...2_000_000, using: &random)
        policy.budget.inDay = Int64.random(in: 100_000...4_000_000, using: &random)
        let processes = [try await fixture.process(policy), try await fixture.process(policy)]
        var spent: [Moment: Int64] = [:]
        var day: [Moment: Int64] = [:]
        var open: [(CountedSend, Moment)] = []
        for _ in 0..<300 {
            let process = processes[Int.random(in: 0...1, using: &random)]
            let now = fixture.clock.now
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let region = ["DE", "US", "BD", "FR"].randomElement(using: &random)
                let send = try CountedSend.example(
                    "+49151\(Int.random(in: 10_000_000...10_900_000, using: &random))", region: region,
                    purpose: try #require(CountedSend.Purpose.allCases.randomElement(using: &random)), from: nil)
                guard try await process.admit(send) == nil else { continue }
                open.append((send, now))
                let price = policy.price(in: region)
                spent[SendingScope.projectHour.window(at: now).start, default: 0] += price
                day[SendingScope.projectDay.window(at: now).start, default: 0] += price
            case 6 where !open.isEmpty:
                let (send, admittedAt) = open.removeLast()
                try await process.refund(send, admittedAt: admittedAt)
                let price = policy.price(in: send.number.region)
                spent[SendingScope.projectHour.window(at: admittedAt).start, default: 0] -= price
                day[SendingScope.projectDay.window(at: admittedAt).start, default: 0] -= price
            case 7 where !open.isEmpty:
                try await process.recordVerified(open.removeFirst().0)
            default:
                fixture.clock.advance(by: .seconds(Int.random(in: 1...1200, using: &random)))
            }
            #expect(spent.values.allSatisfy { $0 <= policy.budget.inHour ?? 0 })
            #expect(day.values.allSatisfy { $0 <= policy.budget.inDay ?? 0 })
        }
        let sending = try await processes[0].sending()
        let now = fixture.clock.now
        #expect(sending.spentThisHourMicros == spent[SendingScope.projectHour.window(at: now).start, default: 0])
        #expect(sending.spentThisDayMicros == day[SendingScope.projectDay.window(at: now).start, default: 0])
        for process in processes { await process.database.close() }
    }
}
