import TestSupport
import Testing
import Vocabulary

@testable import Delivery

/// The decisions, without tasks, clocks and databases.
@Suite struct DeliveryStateTests {
    private typealias State = DeliveryState<Door, Int, Bool>

    private static let door = Door(number: 1)
    private static let start = ContinuousClock.now

    private static func limits(_ attempts: Int = 2, pace: Duration = .zero) -> DeliveryLimits {
        var limits = DeliveryLimits(
            attempts: attempts, backoff: Backoff(first: .seconds(1), longest: .seconds(4)))
        limits.pace = pace
        return limits
    }

    /// The actions as text, and the state that decided them.
    private struct Machine {
        var state: State
        var now = DeliveryStateTests.start

        init(_ limits: DeliveryLimits = DeliveryStateTests.limits()) {
            state = State(limits)
        }

        mutating func receive(_ input: State.Input) -> [String] {
            state.receive(input, at: now, jitter: 1).map { action in
                switch action {
                case .releaseLeases: "release"
                case .poll(let delay): "poll after \(delay.saturatedMilliseconds)"
                case .findReceivers: "find"
                case .lease(let door, let count): "lease \(count) for \(door.number)"
                case .attempt(let id, let item): "attempt \(id) \(item)"
                case .record(let id, let item, let isDelivered, let delay):
                    "record \(id) \(item) \(isDelivered) after \(delay.saturatedMilliseconds)"
                case .abandon: "abandon"
                case .report(.began(let outage), of: let door): "\(outage.reason) at \(door.number)"
                case .report(.continues(let outage), of: let door): "now \(outage.reason) at \(door.number)"
                case .report(.ended, of: let door): "end at \(door.number)"
                case .drain(let time): "drain \(time.components.seconds)"
                case .cancelAll: "cancel"
                case .finish: "finish"
                }
            }
        }

        /// From a commit to the attempts for these rows.
        mutating func begin(_ items: [Int]) {
            _ = receive(.woken)
            _ = receive(.pollDue)
            _ = receive(.found([DeliveryStateTests.door]))
            _ = receive(.leased(items))
        }
    }

    @Test func startReleasesLeasesBeforeTheFirstPoll() {
        var machine = Machine()
        #expect(machine.receive(.started) == ["release"])
        // A commit meanwhile adds no second poll.
        #expect(machine.receive(.woken) == ["poll after 0"])
        #expect(machine.receive(.pollDue) == [])
        #expect(machine.receive(.leasesReleased) == ["poll after 0"])
        #expect(machine.receive(.woken) == [])
        #expect(machine.receive(.pollDue) == ["find"])
    }

    @Test func rowIsLeasedAttemptedAndRecorded() {
        var machine = Machine()
        #expect(machine.receive(.woken) == ["poll after 0"])
        #expect(machine.receive(.pollDue) == ["find"])
        #expect(machine.receive(.found([Self.door])) == ["lease 2 for 1"])
        #expect(machine.receive(.leased([7])) == ["attempt 1 7"])
        #expect(machine.receive(.attempted(1, true, .works)) == ["record 1 7 true after 0"])
        #expect(machine.state.inFlight == 1)
        // The receiver may have a row that waited for this one.
        #expect(machine.receive(.recorded(1)) == ["poll after 0"])
        #expect(machine.state.inFlight == 0)
        #expect(machine.receive(.pollDue) == ["find"])
        #expect(machine.receive(.found([])) == [])
    }

    /// Rows that were committed during a poll may have come too late for it.
    @Test func commitDuringAPollIsFollowedByAnother() {
        var machine = Machine()
        _ = machine.receive(.woken)
        _ = machine.receive(.pollDue)
        #expect(machine.receive(.woken) == ["poll after 0"])
        #expect(machine.receive(.pollDue) == [])
        #expect(machine.receive(.found([])) == ["poll after 0"])
        #expect(machine.receive(.pollDue) == ["find"])
    }

    @Test func receiversTakeTurnsWithinTheLimit() {
        var machine = Machine(Self.limits(3))
        _ = machine.receive(.woken)
        _ = machine.receive(.pollDue)
        #expect(machine.receive(.found([Self.door, Door(number: 2)])) == ["lease 3 for 1"])
        #expect(machine.receive(.leased([7, 8])) == ["attempt 1 7", "attempt 2 8", "lease 1 for 2"])
        #expect(machine.receive(.leased([9])) == ["attempt 3 9"])
        // Nothing is read while every attempt is in use.
        _ = machine.receive(.woken)
        #expect(machine.receive(.pollDue) == [])
        #expect(!machine.state.hasRoom(at: Self.start))
    }

    @Test func receiverWithAnOutageGetsAProbe() {
        var machine = Machine()
        machine.begin([7])
        _ = machine.receive(.attempted(1, false, .unavailable(reason: "tls")))
        #expect(machine.receive(.recorded(1)) == ["tls at 1", "poll after 0"])
        #expect(!machine.state.hasRoom(at: Self.start))
        _ = machine.receive(.pollDue)
        #expect(machine.receive(.found([Self.door, Door(number: 2)])) == ["lease 2 for 2"])
        _ = machine.receive(.leased([]))
        machine.now += .seconds(1)
        _ = machine.receive(.woken)
        _ = machine.receive(.pollDue)
        #expect(machine.receive(.found([Self.door])) == ["lease 1 for 1"])
        #expect(machine.receive(.leased([7])) == ["attempt 2 7"])
        _ = machine.receive(.attempted(2, true, .works))
        #expect(machine.receive(.recorded(2)) == ["end at 1", "poll after 0"])
    }

    @Test func rowsOfABusyProcessShareAPoll() {
        var machine = Machine(Self.limits(pace: .milliseconds(250)))
        #expect(machine.receive(.woken) == ["poll after 0"])
        _ = machine.receive(.pollDue)
        _ = machine.receive(.found([]))
        machine.now += .milliseconds(100)
        #expect(machine.receive(.woken) == ["poll after 150"])
        #expect(machine.receive(.woken) == [])
        machine.now += .milliseconds(150)
        #expect(machine.receive(.pollDue) == ["find"])
        _ = machine.receive(.found([Self.door]))
        _ = machine.receive(.leased([7]))
        // What follows an attempt is not delayed.
        _ = machine.receive(.attempted(1, true, .works))
        #expect(machine.receive(.recorded(1)) == ["poll after 0"])
    }

    @Test func failedRecordIsRepeatedAndThenAbandoned() {
        var machine = Machine()
        machine.begin([7])
        _ = machine.receive(.attempted(1, true, .works))
        for delay in [100, 1000, 4000, 10_000] {
            #expect(machine.receive(.recordFailed(1)) == ["record 1 7 true after \(delay)"])
        }
        #expect(machine.receive(.recordFailed(1)) == ["abandon", "poll after 0"])
        #expect(machine.state.inFlight == 0)
        #expect(DeliveryLease.recordDelays.reduce(.zero, +) < DeliveryLease.margin)
    }

    @Test func failedPollIsFollowedByTheNextOne() {
        var machine = Machine()
        _ = machine.receive(.woken)
        _ = machine.receive(.pollDue)
        #expect(machine.receive(.storeFailed) == [])
        #expect(machine.receive(.woken) == ["poll after 0"])
        #expect(machine.receive(.pollDue) == ["find"])
    }

    // MARK: Stop

    @Test func idleProcessStopsAtOnce() {
        var machine = Machine()
        _ = machine.receive(.started)
        _ = machine.receive(.leasesReleased)
        #expect(machine.receive(.stopRequested) == ["finish"])
    }

    @Test func stopWaitsForAttemptsAndRecords() {
        var machine = Machine()
        machine.begin([7, 8])
        #expect(machine.receive(.stopRequested) == ["drain 3"])
        #expect(machine.receive(.woken) == [])
        #expect(machine.receive(.attempted(1, true, .works)) == ["record 1 7 true after 0"])
        #expect(machine.receive(.recorded(1)) == [])
        #expect(machine.receive(.drainTimePassed) == ["cancel"])
        #expect(machine.receive(.attempted(2, false, .nothing)) == ["record 2 8 false after 0"])
        // There is no time for another attempt to store it.
        #expect(machine.receive(.recordFailed(2)) == ["abandon", "finish"])
    }

    /// What was leased while the process began to stop is delivered, too.
    @Test func stopWaitsForTheStore() {
        var machine = Machine()
        _ = machine.receive(.woken)
        _ = machine.receive(.pollDue)
        _ = machine.receive(.found([Self.door]))
        #expect(machine.receive(.stopRequested) == ["drain 3"])
        #expect(machine.receive(.leased([7])) == ["attempt 1 7"])
        _ = machine.receive(.attempted(1, true, .works))
        #expect(machine.receive(.recorded(1)) == ["finish"])
        var other = Machine()
        _ = other.receive(.woken)
        _ = other.receive(.pollDue)
        _ = other.receive(.stopRequested)
        #expect(other.receive(.found([Self.door])) == ["finish"])
    }

    // MARK: Faults

    /// Whatever fails and in whatever order results arrive: no limit is exceeded, each row is delivered at least once, and
    /// the process finishes after a stop.
    @Test(arguments: 0..<300 as Range<UInt64>) func everyRowIsDelivered(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var state = State(Self.limits(3))
        var now = Self.start
        var waiting = Set(0..<20)
        var delivered: Set<Int> = []
        var pending: [State.Input] = [.started]
        var inFlight = 0
        var isFinished = false
        var steps = 0
        while !isFinished, steps < 20_000 {
            steps += 1
            now += .milliseconds(Int.random(in: 0...200, using: &random))
            if pending.isEmpty { pending.append(delivered.count == 20 ? .stopRequested : .woken) }
            let input = pending.remove(at: Int.random(in: pending.indices, using: &random))
            for action in state.receive(input, at: now, jitter: Double.random(in: 0..<1, using: &random)) {
                let fails = Int.random(in: 0..<4, using: &random) == 0
                switch action {
                case .releaseLeases: pending.append(.leasesReleased)
                case .poll: pending.append(.pollDue)
                case .findReceivers:
                    let doors = (0..<3).map { Door(number: $0) }
                        .filter { door in waiting.contains { $0 % 3 == door.number } }
                    pending.append(fails ? .storeFailed : .found(doors.shuffled(using: &random)))
                case .lease(let door, let count):
                    let rows = waiting.filter { $0 % 3 == door.number }.prefix(count)
                    if !fails { waiting.subtract(rows) }
                    pending.append(fails ? .storeFailed : .leased(Array(rows)))
                case .attempt(let id, let item):
                    inFlight += 1
                    if !fails { delivered.insert(item) }
                    pending.append(.attempted(id, !fails, fails ? .unavailable(reason: "lost") : .works))
                case .record(let id, let item, let isDelivered, after: _):
                    if !fails, !isDelivered { waiting.insert(item) }
                    if !fails { inFlight -= 1 }
                    pending.append(fails ? .recordFailed(id) : .recorded(id))
                case .abandon:
                    inFlight -= 1
                    // The leases end.
                    waiting.formUnion(Set(0..<20).subtracting(delivered))
                case .report, .drain, .cancelAll: break
                case .finish: isFinished = true
                }
            }
            #expect(state.inFlight <= 3)
            #expect(inFlight >= 0)
        }
        #expect(isFinished && delivered.count == 20 && state.inFlight == 0)
    }
}
