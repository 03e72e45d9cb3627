import Delivery
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

/// The loop with a database, on every engine that processes share.
@Suite(.serialized) struct DeliveryLoopTests {
    private let clock = ManualClock()
    private let deliveries = Deliveries()
    private let log = CapturedLines()

    private final class CapturedLines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        func count(of text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }
    }

    private func loop(
        _ outbox: ParcelOutbox, _ attempts: Int = 4, every interval: Duration = .milliseconds(5)
    ) -> DeliveryLoop<ParcelOutbox> {
        DeliveryLoop(
            outbox, DeliveryLimits(attempts: attempts, backoff: Backoff(first: .seconds(1), longest: .seconds(2))),
            every: interval,
            DeliveryEnvironment(
                now: { [clock] in clock.now }, instant: { [clock] in clock.instant }, jitter: { 1 },
                hasEnded: { $0 == "dead" }, log: Log(instance: "test.1", write: log.append)))
    }

    /// Runs loops until `body` ends.
    private func running(_ loops: [DeliveryLoop<ParcelOutbox>], _ body: () async throws -> Void) async throws {
        let tasks = loops.map { loop in Task { try await loop.run() } }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        for loop in loops { await loop.beginShutdown() }
        for task in tasks { try await task.value }
        try result.get()
    }

    @Test(arguments: StoreEngine.shared) func rowIsDeliveredOnceByTwoProcesses(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outboxes = [
            try await ParcelOutbox(place.open(), holder: "a", deliveries),
            try await ParcelOutbox(place.open(), holder: "b", deliveries),
        ]
        try await running(outboxes.map { loop($0) }) {
            for start in stride(from: 0, to: 200, by: 20) {
                try await outboxes[0].insert(start..<start + 20, door: 1 + start / 20 % 2, at: clock.now)
            }
            try await eventually("all were delivered") { try await outboxes[0].count() == 0 }
        }
        #expect(deliveries.delivered.sorted() == Array(0..<200))
    }

    /// The process stood still after its lease: another process may have sent the row meanwhile.
    @Test func attemptDoesNotBeginLongAfterItsLease() async throws {
        let leases = Mutex(0)
        let outbox = try await ParcelOutbox(StoreLocation(.memory).open(), holder: "a", deliveries) {
            [deliveries] parcel in
            deliveries.deliver(leases.withLock(\.self))
            return true
        } afterLease: { [clock] parcels in
            guard !parcels.isEmpty else { return }
            let count = leases.withLock { count in
                count += 1
                return count
            }
            clock.advance(by: count == 1 ? .seconds(11) : .seconds(10))
        }
        try await running([loop(outbox)]) {
            try await outbox.insert([7], at: clock.now)
            try await eventually("it was delivered") { try await outbox.count() == 0 }
        }
        #expect(deliveries.delivered == [2])
    }

    @Test(arguments: StoreEngine.shared) func rowsOfAnEndedProcessAreDeliveredAtOnce(engine: StoreEngine) async throws {
        let place = try await StoreLocation(engine)
        let outbox = try await ParcelOutbox(place.open(), holder: "a", deliveries)
        try await outbox.insert([1, 2, 3], at: clock.now)
        var leased: [String: [Int]] = [:]
        for holder in ["dead", "alive", "slow"] {
            leased[holder] = try await ParcelOutbox(copying: outbox, holder: holder)
                .lease(upTo: 1, for: Door(number: 1), at: clock.now).map(\.id)
        }
        try await running([loop(outbox)]) {
            // Its outcome is stored before the clock moves: its new lease would end with the others.
            try await eventually("the parcel of the dead was delivered") { try await outbox.count() == 2 }
            #expect(deliveries.delivered == leased["dead"])
            #expect(log.count(of: "delivery.leases-released outbox=parcels count=1") == 1)
            clock.advance(by: .seconds(60))
            try await eventually("those of ended leases were delivered") { try await outbox.count() == 0 }
        }
        #expect(deliveries.delivered.sorted() == [1, 2, 3])
    }

    @Test func committedRowDoesNotWaitForAPoll() async throws {
        let outbox = try await ParcelOutbox(StoreLocation(.memory).open(), holder: "a", deliveries)
        let loop = loop(outbox, every: .seconds(600))
        try await running([loop]) {
            for id in 0..<20 {
                try await outbox.insert([id], at: clock.now)
                loop.wake()
                try await eventually("it was delivered") { deliveries.delivered.count == id + 1 }
            }
        }
    }

    @Test func outageIsProbedAndLosesNothing() async throws {
        let isOpen = Atomic(false)
        let attempts = Atomic(0)
        let outbox = try await ParcelOutbox(StoreLocation(.memory).open(), holder: "a", deliveries) { parcel in
            attempts.add(1, ordering: .relaxed)
            guard isOpen.load(ordering: .relaxed) else { return false }
            deliveries.deliver(parcel)
            return true
        }
        try await outbox.insert(0..<10, at: clock.now)
        let loop = loop(outbox)
        try await running([loop]) {
            try await eventually("the first four failed") {
                deliveries.shown == ["closed 1"] && attempts.load(ordering: .relaxed) == 4
            }
            try await eventually("a probe failed") {
                clock.advanceSteady(by: .milliseconds(100))
                return attempts.load(ordering: .relaxed) > 4
            }
            #expect(deliveries.shown == ["closed 1"] && deliveries.delivered.isEmpty)
            isOpen.store(true, ordering: .relaxed)
            try await eventually("all were delivered") {
                clock.advanceSteady(by: .milliseconds(100))
                return try await outbox.count() == 0
            }
            #expect(deliveries.shown == ["closed 1", "open 1"])
        }
        #expect(deliveries.delivered.sorted() == Array(0..<10))
    }

    @Test func outcomeIsStoredAfterFailuresOfTheStore() async throws {
        let outbox = try await ParcelOutbox(StoreLocation(.memory).open(), holder: "a", deliveries)
        try await outbox.insert([1], at: clock.now)
        deliveries.failStore(2)
        try await running([loop(outbox)]) {
            try await eventually("the outcome was stored") { try await outbox.count() == 0 }
        }
        #expect(deliveries.delivered == [1])
        #expect(log.count(of: "delivery.store-failed outbox=parcels") == 1)
    }

    // MARK: Stop

    @Test func attemptInFlightEndsBeforeTheProcess() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (finished, finish) = AsyncStream.makeStream(of: Void.self)
        let outbox = try await ParcelOutbox(StoreLocation(.memory).open(), holder: "a", deliveries) { parcel in
            begin.yield()
            for await _ in finished { break }
            deliveries.deliver(parcel)
            return true
        }
        try await outbox.insert([1], at: clock.now)
        let loop = loop(outbox, 1)
        let running = Task { try await loop.run() }
        for await _ in begun { break }
        await loop.beginShutdown()
        try await outbox.insert([2], at: clock.now)
        finish.yield()
        try await running.value
        #expect(deliveries.delivered == [1])
        #expect(try await outbox.count() == 1)
    }

    @Test func attemptThatHangsIsCancelledAndKept() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        let outbox = try await ParcelOutbox(StoreLocation(.memory).open(), holder: "a", deliveries) { _ in
            begin.yield()
            return await resultUnlessCancelled {
                for await _ in never {}
                return true
            }
        }
        try await outbox.insert([1], at: clock.now)
        let loop = loop(outbox)
        let running = Task { try await loop.run() }
        for await _ in begun { break }
        await loop.beginShutdown()
        try await running.value
        #expect(try await outbox.receivers(at: clock.now) == [Door(number: 1)])
    }
}

@Suite struct CancellableResultTests {
    @Test func resultOfTheWorkIsReturned() async {
        #expect(await resultUnlessCancelled { 7 } == 7)
    }

    /// Work that ignores its cancellation is not awaited.
    @Test func cancelledTaskReturnsBeforeTheWork() async {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (finished, finish) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await resultUnlessCancelled {
                begin.yield()
                await Task { for await _ in finished {} }.value
                return 7
            }
        }
        for await _ in begun { break }
        task.cancel()
        #expect(await task.value == nil)
        finish.finish()
    }

    @Test func cancelledTaskBeginsNoWork() async {
        let hasBegun = Atomic(false)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await resultUnlessCancelled { hasBegun.store(true, ordering: .relaxed) }
        }
        #expect(await task.value == nil)
        let isBegun = hasBegun.load(ordering: .relaxed)
        #expect(!isBegun)
    }
}
