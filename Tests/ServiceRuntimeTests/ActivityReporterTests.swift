import Bus
import Contracts
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import ServiceRuntime

@Suite struct ActivityReporterTests {
    private static let shop = ProjectID("shop")

    private final class Received: Sendable {
        struct Content {
            var batches: [String: Identity.RecordActivity] = [:]
            var calls = 0
            var error: ServiceError?
        }
        let content = Mutex(Content())

        var total: Int64 { content.withLock { $0.batches.values.flatMap(\.entries).reduce(0) { $0 + $1.amount } } }
        var calls: Int { content.withLock { $0.calls } }

        /// - Parameter error: of every following call; the batch is stored in spite of it.
        func fail(_ error: ServiceError?) { content.withLock { $0.error = error } }
    }

    private static func reporter(_ counts: ActivityCounts) -> (ActivityReporter, Received) {
        let received = Received()
        let mesh = ScriptedMesh(as: .gateway)
        mesh.reply(to: Identity.RecordActivity.self) { request, options in
            let key = try #require(options.idempotencyKey)
            return try received.content.withLock { content in
                content.calls += 1
                if let former = content.batches[key] { #expect(former == request) }
                content.batches[key] = request
                if let error = content.error { throw error }
                return EmptyReply()
            }
        }
        return (ActivityReporter(counts, peers: mesh, log: Log(instance: "test.1", write: { _ in })), received)
    }

    @Test func lostReplyIsRepeatedUnderItsKey() async throws {
        let counts = ActivityCounts()
        let (reporter, received) = Self.reporter(counts)
        await reporter.report(timeout: .seconds(1))
        #expect(received.calls == 0)
        for _ in 0..<3 { counts.count(.signUp(.password), in: Self.shop) }
        received.fail(ServiceError(.deadlineExceeded))
        await reporter.report(timeout: .seconds(1))
        counts.count(.signUp(.password), in: Self.shop, by: 4)
        received.fail(nil)
        await reporter.report(timeout: .seconds(1))
        #expect(received.total == 7)
        #expect(received.calls == 3)
    }

    @Test func refusedEntriesDoNotBlockLaterOnes() async throws {
        let counts = ActivityCounts()
        let (reporter, received) = Self.reporter(counts)
        counts.count(.smsCostMicros, in: nil)
        received.fail(ServiceError(.invalidRequest))
        await reporter.report(timeout: .seconds(1))
        received.fail(nil)
        await reporter.report(timeout: .seconds(1))
        #expect(received.calls == 1)
    }

    @Test func entriesSayHowLongAgoByTheSteadyClock() async throws {
        let clock = ManualClock()
        let counts = ActivityCounts(instant: { clock.instant })
        counts.count(.signUp(.password), in: Self.shop)
        counts.count(.signUp(.password), in: Self.shop)
        counts.count(.signUp(.password), in: Self.shop, by: 0)
        clock.advance(by: .seconds(100))
        counts.count(.signUp(.password), in: Self.shop)
        let entries = counts.take()
        #expect(entries.map(\.amount) == [2, 1])
        #expect(entries.map(\.ageSeconds) == [85, 0])
        #expect(counts.take().isEmpty)
    }

    @Test func entriesAreBounded() {
        let counts = ActivityCounts()
        for number in 0..<ActivityCounts.maximumEntries + 5 {
            counts.count(.signUp(.password), in: ProjectID("p\(number)"))
        }
        #expect(counts.takeDropped() == 5)
        #expect(counts.takeDropped() == 0)
        #expect(counts.take().count == Identity.RecordActivity.maximumEntries)
    }
}
