import FoundationEssentials
import Vocabulary

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
        let parts = date.utf8.split(separator: UInt8(ascii: " ")).compactMap { String($0) }
        // `try?`: no such time. Only ISO 8601 has an hour 24.
        guard parts.count == 6, parts.last == "GMT", !parts[4].hasPrefix("24"),
            let month = Self.months.firstIndex(of: parts[2]),
            let time = try? Date(
                "\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
        else { return nil }
        self.init(source: source, aheadSeconds: Int(clamping: now - Int64(saturating: time.timeIntervalSince1970)))
    }

    init(source: String, aheadSeconds: Int) {
        self.source = source
        self.aheadSeconds = aheadSeconds
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
