internal import FoundationEssentials
internal import Glibc
package import Vocabulary

/// The time of day. Services receive it as a function, so that their tests can replace it.
package enum WallClock {
    /// Now, by the kernel's real-time clock.
    package static func now() -> Moment {
        .init(milliseconds: Int64((Date.now.timeIntervalSince1970 * 1000).rounded(.down)))
    }
}

extension Moment {
    /// UTC in RFC 3339 form with milliseconds: `2026-11-20T19:00:00.123Z`.
    package var text: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: some BinaryInteger, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
            + "T\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
            + ".\(digits(milliseconds % 1000, 3))Z"
    }
}
