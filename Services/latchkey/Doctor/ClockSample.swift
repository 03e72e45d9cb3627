internal import Vocabulary

/// The clock of another machine, compared with that of this one.
struct ClockSample: Equatable, Sendable {
    /// The other machine, for messages.
    var source: String
    /// How far this clock is ahead of the other; negative if it is behind.
    var aheadSeconds: Int

    /// A code of an authenticator app is valid for 30 seconds, and clients refuse tokens of the future.
    private static let tolerance = 5
    private static let limit = 30

    /// The finding about this clock. One wrong server must not blame it, so the smallest difference counts.
    static func finding(about samples: [ClockSample]) -> Finding {
        guard let nearest = samples.min(by: { abs($0.aheadSeconds) < abs($1.aheadSeconds) }) else {
            return Finding(
                "clock", .skipped, "No other machine was reachable to compare it with.",
                remedy: "`timedatectl` says whether it is synchronized.")
        }
        let seconds = abs(nearest.aheadSeconds)
        guard seconds > tolerance else {
            return Finding("clock", .ok, "It agrees with \(nearest.source) within \(max(1, seconds)) s.")
        }
        let direction = nearest.aheadSeconds > 0 ? "ahead of" : "behind"
        return Finding(
            "clock", seconds > limit ? .error : .warning, "It is \(seconds) s \(direction) \(nearest.source).",
            remedy: "Synchronize it: `timedatectl set-ntp true`.")
    }

    /// - Parameters:
    ///   - date: the header `Date` of a response (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: the time of this machine, in seconds since 1970.
    /// - Returns: nil for a malformed date.
    init?(_ source: String, httpDate date: String, now: Int64) {
        let parts = date.split(separator: " ")
        guard parts.count == 6, parts.last == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = Self.months.firstIndex(of: String(parts[2])), (1...31).contains(day),
            (1970...9999).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":").map { Int($0) ?? -1 }
        guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        let days = Self.daysSince1970(year: year, month: month + 1, day: day)
        let seconds = Int64(days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2])
        self.init(source: source, aheadSeconds: Int(clamping: now - seconds))
    }

    init(source: String, aheadSeconds: Int) {
        self.source = source
        self.aheadSeconds = aheadSeconds
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Of the Gregorian calendar. The year begins with March, so that a leap day is its last one.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
