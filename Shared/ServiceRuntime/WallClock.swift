import FoundationEssentials
import Glibc
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

    /// A time with or without a fraction, in RFC 3339 form, with millisecond precision.
    package init?(rfc3339 text: String) {
        guard text.utf8.count <= 64 else { return nil }
        for format in [Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle()] {
            // `try?`: the other format is tried next.
            guard let date = try? format.parse(text) else { continue }
            let seconds = date.timeIntervalSince1970
            guard abs(seconds) < 1e12 else { return nil }
            self.init(milliseconds: Int64(saturating: (seconds * 1000).rounded()))
            return
        }
        return nil
    }
}
