internal import Foundation

/// A JSON object of a shape that this library does not know: `String`, `Int`, `Double`, `Bool`, `NSNull`, arrays and
/// dictionaries of these.
struct JSONObject: Sendable {
    /// Deeper values are no objects for this library: their decoding would exhaust the stack of a thread.
    static let maximumDepth = 32

    let members: [String: any Sendable]

    /// - Returns: nil unless the bytes are a JSON object.
    init?(_ data: Data) {
        // `try?`: malformed JSON is no object.
        guard let value = try? JSONDecoder().decode(Value.self, from: data), case .object(let members) = value else {
            return nil
        }
        self.members = members.mapValues(\.plain)
    }

    private enum Value: Decodable {
        case null
        case bool(Bool)
        case integer(Int)
        case number(Double)
        case string(String)
        case array([Value])
        case object([String: Value])

        init(from decoder: any Decoder) throws {
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
    init?(base64URL text: some StringProtocol) {
        let standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        self.init(base64Encoded: Data(standard + padding))
    }

    /// Base64url without padding (RFC 4648 section 5).
    var base64URLText: String {
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
