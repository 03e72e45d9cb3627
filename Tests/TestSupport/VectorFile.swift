package import FoundationEssentials

/// A file of `Tests/Vectors`: published test vectors, or project vectors in the same format.
package enum VectorFile {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors")

    /// Reads a file as JSON of the given shape.
    /// - Parameter name: as in `kdf.json` or `webauthn/derived.json`.
    package static func load<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: bytes(name))
    }

    /// The content of the file.
    package static func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: folder.appending(path: name))
    }
}

extension [UInt8] {
    /// Nil unless the text consists of pairs of hexadecimal digits.
    package init?(hex: String) {
        let digits = Array<Character>(hex)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[start].hexDigitValue, let low = digits[start + 1].hexDigitValue else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self = bytes
    }
}
