/// Percent-encoded text (RFC 3986 §2.1), as URLs and forms carry it.
package enum PercentEncoding {
    /// Everything but unreserved characters as `%` and two digits (RFC 3986 §2.3).
    /// - Parameter kept: reserved characters of ASCII that stay as they are.
    package static func encoded(_ text: String, keeping kept: StaticString = "") -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let kept = Array("-._~\(kept)".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isASCIILetterOrDigit || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Pairs as a query or a form has them.
    package static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    /// - Parameter isForm: `+` stands for a blank.
    /// - Returns: nil for a `%` without two hexadecimal digits and for bytes that are not UTF-8.
    package static func decoded(_ text: Substring, isForm: Bool = false) -> String? {
        let text = text.utf8
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(Substring(text))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// For text that may have lost its encoding on the way: an invalid escape stands for itself.
    /// - Parameter isForm: `+` stands for a blank.
    /// - Returns: the unchanged text if the escaped bytes are not UTF-8.
    package static func decodedLeniently(_ text: Substring, isForm: Bool = false) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            var behind = rest
            if byte == UInt8(ascii: "%"), let high = behind.popFirst().flatMap(digit),
                let low = behind.popFirst().flatMap(digit)
            {
                bytes.append(high << 4 | low)
                rest = behind
            } else {
                bytes.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
