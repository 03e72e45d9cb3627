package import Vocabulary

/// Decides whether the time of day is reliable enough for acts that cannot be undone, such as deleting expired rows.
///
/// The time is trusted while it advances from the last trusted time as a steady clock does. That time is stored, so the
/// rule also holds across processes and restarts. A time that differs is untrusted: the clock may have jumped, or the
/// machine was off. It is trusted again once it has advanced steadily for `confirmationTime`. While the database server
/// or another process uses a different time, it stays untrusted.
package struct ClockTrust: Sendable {
    /// Clocks of different machines, and one clock before and after a correction, may differ by this much.
    package static let tolerance = Duration.seconds(5 * 60)
    /// Longer than a wrong clock usually stays unnoticed, and short against the lifetimes of what is removed.
    package static let confirmationTime = Duration.seconds(60 * 60)

    package struct Reading: Sendable {
        package var wall: Moment
        package var instant: ContinuousClock.Instant
        /// The last time that any process trusted and stored.
        package var stored: Moment?
        /// The time of the database server; nil if it has no clock of its own.
        package var server: Moment?
    }

    /// How an untrusted clock differs.
    package struct Deviation: Equatable, Sendable {
        package enum Reason: String, Sendable {
            /// No trusted time is stored yet.
            case firstStart
            /// More or less time has passed since the last trusted time of an earlier process.
            case sinceEarlierProcess
            /// The clock was changed while this process ran.
            case jump
            /// The clock of the database server differs.
            case databaseServer
            /// Another process that shares the database trusts another time.
            case otherProcess
        }

        package var reason: Reason
        /// How far the clock is ahead of the other one; negative if it is behind.
        package var aheadBy: Duration
    }

    package enum Decision: Equatable, Sendable {
        case trusted
        case untrusted(Deviation)
    }

    private var trusted: (wall: Moment, instant: ContinuousClock.Instant)?
    /// Whether `trusted` was read by this process.
    private var isOwn = false
    private var previous: (wall: Moment, instant: ContinuousClock.Instant)?
    /// Since when the untrusted clock has advanced steadily.
    private var steadySince: ContinuousClock.Instant?
    private var lastStored: Moment?

    package init() {}

    /// - Parameter reading: later than the one before.
    package mutating func evaluate(_ reading: Reading) -> Decision {
        defer {
            previous = (reading.wall, reading.instant)
            lastStored = reading.stored
        }
        if previous == nil { trusted = reading.stored.map { ($0, reading.instant) } }
        let disagreement = disagreement(reading)
        guard let deviation = disagreement ?? difference(reading) else {
            trust(reading)
            return .trusted
        }
        let drift = previous.map { reading.distance(from: $0) } ?? .zero
        let since = steadySince.flatMap { since in
            disagreement == nil && drift.magnitude <= Self.tolerance ? since : nil
        }
        if let since, reading.instant - since >= Self.confirmationTime {
            trust(reading)
            return .trusted
        }
        steadySince = since ?? reading.instant
        return .untrusted(deviation)
    }

    /// The process has stored a time itself.
    package mutating func stored(_ moment: Moment) { lastStored = moment }

    private mutating func trust(_ reading: Reading) {
        trusted = (reading.wall, reading.instant)
        isOwn = true
        steadySince = nil
    }

    /// A difference from another clock now, even if this clock advances steadily.
    private func disagreement(_ reading: Reading) -> Deviation? {
        if let server = reading.server {
            let ahead = Duration.milliseconds(reading.wall.milliseconds(since: server))
            if ahead.magnitude > Self.tolerance { return Deviation(reason: .databaseServer, aheadBy: ahead) }
        }
        if previous != nil, let stored = reading.stored, stored != lastStored {
            let ahead = Duration.milliseconds(reading.wall.milliseconds(since: stored))
            if ahead.magnitude > Self.tolerance { return Deviation(reason: .otherProcess, aheadBy: ahead) }
        }
        return nil
    }

    /// The difference from the last trusted time.
    private func difference(_ reading: Reading) -> Deviation? {
        guard let trusted else { return Deviation(reason: .firstStart, aheadBy: .zero) }
        let ahead = reading.distance(from: trusted)
        guard ahead.magnitude > Self.tolerance else { return nil }
        return Deviation(reason: isOwn ? .jump : .sinceEarlierProcess, aheadBy: ahead)
    }
}

extension ClockTrust.Reading {
    /// How much further than a steady clock this clock has advanced.
    fileprivate func distance(from earlier: (wall: Moment, instant: ContinuousClock.Instant)) -> Duration {
        .milliseconds(wall.milliseconds(since: earlier.wall)) - earlier.instant.duration(to: instant)
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
