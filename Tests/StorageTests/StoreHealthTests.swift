import Contracts
import SQL
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite struct StoreHealthStateTests {
    private let start = ContinuousClock().now
    private let away = StoreProblem(word: "unavailable", reason: "the database cannot be reached: gone")

    @Test func singleFailureIsNoOutage() {
        var state = StoreHealthState()
        #expect(state.receive(.failed(away), at: start) == nil)
        #expect(state.outage == nil)
        #expect(state.receive(.working, at: start + .seconds(1)) == nil)
        #expect(state.receive(.failed(away), at: start + .seconds(2)) == nil)
        #expect(state.outage == nil)
    }

    /// A read costs nothing, and a commit is the only check that detects a full disk.
    @Test func everyThirdCheckCommits() {
        var state = StoreHealthState()
        var kinds: [StoreCheckKind] = []
        for second in 0..<6 {
            kinds.append(state.next.kind)
            #expect(!state.next.isRepetition)
            _ = state.receive(.working, at: start + .seconds(second))
        }
        #expect(kinds == [.read, .read, .commit, .read, .read, .commit])
    }

    @Test func failedCheckIsRepeatedSoonWithCommit() {
        var state = StoreHealthState()
        _ = state.receive(.failed(away), at: start)
        #expect(state.next == (.commit, true))
        _ = state.receive(.failed(away), at: start + .seconds(1))
        #expect(state.next == (.commit, false))
        _ = state.receive(.working, at: start + .seconds(2))
        #expect(state.next == (.read, false))
    }

    @Test func hangingCheckIsOutage() {
        var state = StoreHealthState()
        #expect(state.receive(.unanswered, at: start) == .lost(.unanswered))
    }

    /// One line at the change, one a minute, one at the recovery.
    @Test func outageLogsOneLinePerMinute() {
        var state = StoreHealthState()
        var changes: [Int: StoreHealthState.Change] = [:]
        for second in 0..<150 {
            changes[second] = state.receive(.failed(away), at: start + .seconds(second))
        }
        changes[150] = state.receive(.working, at: start + .seconds(150))
        changes[151] = state.receive(.working, at: start + .seconds(151))
        #expect(
            changes == [
                1: .lost(away), 61: .stillLost(away, .seconds(61)), 121: .stillLost(away, .seconds(121)),
                150: .recovered(.seconds(150)),
            ])
        #expect(state.outage == nil)
    }

    @Test func latestProblemIsReported() {
        var state = StoreHealthState()
        _ = state.receive(.unanswered, at: start)
        _ = state.receive(.failed(away), at: start + .seconds(1))
        #expect(state.outage == .init(problem: away, since: start))
    }

    /// The public word contains neither a path nor an address.
    @Test(arguments: [
        (SQLError.unavailable("db.example refused"), "unavailable"), (.damaged(path: "/x"), "damaged"),
        (.readOnly(path: "/x"), "read-only"), (.full, "no room"), (.busy, "busy"),
        (.other(code: "1", message: "secret"), "failed"),
    ])
    func problemsHavePublicNames(error: SQLError, word: String) {
        guard case .failed(let problem) = StoreCheckResult(error) else {
            Issue.record("it was taken for working")
            return
        }
        #expect(problem.word == word)
        #expect(!problem.reason.contains("secret"))
    }

    @Test(arguments: [SQLError.overloaded, .replaced, .closed]) func unrelatedErrorsAreNoStoreProblem(error: SQLError) {
        #expect(StoreCheckResult(error) == .working)
    }
}

@Suite struct StoreHealthTests {
    private let metrics = Metrics()
    private let lines = Lines()

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        func count(of text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }
    }

    private var outage: ProcessReport.Metric? { metrics.snapshot().first(where: \.isStoreOutage) }

    private func value(_ name: String) -> Double? { metrics.snapshot().first { $0.name == name }?.value }

    @Test func outageIsMeasuredAndLogged() async throws {
        let problem = Mutex<SQLError?>(nil)
        let checks = Atomic(0)
        let probe = StoreProbe("database") { _ in
            checks.add(1, ordering: .relaxed)
            if let problem = problem.withLock(\.self) { throw problem }
        }
        let health = StoreHealth(
            probe, metrics: metrics, log: Log(instance: "test", write: lines.append), every: .milliseconds(5))
        let running = Task { try await health.run() }
        try await eventually("it was checked") { checks.load(ordering: .relaxed) > 3 }
        #expect(value("latchkey_storage_failed_checks_total") == 0)
        #expect(value("latchkey_storage_outage_seconds") == 0)
        #expect(outage == nil)

        problem.withLock { $0 = .unavailable("gone") }
        try await eventually("the outage is measured") { outage != nil }
        #expect((value("latchkey_storage_failed_checks_total") ?? 0) >= 2)
        #expect(outage?.labels == ["component": "store database", "reason": "unavailable"])

        problem.withLock { $0 = nil }
        try await eventually("the outage is over") { outage == nil }
        try await eventually("the log has the event") { lines.count(of: "store.recovered") == 1 }
        #expect(lines.count(of: "error test store.lost store=database problem=unavailable") == 1)
        await health.beginShutdown()
        try await running.value
    }

    /// A server behind a broken network: the check neither succeeds nor fails, and only one runs.
    @Test func hangingCheckIsNotRepeated() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Never.self)
        let checks = Atomic(0)
        let probe = StoreProbe("database") { _ in
            checks.add(1, ordering: .relaxed)
            for await _ in gate {}
        }
        let health = StoreHealth(
            probe, metrics: metrics, log: Log(instance: "test", write: lines.append), every: .milliseconds(1),
            timeout: .milliseconds(5))
        let running = Task { try await health.run() }
        try await eventually("failed checks are counted") { (value("latchkey_storage_failed_checks_total") ?? 0) > 3 }
        #expect(checks.load(ordering: .relaxed) == 1)
        #expect(lines.count(of: "problem=\"no answer\"") == 1)
        open.finish()
        try await eventually("it had recovered") { lines.count(of: "store.recovered") == 1 }
        await health.beginShutdown()
        try await running.value
    }
}
