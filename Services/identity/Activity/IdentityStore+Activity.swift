import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// Adds to the counts of activity. Any number of processes may do so at once: the database adds.
    /// - Parameter increments: ordered. Those of a project that does not exist are dropped.
    func add(_ increments: [ActivityIncrement], idempotency call: IdempotentCall?) async throws -> EmptyReply {
        try await write(idempotency: call) { transaction in
            var isKnown: [String: Bool] = [ActivityIncrement.installation: true]
            for project in Set(increments.map(\.key.project)) where isKnown[project] == nil {
                let row = try transaction.firstRow(ProjectTable.byKey, [.project: project])
                isKnown[project] = row != nil && project != ProjectID.operators.rawValue
            }
            var rest = increments.filter { isKnown[$0.key.project] ?? false }[...]
            while let statement = ActivityCountTable.additions[min(rest.count, ActivityCountTable.rowsPerStatement)] {
                let rows = rest.prefix(ActivityCountTable.rowsPerStatement)
                rest = rest.dropFirst(rows.count)
                try transaction.execute(statement, [:], arguments: rows.flatMap(\.columns))
            }
            return EmptyReply()
        }
    }

    /// The amounts of each period by the name of the counter.
    /// - Parameter project: empty for the whole installation.
    func activity(of project: String, in periods: ActivityPeriods) async throws -> [String: [Int64]] {
        let last = periods.start + periods.resolution.period * (periods.count - 1)
        return try await database.longRead { transaction in
            let rows = try transaction.rows(
                ActivityCountTable.ofPeriods, [.project: project, .resolution: periods.resolution], periods.start, last)
            var counts: [String: [Int64]] = [:]
            for row in rows {
                let counter: String = try row.get(.counter)
                guard let index = periods.index(of: try row.get(.startsAt)) else { continue }
                counts[counter, default: Array(repeating: 0, count: periods.count)][index] = try row.get(.amount)
            }
            return counts
        }
    }

    /// The projects whose SMS cost most on the day of `now`.
    func costsOfDay(at now: Moment) async throws -> [Identity.ReadActivity.ProjectCost] {
        try await database.longRead { transaction in
            try transaction.rows(
                ActivityCountTable.costliest,
                [
                    .resolution: ActivityResolution.day,
                    .startsAt: now.windowStart(of: ActivityResolution.day.period),
                    .counter: ActivityCounter.smsCostMicros.name,
                ], Identity.ReadActivity.maximumCosts
            ).map { .init(project: try $0.get(.project), micros: try $0.get(.amount)) }
        }
    }

    /// Deletes the counts of past periods, and those of the future: a clock that was ahead has counted them.
    func pruneActivity(at now: Moment, batch: Int = 500) async throws {
        for resolution in ActivityResolution.allCases {
            for (statement, limit) in [
                (ActivityCountTable.removalOfPast, now - resolution.lifetime),
                (ActivityCountTable.removalOfFuture, ActivityResolution.latestStart(at: now)),
            ] {
                var deleted: Int
                repeat {
                    deleted = try await database.write { transaction in
                        try transaction.execute(statement, [.resolution: resolution], limit, batch)
                        return transaction.changes
                    }
                } while deleted == batch
            }
        }
    }
}

extension ActivityIncrement {
    fileprivate var columns: [any SQLConvertible] {
        [key.project, key.resolution, key.start, key.counter, amount] as [any SQLConvertible]
    }
}
