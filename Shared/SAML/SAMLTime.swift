import FoundationEssentials
import Vocabulary

/// `xs:dateTime` in UTC (SAML Core 1.3.3): `2026-11-20T19:00:00Z`, with any fraction of a second.
enum SAMLTime {
    private static let maximumBytes = 40
    /// Before the fraction.
    private static let pattern = Array("0000-00-00T00:00:00".utf8)

    /// - Returns: nil for any other form and for days that do not exist.
    static func parse(_ text: String) -> Timestamp? {
        guard text.utf8.count <= maximumBytes, text.utf8.last == UInt8(ascii: "Z") else { return nil }
        let (whole, fraction) = text.dropLast().halves(at: ".")
        guard whole.utf8.count == pattern.count,
            zip(whole.utf8, pattern).allSatisfy({ $1 == UInt8(ascii: "0") ? (0x30...0x39).contains($0) : $0 == $1 }),
            fraction.map(\.isASCIIDigits) ?? true,
            // `try?`: there is no such day or time.
            let date = try? Date("\(whole)Z", strategy: .iso8601)
        else { return nil }
        let time = Timestamp(seconds: Int64(saturating: date.timeIntervalSince1970))
        // A day like the 31st of February is another day then.
        return format(time).dropLast() == whole ? time : nil
    }

    static func format(_ time: Timestamp) -> String {
        Date(timeIntervalSince1970: Double(time.seconds)).formatted(.iso8601)
    }
}
