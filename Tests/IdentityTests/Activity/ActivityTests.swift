import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite(.serialized) struct ActivityTests {
    private static let project = IdentityFixture.realm.project
    private static let signIn = ActivityCounter.signIn(.password, .accepted)

    private static func record(
        _ amount: Int64, of counter: ActivityCounter = Self.signIn, in project: ProjectID? = Self.project,
        ago seconds: Int64 = 0,
        _ fixture: IdentityFixture, key: String? = nil
    ) async throws {
        _ = try await fixture.send(
            Identity.RecordActivity(entries: [
                .init(project: project, counter: counter, amount: amount, ageSeconds: seconds)
            ]), idempotencyKey: key)
    }

    private static func read(
        _ span: Identity.ReadActivity.Span, of project: ProjectID? = Self.project, _ fixture: IdentityFixture
    ) async throws -> [Int64] {
        let reply = try await fixture.send(Identity.ReadActivity(project: project, span: span))
        return reply.counts[signIn.name] ?? []
    }

    private static func rows(_ fixture: IdentityFixture) async throws -> [String: Int64] {
        try await fixture.store.read { transaction in
            let rows = try transaction.rows("SELECT resolution, COUNT(*) AS n FROM activity_counts GROUP BY resolution")
            return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.get("resolution"), try $0.get("n")) })
        }
    }

    /// Several processes add to the same periods; the installation has the sum of all projects.
    @Test(arguments: StoreEngine.allCases) func amountsAddUp(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        _ = try await fixture.send(Identity.ReadConfiguration(project: ProjectID("other")))
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await Self.record(2, fixture) } }
            try await group.waitForAll()
        }
        try await Self.record(5, in: ProjectID("other"), fixture)
        try await Self.record(3, in: nil, fixture)
        try await Self.record(7, ago: 70, fixture)
        for span in Identity.ReadActivity.Span.allCases {
            #expect(try await Self.read(span, fixture).reduce(0, +) == 23)
            #expect(try await Self.read(span, of: nil, fixture).reduce(0, +) == 31)
        }
        #expect(try await Self.read(.hour, fixture).suffix(2) == [7, 16])
        #expect(try await Self.read(.hour, fixture).count == 60)
        #expect(try await Self.read(.day, fixture).count == 24)
        #expect(try await Self.read(.month, fixture).count == 31)
    }

    /// One engine would make a number with a fraction of it, and the other would refuse every further report.
    @Test(arguments: StoreEngine.allCases) func sumStaysAtTheHighestAmount(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await Self.record(2, fixture)
        let entry = Identity.RecordActivity.Entry(
            project: Self.project, counter: Self.signIn, amount: 1, ageSeconds: 0)
        for _ in 0..<2 {
            let increments = ActivityIncrement.all(of: [entry], at: fixture.clock.now).map {
                ActivityIncrement(key: $0.key, amount: .max - 1)
            }
            _ = try await fixture.store.add(increments, idempotency: nil)
            #expect(try await Self.read(.hour, fixture).last == .max)
        }
        try await Self.record(1, fixture)
        #expect(try await Self.read(.hour, of: nil, fixture).last == .max)
    }

    /// A reporter repeats a request whose reply was lost.
    @Test func repeatedRequestCountsOnce() async throws {
        let fixture = try await IdentityFixture()
        let key = String(repeating: "a", count: 32)
        for _ in 0..<3 { try await Self.record(2, fixture, key: key) }
        #expect(try await Self.read(.hour, fixture).last == 2)
    }

    /// The table is bounded by projects, counters and periods, whatever a process sends.
    @Test func unknownCountersAndProjectsAddNoRow() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        var entry = Identity.RecordActivity.Entry(
            project: Self.project, counter: Self.signIn, amount: 1, ageSeconds: 0)
        entry.counter = "signIn.magic.accepted"
        _ = try await fixture.send(Identity.RecordActivity(entries: [entry]))
        #expect(try await Self.rows(fixture).isEmpty)
        try await Self.record(1, in: ProjectID("nowhere"), fixture)
        try await Self.record(1, in: .operators, fixture)
        try await Self.record(0, fixture)
        try await Self.record(-5, fixture)
        #expect(try await Self.rows(fixture) == ["minute": 1, "hour": 1, "day": 1])
        #expect(try await Self.read(.hour, of: nil, fixture).last == 2)
        await #expect(throws: ServiceError(.projectNotFound)) {
            try await Self.read(.hour, of: ProjectID("nowhere"), fixture)
        }
        let many = Array(repeating: entry, count: Identity.RecordActivity.maximumEntries + 1)
        await #expect(throws: (any Error).self) { try await fixture.send(Identity.RecordActivity(entries: many)) }
    }

    @Test(arguments: StoreEngine.allCases) func rowsEndWithTheirResolution(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        try await Self.record(1, fixture)
        let counted = fixture.clock.now
        let ends: [(Duration, [String: Int64])] = [
            (.seconds(2 * 3600 - 60), ["minute": 2, "hour": 2, "day": 2]),
            (.seconds(2 * 3600 + 60), ["hour": 2, "day": 2]),
            (.seconds(3 * 86_400 - 3600), ["hour": 2, "day": 2]),
            (.seconds(3 * 86_400 + 3600), ["day": 2]),
            (.seconds(399 * 86_400), ["day": 2]),
            (.seconds(401 * 86_400), [:]),
        ]
        for (age, rows) in ends {
            try await fixture.store.pruneActivity(at: counted + age, batch: 1)
            #expect(try await Self.rows(fixture) == rows, "\(age)")
        }
    }

    /// The sender has a steady clock, so only the clock of identity counts. What it counted while it was ahead is not shown,
    /// and is deleted when the clock is right again.
    @Test func clockThatWasAheadLeavesNothing() async throws {
        let fixture = try await IdentityFixture()
        try await Self.record(1, fixture)
        let right = fixture.clock.now
        fixture.clock.setWall(right + .seconds(500 * 86_400))
        try await Self.record(64, fixture)
        fixture.clock.setWall(right)
        for span in Identity.ReadActivity.Span.allCases {
            #expect(try await Self.read(span, fixture).reduce(0, +) == 1)
        }
        try await fixture.store.pruneActivity(at: right)
        #expect(try await Self.rows(fixture) == ["minute": 2, "hour": 2, "day": 2])
    }

    @Test func projectsWithTheHighestCostOfTodayComeFirst() async throws {
        let fixture = try await IdentityFixture()
        for (project, micros) in [("a", 50_000), ("b", 70_000), ("c", 0)] as [(String, Int64)] {
            _ = try await fixture.send(Identity.ReadConfiguration(project: ProjectID(project)))
            try await Self.record(micros, of: .smsCostMicros, in: ProjectID(project), fixture)
        }
        let costs = try await fixture.send(Identity.ReadActivity(span: .day)).costsOfToday
        #expect(costs.map(\.project.rawValue) == ["b", "a"])
        #expect(costs.map(\.micros) == [70_000, 50_000])
        #expect(try await fixture.send(Identity.ReadActivity(project: Self.project, span: .day)).costsOfToday == [])
        fixture.clock.advance(by: .seconds(86_400))
        #expect(try await fixture.send(Identity.ReadActivity(span: .day)).costsOfToday == [])
    }

    @Test func everyReadUsesAnIndex() async throws {
        let fixture = try await IdentityFixture()
        for (text, parameters) in [(ActivityCountTable.ofPeriods.text, 4), (ActivityCountTable.costliest.text, 4)] {
            let plan = try await fixture.store.read { transaction in
                try transaction.rows(
                    "EXPLAIN QUERY PLAN " + text, parameters: Array(repeating: .integer(1), count: parameters)
                ).map { try $0.get("detail") as String }
            }
            #expect(plan.first.map { $0.hasPrefix("SEARCH ") && $0.contains("INDEX") } == true, "\(plan)")
        }
    }

    @Test func everyCounterHasAnOwnName() {
        let names = ActivityCounter.all.map(\.name)
        #expect(Set(names).count == names.count)
        for counter in ActivityCounter.all { #expect(ActivityCounter(name: counter.name) == counter) }
        #expect(ActivityCounter.RequestDuration(.zero) == .under5ms)
        #expect(ActivityCounter.RequestDuration(.milliseconds(5)) == .under10ms)
        #expect(ActivityCounter.RequestDuration(.seconds(60)) == .longer)
    }
}
