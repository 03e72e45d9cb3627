package import FoundationEssentials

/// The JSON encoding of the mesh, for HTTP, for the bus and for stored values.
package enum WireJSON {
    /// The spelling of member names.
    package enum KeySpelling: Sendable {
        case asDeclared
        /// `idToken` and `id_token` are one name. If an object has both, the first counts.
        case camelOrSnakeCase
    }

    /// Checks and decodes a document in one pass.
    /// - Throws: `JSONError` for unacceptable JSON, `DecodingError` for values of another type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>, limits: JSONLimits = .standard,
        names: KeySpelling = .asDeclared
    ) throws -> Value {
        try JSONDocument(bytes, limits: limits).decode(type, names: names)
    }

    /// For text that the mesh has written and bounded itself.
    package static func decodeUnchecked<Value: Decodable>(
        _ type: Value.Type, from bytes: some Sequence<UInt8>
    ) throws -> Value {
        try decode(type, from: bytes, limits: .own)
    }

    /// Absent optionals leave no key; slashes are not escaped. Members have the order in which the value encodes them;
    /// those of dictionaries have no order, except in a `JSONValue`.
    package static func encode(_ value: some Encodable) throws -> Data {
        Data(try encoded(value, sortsMembers: false))
    }

    /// The same as text.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoded(value, sortsMembers: false), as: UTF8.self)
    }

    /// The same with members sorted by name: equal values have equal bytes.
    package static func encodeSorted(_ value: some Encodable) throws -> Data {
        Data(try encoded(value, sortsMembers: true))
    }

    private static func encoded(_ value: some Encodable, sortsMembers: Bool) throws -> [UInt8] {
        let writer = JSONWriter(sortsMembers: sortsMembers)
        try writer.encode(value)
        return writer.bytes
    }
}
