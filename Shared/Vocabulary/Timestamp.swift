/// Whole seconds since 1970-01-01T00:00:00Z. Integers survive JSON; fractions do not.
package struct Timestamp: Hashable, Comparable, Sendable {
    package var seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }

    package static func + (time: Self, seconds: Int64) -> Self { .init(seconds: time.seconds + seconds) }
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

/// Whole milliseconds since 1970-01-01T00:00:00Z: what the wall clock of a service answers.
package struct Moment: Hashable, Comparable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The second this moment lies in.
    package var timestamp: Timestamp { .init(seconds: milliseconds / 1000) }

    package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    package static func + (time: Self, duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        return .init(milliseconds: time.milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
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
