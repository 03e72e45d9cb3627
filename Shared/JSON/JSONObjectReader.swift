/// Decodes the members of an object.
struct JSONObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let reader: JSONReader
    private let object: Int
    private let hasDeclaredNames: Bool

    init(_ reader: JSONReader, _ node: Int, hasDeclaredNames: Bool) throws {
        guard reader.document.nodes[node].kind == .object else { throw reader.mismatch([String: Any].self, at: node) }
        self.reader = reader
        object = node
        self.hasDeclaredNames = hasDeclaredNames
        // A dictionary asks for every name.
        reader.open(node)
    }

    var codingPath: [any CodingKey] { reader.path(to: object) }

    var allKeys: [Key] {
        let nodes = reader.document.nodes
        var keys: [Key] = []
        var name = object + 1
        while name < nodes[object].contentEnd {
            let text = hasDeclaredNames ? reader.declaredName(at: name) : reader.document.text(at: name)
            if let key = Key(stringValue: text) { keys.append(key) }
            name = nodes[name + 1].indexAfter(name + 1)
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { value(of: key) != nil }

    private func value(of key: Key) -> Int? {
        reader.value(of: object, named: key, hasDeclaredNames: hasDeclaredNames)
    }

    /// nil if the member is absent or null.
    private func presentValue(of key: Key) -> Int? {
        guard let value = value(of: key), !reader.isNull(value) else { return nil }
        return value
    }

    private func requiredValue(of key: Key) throws -> Int {
        guard let value = value(of: key) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "no member \(key.stringValue)"))
        }
        return value
    }

    private func decode<Value: Decodable>(_ type: Value.Type, at value: Int) throws -> Value {
        let result = try reader.decode(type, at: value)
        // The value's own members were searched meanwhile.
        reader.continueSearch(of: object, at: reader.document.nodes[value].indexAfter(value))
        return result
    }

    // MARK: Required members

    func decodeNil(forKey key: Key) throws -> Bool { reader.isNull(try requiredValue(of: key)) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try reader.bool(at: requiredValue(of: key)) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try reader.string(at: requiredValue(of: key)) }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try reader.float(type, at: requiredValue(of: key))
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try reader.float(type, at: requiredValue(of: key))
    }

    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type, forKey key: Key) throws -> Number {
        try reader.integer(type, at: requiredValue(of: key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decode(type, at: requiredValue(of: key))
    }

    // MARK: Optional members, searched once. The defaults of the protocol would search three times.

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try presentValue(of: key).map { try reader.bool(at: $0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try presentValue(of: key).map { try reader.string(at: $0) }
    }

    func decodeIfPresent<Number: FixedWidthInteger & Decodable>(
        _ type: Number.Type, forKey key: Key
    ) throws -> Number? {
        try presentValue(of: key).map { try reader.integer(type, at: $0) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try presentValue(of: key).map { try decode(type, at: $0) }
    }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try JSONValueReader(reader, requiredValue(of: key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try JSONArrayReader(reader, requiredValue(of: key))
    }

    func superDecoder() throws -> any Decoder { JSONValueReader(reader, object) }

    func superDecoder(forKey key: Key) throws -> any Decoder { JSONValueReader(reader, try requiredValue(of: key)) }
}
