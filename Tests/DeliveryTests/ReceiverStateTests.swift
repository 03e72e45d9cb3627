import TestSupport
import Testing
import Vocabulary

@testable import Delivery

/// A receiver of a project.
struct Door: DeliveryReceiver {
    var number: Int
    var project: ProjectID?
}

private let start = ContinuousClock.now
private let failure = ReceiverReport.unavailable(reason: "unreachable")

@Suite struct ReceiverStateTests {
    private func limits(
        _ attempts: Int = 4, beginsWithOne: Bool = false, refusals: Int? = nil,
        longest: Duration = .seconds(60)
    ) -> DeliveryLimits {
        var limits = DeliveryLimits(attempts: attempts, backoff: Backoff(first: .seconds(1), longest: longest))
        limits.beginsWithOne = beginsWithOne
        limits.refusalsOfOutage = refusals
        return limits
    }

    private func attempt(
        _ state: inout ReceiverState, _ report: ReceiverReport, at now: ContinuousClock.Instant = start
    ) {
        state.begin()
        state.end(report, at: now, jitter: 1)
    }

    @Test func roomIsBoundedByLimit() {
        var state = ReceiverState(limits())
        #expect(state.room(at: start) == 4)
        for left in [3, 2, 1, 0] {
            state.begin()
            #expect(state.room(at: start) == left)
        }
        state.end(.works, at: start, jitter: 0)
        #expect(state.room(at: start) == 1)
    }

    @Test func firstAttemptIsAloneUntilSuccess() {
        var state = ReceiverState(limits(8, beginsWithOne: true))
        #expect(state.room(at: start) == 1 && state.isSlow)
        state.begin()
        #expect(state.room(at: start) == 0)
        state.end(.works, at: start, jitter: 1)
        #expect(state.room(at: start) == 8 && !state.isSlow)
    }

    @Test func outageAllowsOneProbeAtATimeWithGrowingDelay() {
        var state = ReceiverState(limits())
        var now = start
        var delays: [Int64] = []
        for _ in 0..<10 {
            attempt(&state, failure, at: now)
            #expect(state.room(at: now) == 0)
            let retryAt = state.outage?.retryAt ?? now
            delays.append((retryAt - now).components.seconds)
            #expect(state.room(at: retryAt - .milliseconds(1)) == 0)
            now = retryAt
            #expect(state.room(at: now) == 1)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
        #expect(state.outage?.since == start)
        // An attempt that did not reach it says nothing.
        attempt(&state, .nothing, at: now)
        #expect(state.outage != nil)
        attempt(&state, .works, at: now)
        #expect(state.outage == nil && state.room(at: now) == 4)
    }

    @Test func concurrentFailuresCountOnce() {
        var state = ReceiverState(limits())
        for _ in 0..<4 { state.begin() }
        for _ in 0..<3 { state.end(failure, at: start, jitter: 1) }
        #expect(state.room(at: start + .seconds(100)) == 0, "one is still under way")
        state.end(failure, at: start, jitter: 1)
        #expect(state.outage?.failures == 1)
        #expect(state.room(at: start + .milliseconds(999)) == 0)
        #expect(state.room(at: start + .seconds(1)) == 1)
    }

    /// A row that the receiver can never process delays no other.
    @Test func oneRefusedRowIsNoOutage() {
        var state = ReceiverState(limits(refusals: 5))
        for _ in 0..<100 { attempt(&state, .refused(reason: "500", row: "poisoned")) }
        #expect(state.outage == nil)
        for number in 1..<5 { attempt(&state, .refused(reason: "500", row: "\(number)")) }
        #expect(state.outage?.reason == "500")
        var other = ReceiverState(limits())
        for number in 0..<100 { attempt(&other, .refused(reason: "500", row: "\(number)")) }
        #expect(other.outage == nil)
    }

    @Test func requestedDelayIsRespected() {
        var state = ReceiverState(limits())
        attempt(&state, .unavailable(reason: "429", retryAfter: .seconds(600)))
        #expect(state.room(at: start + .seconds(599)) == 0)
        #expect(state.room(at: start + .seconds(600)) == 1)
    }

    @Test func goneReceiverBeginsAnew() {
        var state = ReceiverState(limits(8, beginsWithOne: true))
        attempt(&state, .works)
        for _ in 0..<2 { state.begin() }
        state.end(.gone, at: start, jitter: 1)
        #expect(state.inFlight == 1 && state.isSlow && state.outage == nil)
    }
}

@Suite struct ReceiverStatesTests {
    private static let limits: DeliveryLimits = {
        var limits = DeliveryLimits(
            attempts: 32, perReceiver: 8, backoff: Backoff(first: .seconds(1), longest: .seconds(60)))
        limits.slowAttempts = 16
        limits.beginsWithOne = true
        return limits
    }()

    private static func door(_ number: Int, of project: Int) -> Door {
        Door(number: number, project: ProjectID("p\(project)"))
    }

    /// Begins as many attempts as there is room for.
    private func fill(_ states: inout ReceiverStates<Door>, _ door: Door) -> Int {
        let room = states.room(for: door, at: start)
        for _ in 0..<room { states.begin(door) }
        return room
    }

    /// Receivers that do not respond leave room for the others, and those of one project for those of other projects.
    @Test(arguments: [(1, [8]), (2, [8, 4]), (5, [8, 4, 2, 1, 1]), (6, [8, 4, 2, 1, 1, 0])] as [(Int, [Int])])
    func slowReceiversShareHalfOfTheAttempts(projects: Int, shares: [Int]) {
        var states = ReceiverStates<Door>(Self.limits)
        var begun = Array(repeating: 0, count: projects)
        for number in 0..<projects * 100 {
            begun[number / 100] += fill(&states, Self.door(number, of: number / 100))
        }
        #expect(begun == shares)
        #expect(begun.reduce(0, +) <= 16)
        // One of them responds: it may use more, up to its own maximum.
        _ = states.end(Self.door(0, of: 0), .works, at: start, jitter: 1)
        let room = ProjectShares.room(of: 32, used: shares[0] - 1, byOthers: shares.dropFirst().reduce(0, +))
        let found = states.room(for: Self.door(0, of: 0), at: start)
        #expect(found == min(8, room) && found > 1)
    }

    /// Receivers of one project that answer late, with success, leave half of the attempts to others.
    @Test func lateReceiversOfAProjectLeaveRoom() {
        var states = ReceiverStates<Door>(Self.limits)
        for number in 0..<9 {
            let door = Self.door(number, of: number / 8)
            #expect(fill(&states, door) == 1)
            _ = states.end(door, .works, at: start, jitter: 1)
        }
        #expect((0..<8).map { fill(&states, Self.door($0, of: 0)) }.reduce(0, +) == 16)
        #expect(fill(&states, Self.door(8, of: 1)) == 8)
        #expect(states.inFlight == 24)
    }

    @Test func receiverWithoutProjectMayUseEveryAttempt() {
        var states = ReceiverStates<Door>(
            DeliveryLimits(attempts: 4, backoff: Backoff(first: .seconds(1), longest: .seconds(1))))
        #expect(states.hasRoom(at: start))
        #expect(fill(&states, Door(number: 1)) == 4)
        #expect(!states.hasRoom(at: start))
        #expect(states.room(for: Door(number: 2), at: start) == 0)
    }

    @Test func changesOfAnOutageAreReported() {
        var states = ReceiverStates<Door>(Self.limits)
        let door = Self.door(0, of: 0)
        func end(_ report: ReceiverReport, at now: ContinuousClock.Instant) -> OutageChange? {
            states.begin(door)
            return states.end(door, report, at: now, jitter: 1)
        }
        #expect(end(.works, at: start) == nil)
        guard case .began(let outage) = end(failure, at: start) else { Issue.record("no beginning"); return }
        #expect(outage.reason == "unreachable" && outage.since == start)
        #expect(end(failure, at: start + .seconds(1)) == nil)
        guard case .continues(let other) = end(.unavailable(reason: "tls"), at: start + .seconds(3)) else {
            Issue.record("the reason has changed")
            return
        }
        #expect(other.reason == "tls" && other.since == start)
        #expect(end(.nothing, at: start + .seconds(9)) == nil)
        #expect(end(.works, at: start + .seconds(9)) == .ended(after: .seconds(9)))
    }

    @Test func idleStatesAreRemoved() {
        var states = ReceiverStates<Door>(Self.limits)
        for number in 0..<ReceiverStates<Door>.maximumIdle * 2 {
            let door = Self.door(number, of: 0)
            states.begin(door)
            _ = states.end(door, .works, at: start, jitter: 1)
            #expect(states.count <= ReceiverStates<Door>.maximumIdle)
        }
    }
}
