import Crypto
import Vocabulary

/// The master key. It is kept outside every database and seals columns that must not be readable in a copy of a
/// database.
///
/// Its text, in a file or in the environment, is an id and 32 bytes, both hexadecimal: `<8 digits>:<64 digits>`.
package struct MasterKey: Sendable {
    /// Distinguishes keys after a rotation; not a secret.
    package let id: String
    /// The id in sealed records: four bytes.
    let idBytes: [UInt8]
    private let bytes: [UInt8]

    /// Bytes of an id.
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

    /// - Returns: nil for any other form. Surrounding white space is ignored.
    package init?(text: String) {
        let parts = text.filter { !$0.isWhitespace }.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Self.bytes(parts[0]), id.count == Self.idCount,
            let bytes = Self.bytes(parts[1]), bytes.count == Self.keyCount
        else { return nil }
        self.init(id: id, bytes: bytes)
    }

    /// The secret itself, to be written to a file nobody else can read.
    package var text: String { "\(id):\(bytes.hexadecimal)" }

    /// A 32-byte key for one purpose (HKDF-SHA256, RFC 5869): the key of one service opens no record of another
    /// service.
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
