/// A data item of CBOR (RFC 8949). Tags and simple values without a meaning in RFC 8949 are not represented: the decoder
/// rejects them.
package indirect enum CBORValue: Equatable, Sendable {
    /// Major type 0.
    case unsigned(UInt64)
    /// Major type 1: the number -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    /// Well-formed UTF-8.
    case text(String)
    case array([CBORValue])
    case map(CBORMap)
    case bool(Bool)
    case null
    case undefined
    /// A half, single or double.
    case float(Double)
}

extension CBORValue {
    /// The number of major type 0 or 1; nil for other types and outside of 64 bits.
    package var integer: Int64? {
        switch self {
        case .unsigned(let number): Int64(exactly: number)
        case .negative(let number): Int64(exactly: number).map { ~$0 }  // -1 - n in two's complement.
        case .bytes, .text, .array, .map, .bool, .null, .undefined, .float: nil
        }
    }

    package var bytes: [UInt8]? {
        guard case .bytes(let bytes) = self else { return nil }
        return bytes
    }

    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    package var array: [CBORValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var map: CBORMap? {
        guard case .map(let map) = self else { return nil }
        return map
    }
}

/// The entries of a map in their encoded order. Keys are integers or texts, and no two are equal.
package struct CBORMap: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let key: CBORValue
        package let value: CBORValue

        package init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    package private(set) var entries: [Entry]

    /// - Parameter entries: with different keys.
    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    /// The value of an integer key.
    package subscript(key: Int64) -> CBORValue? {
        entries.first { $0.key.integer == key }?.value
    }

    /// The value of a text key. Texts are compared by their bytes: Swift's `==` ignores the Unicode form.
    package subscript(key: String) -> CBORValue? {
        entries.first { entry in
            guard case .text(let text) = entry.key else { return false }
            return text.utf8.elementsEqual(key.utf8)
        }?.value
    }
}
