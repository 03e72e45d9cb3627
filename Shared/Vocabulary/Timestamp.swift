/// Whole seconds since 1970-01-01T00:00:00Z. Integers are exact in JSON; fractions are not.
///
/// External input can contain any 64-bit number, so arithmetic saturates: a time beyond the range becomes its last
/// value.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }

    package static func + (time: Self, seconds: Int64) -> Self {
        .init(seconds: time.seconds.addingSaturated(seconds))
    }

    package static func - (time: Self, seconds: Int64) -> Self {
        .init(seconds: time.seconds.subtractingSaturated(seconds))
    }
}

extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        seconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }
}

/// Whole milliseconds since 1970-01-01T00:00:00Z: the wall-clock time of a service. Arithmetic saturates, as in
/// `Timestamp`.
package struct Moment: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The beginning of a second.
    package init(_ time: Timestamp) {
        milliseconds = time.seconds.multipliedSaturated(by: 1000)
    }

    /// The second that contains this moment.
    package var timestamp: Timestamp { .init(seconds: milliseconds / 1000) }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (time: Self, duration: Duration) -> Self {
        .init(milliseconds: time.milliseconds.addingSaturated(duration.saturatedMilliseconds))
    }

    package static func - (time: Self, duration: Duration) -> Self {
        .init(milliseconds: time.milliseconds.subtractingSaturated(duration.saturatedMilliseconds))
    }

    /// The time from the other moment to this one; negative if this one is earlier.
    package func milliseconds(since other: Moment) -> Int64 {
        milliseconds.subtractingSaturated(other.milliseconds)
    }

    /// The beginning of the window of this length that contains the moment. Windows are consecutive, starting in 1970.
    /// - Parameter length: at least a millisecond.
    package func windowStart(of length: Duration) -> Moment {
        let length = max(1, length.saturatedMilliseconds)
        return .init(milliseconds: milliseconds / length * length)
    }

    /// Clocks of machines differ by less.
    private static let clockTolerance = Duration.seconds(300)

    /// Whether this time was recorded by a clock that was ahead, or `now` is that of a clock that is behind.
    package func isAhead(of now: Moment) -> Bool { self > Self.latestOfOtherClocks(at: now) }

    /// The latest time that another machine may have recorded until now.
    package static func latestOfOtherClocks(at now: Moment) -> Moment { now + clockTolerance }

    /// Whether a window that begins at this moment contains `now`: of counts, or the lifetime of a code. A window of the
    /// future was begun by a clock that was ahead: it contains nothing. A count begins anew, and a code has expired.
    package func beginsWindow(of length: Duration, containing now: Moment) -> Bool {
        now < self + length && !isAhead(of: now)
    }

    /// Whether this end of a window is still ahead: of a lock, or of a lifetime. One that is further ahead than the longest
    /// window was set by a clock that was ahead: it does not hold.
    package func endsWindow(ofAtMost longest: Duration, at now: Moment) -> Bool {
        now < self && self <= now + longest + Self.clockTolerance
    }

    /// Machines that keep their time differ by less. A pause that begins further ahead was begun by a clock that was ahead.
    package static let pauseTolerance = Duration.seconds(5)

    /// How long a client must wait for this moment, in whole seconds rounded up: at least one.
    package func secondsToWait(from now: Moment) -> Int {
        Int(clamping: max(1, Duration.milliseconds(milliseconds(since: now)).secondsRoundedUp))
    }
}

extension Moment: Codable {
    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, truncated towards zero.
    package var saturatedMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedSaturated(by: 1000).addingSaturated(attoseconds / 1_000_000_000_000_000)
    }

    /// Whole seconds; a begun second counts.
    package var secondsRoundedUp: Int64 { components.seconds.addingSaturated(components.attoseconds > 0 ? 1 : 0) }
}
