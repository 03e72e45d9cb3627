package import SQL
package import ServiceRuntime
package import Vocabulary

/// The time of day for acts that cannot be undone, see `ClockTrust`. One per process and database.
package actor TrustedClock {
    /// Between two log lines about the same deviation, and between two stored times.
    private static let interval = Duration.seconds(60)

    private let database: any SQLDatabase
    private let wall: @Sendable () -> Moment
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let log: Log
    private var trust = ClockTrust()
    private var storedAt: ContinuousClock.Instant?
    private var deviation: (reason: ClockTrust.Deviation.Reason, loggedAt: ContinuousClock.Instant)?

    /// - Parameter database: migrated.
    package init(
        _ database: any SQLDatabase, now: @escaping @Sendable () -> Moment = WallClock.now,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, log: Log
    ) {
        self.database = database
        wall = now
        self.instant = instant
        self.log = log
    }

    /// - Returns: nil while the time is untrusted: no row may be deleted because of its age. The log records the
    ///   beginning, each minute, and the end.
    /// - Throws: `SQLError`.
    package func now() async throws -> Moment? {
        let (stored, server) = try await database.read { transaction in
            (try transaction.trustedTime(), try transaction.serverTime())
        }
        let reading = ClockTrust.Reading(
            wall: wall(), instant: instant(), stored: stored.map(Moment.init(milliseconds:)),
            server: server.map(Moment.init(milliseconds:)))
        switch trust.evaluate(reading) {
        case .untrusted(let deviation):
            report(deviation, at: reading.instant)
            return nil
        case .trusted:
            if deviation != nil { log.info(.clockTrusted, ["time": .public(reading.wall.text)]) }
            deviation = nil
            if storedAt.map({ $0.duration(to: reading.instant) >= Self.interval }) ?? true {
                try await database.write { transaction in try transaction.setTrustedTime(reading.wall.milliseconds) }
                trust.stored(reading.wall)
                storedAt = reading.instant
            }
            return reading.wall
        }
    }

    private func report(_ deviation: ClockTrust.Deviation, at instant: ContinuousClock.Instant) {
        let isNew = self.deviation?.reason != deviation.reason
        let isDue = self.deviation.map { $0.loggedAt.duration(to: instant) >= Self.interval } ?? true
        // A machine that was off needs no warning, but explains why no rows are deleted yet.
        let isOrdinary =
            switch deviation.reason {
            case .firstStart: true
            case .sinceEarlierProcess: deviation.aheadBy > .zero
            case .jump, .databaseServer, .otherProcess: false
            }
        guard isNew || isDue && !isOrdinary else { return }
        self.deviation = (deviation.reason, instant)
        if isOrdinary {
            log.info(
                .clockUnconfirmed,
                [
                    "reason": .public(deviation.reason.rawValue),
                    "aheadInSeconds": .public(deviation.aheadBy.components.seconds),
                    "nothingIsRemovedFor": .public(ClockTrust.confirmationTime),
                ])
        } else {
            log.warn(
                .clockDoubted,
                [
                    "reason": .public(deviation.reason.rawValue),
                    "aheadInSeconds": .public(deviation.aheadBy.components.seconds),
                    "effect": "nothing is removed because of its age",
                ])
        }
    }
}
