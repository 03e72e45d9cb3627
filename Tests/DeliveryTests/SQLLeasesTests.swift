import Delivery
import SQL
import TestSupport
import Testing
import Vocabulary

/// The leases of rows, on every engine.
@Suite struct SQLLeasesTests {
    private let clock = ManualClock()

    private func outbox(_ place: StoreLocation, holder: String = "a") async throws -> ParcelOutbox {
        try await ParcelOutbox(place.open(), holder: holder, Deliveries())
    }

    private func lease(_ outbox: ParcelOutbox, _ count: Int = 10, door: Int = 1) async throws -> [Int] {
        try await outbox.lease(upTo: count, for: Door(number: door), at: clock.now).map(\.id).sorted()
    }

    @Test(arguments: StoreEngine.allCases) func leaseIsExclusiveUntilItEnds(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outbox = try await outbox(place)
        try await outbox.insert([1, 2, 3], at: clock.now)
        try await outbox.insert([4], door: 2, at: clock.now)
        #expect(try await lease(outbox, 2).count == 2)
        #expect(try await outbox.receivers(at: clock.now).map(\.number) == [1, 2])
        #expect(try await lease(outbox).count == 1)
        #expect(try await lease(outbox).isEmpty)
        #expect(try await outbox.receivers(at: clock.now).map(\.number) == [2])
        clock.advance(by: .milliseconds(59_999))
        #expect(try await lease(outbox).isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(try await lease(outbox) == [1, 2, 3])
        #expect(try await lease(outbox, door: 2) == [4])
    }

    @Test(arguments: StoreEngine.allCases) func rowsThatWaitedLongestComeFirst(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outbox = try await outbox(place)
        for id in [3, 1, 2] {
            try await outbox.insert([id], at: clock.now)
            clock.advance(by: .seconds(1))
        }
        for id in [3, 1, 2] { #expect(try await lease(outbox, 1) == [id]) }
    }

    /// Another process has leased the row since: only that one records an outcome.
    @Test(arguments: StoreEngine.allCases) func lostLeaseRecordsNothing(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outbox = try await outbox(place)
        try await outbox.insert([1], at: clock.now)
        let first = try #require(try await outbox.lease(upTo: 1, for: Door(number: 1), at: clock.now).first)
        clock.advance(by: .seconds(60))
        // By the same process, too: the number distinguishes the leases.
        let second = try #require(try await outbox.lease(upTo: 1, for: Door(number: 1), at: clock.now).first)
        #expect(first.lease.number == 1 && second.lease.number == 2)
        try await outbox.record(true, of: first, at: clock.now, jitter: 0)
        #expect(try await outbox.count() == 1)
        #expect(try await lease(outbox).isEmpty)
        try await outbox.record(true, of: second, at: clock.now, jitter: 0)
        #expect(try await outbox.count() == 0)
    }

    @Test(arguments: StoreEngine.allCases) func onlyLeasesOfEndedProcessesAreReleased(engine: StoreEngine) async throws
    {
        let place = try await StoreLocation(engine)
        let outbox = try await outbox(place)
        try await outbox.insert([1, 2, 3], at: clock.now)
        var leased: [String: [Int]] = [:]
        for holder in ["dead", "alive"] {
            let other = ParcelOutbox(copying: outbox, holder: holder)
            leased[holder] = try await lease(other, holder == "dead" ? 2 : 1)
        }
        #expect(try await outbox.releaseLeases(ofEndedProcesses: { $0 == "dead" }, at: clock.now) == 2)
        #expect(try await lease(outbox) == leased["dead"])
        #expect(try await outbox.releaseLeases(ofEndedProcesses: { $0 == "dead" }, at: clock.now) == 0)
    }

    @Test(arguments: StoreEngine.allCases) func expiredRowIsNotLeased(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outbox = try await outbox(place)
        try await outbox.insert([1], at: clock.now)
        clock.advance(by: .seconds(3600))
        #expect(try await outbox.receivers(at: clock.now).isEmpty)
        #expect(try await lease(outbox).isEmpty)
    }

    /// A pause that begins in the future was begun by a clock that was ahead. A lease stays: its holder may be at work.
    @Test(arguments: StoreEngine.allCases, [-365 * 86_400, -600, -30] as [Int64])
    func pauseOfTheFutureDoesNotHold(engine: StoreEngine, seconds: Int64) async throws {
        let place = try await StoreLocation(engine)
        let outbox = try await outbox(place)
        try await outbox.insert([1, 2], at: clock.now)
        let leased = try await outbox.lease(upTo: 1, for: Door(number: 1), at: clock.now)
        clock.setWall(clock.now + .seconds(seconds))
        #expect(try await lease(outbox).count == 1)
        #expect(try await lease(outbox).isEmpty)
        try await outbox.record(false, of: try #require(leased.first), at: clock.now, jitter: 0)
        #expect(try await lease(outbox).count == 1)
    }

    @Test(arguments: StoreEngine.shared) func eachRowIsLeasedOnce(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outboxes = [try await outbox(place), try await outbox(place, holder: "b")]
        try await outboxes[0].insert(0..<40, at: clock.now)
        let now = clock.now
        let leased = try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask { try await outboxes[number % 2].lease(upTo: 4, for: Door(number: 1), at: now) }
            }
            return try await group.reduce(into: []) { $0 += $1.map(\.id) }
        }
        let rest = try await lease(outboxes[0], 40)
        #expect((leased + rest).sorted() == Array(0..<40))
    }
}
