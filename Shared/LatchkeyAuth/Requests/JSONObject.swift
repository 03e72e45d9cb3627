package import Foundation

/// A JSON object of a shape that this library does not know: `String`, `Int`, `Double`, `Bool`, `NSNull`, arrays and
/// dictionaries of these.
package struct JSONObject: Sendable {
    /// Deeper values are no objects for this library: their decoding would exhaust the stack of a thread.
    static let maximumDepth = 32

    package let members: [String: any Sendable]

    /// - Returns: nil unless the bytes are a JSON object.
    package init?(_ data: Data) {
        // `try?`: malformed JSON is no object.
        guard let value = try? JSONDecoder().decode(Value.self, from: data), case .object(let members) = value else {
            return nil
        }
        self.members = members.mapValues(\.plain)
    }

    package enum Value: Codable, Sendable {
        case null
        case bool(Bool)
        case integer(Int)
        case number(Double)
        case string(String)
        case array([Value])
        case object([String: Value])

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard decoder.codingPath.count <= JSONObject.maximumDepth else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "The value is too deep.")
            }
            // `try?`: each attempt fails for another type of value.
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let values): try container.encode(values)
            case .object(let members): try container.encode(members)
            }
        }

        var plain: any Sendable {
            switch self {
            case .null: NSNull()
            case .bool(let value): value
            case .integer(let value): value
            case .number(let value): value
            case .string(let value): value
            case .array(let values): values.map(\.plain)
            case .object(let members): members.mapValues(\.plain)
            }
        }
    }
}

extension Data {
    /// Decodes base64url without padding (RFC 4648 section 5).
    /// - Returns: nil for any other text, also for one whose unused last bits are not zero: each value has one text.
    package init?(base64URL text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for character in text.utf8 {
            let sixBits: UInt8? =
                switch character {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
                case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
                case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
                case UInt8(ascii: "-"): 62
                case UInt8(ascii: "_"): 63
                default: nil
                }
            guard let sixBits else { return nil }
            pending = pending << 6 | UInt32(sixBits)
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> pendingBits))
                pending &= (1 << pendingBits) - 1
            }
        }
        guard pendingBits < 6, pending == 0 else { return nil }
        self.init(bytes)
    }

    /// Base64url without padding (RFC 4648 section 5).
    package var base64URLText: String {
        let bytes = base64EncodedData().compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
