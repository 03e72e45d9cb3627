package import FoundationEssentials

/// The one way this mesh reads and writes JSON, at the edge and on the bus.
package enum WireJSON {
    /// Checks the bounds and the strictness of `JSONLimits` while scanning, then lets Foundation build the value.
    /// - Throws: `JSONFault` for text that is not acceptable JSON, `DecodingError` for values of another type.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: Data, keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) throws -> Value {
        try JSONLimits.standard.check(bytes)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        return try decoder.decode(type, from: bytes)
    }

    /// Absent optionals leave no key; slashes are not escaped.
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }
}
