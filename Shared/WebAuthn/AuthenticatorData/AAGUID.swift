import Vocabulary

/// The identifier of an authenticator model: 16 bytes, zero if unknown. Without trusted attestation it is only a claim.
package struct AAGUID: Hashable, Sendable {
    package let bytes: [UInt8]

    package static let byteCount = 16
    package static let zero = AAGUID(checked: .init(repeating: 0, count: byteCount))

    private init(checked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Returns: nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(checked: bytes)
    }
}

extension AAGUID: CustomStringConvertible {
    /// - Parameter text: in the form of `description`, with digits of either case.
    package init?(text: String) {
        guard let bytes = [UInt8](hexadecimal: text.utf8.filter { $0 != UInt8(ascii: "-") }) else { return nil }
        self.init(bytes)
        guard description == text.asciiLowercased else { return nil }
    }

    /// Lowercase hexadecimal digits in groups of 8, 4, 4, 4 and 12, as in the FIDO metadata.
    package var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
        return text
    }
}
