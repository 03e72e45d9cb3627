package import FoundationEssentials

/// The one way this mesh reads and writes JSON, at the edge and on the bus.
///
/// Coders are made once: they are set up before anybody else sees them, and Foundation lets many threads use one that
/// is left as it is.
package enum WireJSON {
    /// How names of members are spelled.
    package enum KeySpelling: Sendable {
        case asDeclared
        /// `idToken` and `id_token` are one name.
        case camelOrSnakeCase
    }

    /// Checks the bounds and the strictness of `JSONLimits` while scanning, then lets Foundation build the value.
    /// - Throws: `JSONError` for text that is not acceptable JSON, `DecodingError` for values of another type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, names: KeySpelling = .asDeclared
    ) throws -> Value {
        try JSONLimits.standard.check(bytes)
        return switch names {
        case .asDeclared: try decoder.decode(type, from: bytes)
        case .camelOrSnakeCase: try snakeCaseDecoder.decode(type, from: bytes)
        }
    }

    /// For text that has been checked before, or that this mesh has written and bounded itself.
    package static func decodeUnchecked<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws -> Value {
        try decoder.decode(type, from: bytes)
    }

    /// Absent optionals leave no key; slashes are not escaped.
    package static func encode(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// The same with members in the order of their names: equal values are equal bytes.
    package static func encodeSorted(_ value: some Encodable) throws -> Data {
        try sortedEncoder.encode(value)
    }

    private static let decoder = JSONDecoder()
    private static let snakeCaseDecoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()
    private static let sortedEncoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
}
