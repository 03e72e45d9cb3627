internal import Crypto
internal import Vocabulary

/// The key above all others: kept outside every database, it seals what must not be readable in a copy of one.
///
/// Its text, in a file or in the environment, is an id and 32 bytes, both hexadecimal: `<8 digits>:<64 digits>`.
package struct MasterKey: Sendable {
    /// Tells keys apart after a rotation; no secret.
    package let id: String
    /// The id as sealed records carry it: four bytes.
    let idBytes: [UInt8]
    private let bytes: [UInt8]

    /// Of an id.
    static let idCount = 4
    private static let keyCount = 32

    private init(id: [UInt8], bytes: [UInt8]) {
        self.id = id.hexadecimal
        idBytes = id
        self.bytes = bytes
    }

    package static func random() -> MasterKey {
        .init(id: Random.bytes(idCount), bytes: Random.bytes(keyCount))
    }

    /// - Returns: nil for anything but the form above, with white space around it.
    package init?(text: String) {
        let parts = text.filter { !$0.isWhitespace }.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Self.bytes(parts[0]), id.count == Self.idCount,
            let bytes = Self.bytes(parts[1]), bytes.count == Self.keyCount
        else { return nil }
        self.init(id: id, bytes: bytes)
    }

    /// The secret itself, to be written to a file nobody else can read.
    package var text: String { "\(id):\(bytes.hexadecimal)" }

    /// A key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869): what one service derives opens nothing of another's.
    package func key(for purpose: String) -> [UInt8] {
        HKDF.sha256(key: bytes, salt: [], info: Array("latchkey \(purpose)".utf8), count: Self.keyCount)
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

extension MasterKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "[master key \(id)]" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
