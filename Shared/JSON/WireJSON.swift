package import FoundationEssentials

/// The JSON encoding of the mesh, for HTTP and for the bus.
///
/// Coders are created once: they are configured before they are shared, and Foundation allows concurrent use of an
/// unmodified coder.
package enum WireJSON {
    /// The spelling of member names.
    package enum KeySpelling: Sendable {
        case asDeclared
        /// `idToken` and `id_token` are one name.
        case camelOrSnakeCase
    }

    /// Checks the limits of `JSONLimits` while scanning, then lets Foundation build the value.
    /// - Throws: `JSONError` for unacceptable JSON, `DecodingError` for values of another type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, names: KeySpelling = .asDeclared
    ) throws -> Value {
        try JSONLimits.standard.check(bytes)
        return switch names {
        case .asDeclared: try decoder.decode(type, from: bytes)
        case .camelOrSnakeCase: try snakeCaseDecoder.decode(type, from: bytes)
        }
    }

    /// For text that was checked before, or that the mesh has written and bounded itself.
    package static func decodeUnchecked<Value: Decodable>(_ type: Value.Type, from bytes: Data) throws -> Value {
        try decoder.decode(type, from: bytes)
    }

    /// Absent optionals leave no key; slashes are not escaped.
    package static func encode(_ value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    /// The same with members sorted by name: equal values have equal bytes.
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
