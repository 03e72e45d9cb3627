/// Decodes one value.
struct JSONValueReader: Decoder, SingleValueDecodingContainer {
    let reader: JSONReader
    let node: Int
    let hasDeclaredNames: Bool

    init(_ reader: JSONReader, _ node: Int, hasDeclaredNames: Bool = true) {
        self.reader = reader
        self.node = node
        self.hasDeclaredNames = hasDeclaredNames
    }

    var codingPath: [any CodingKey] { reader.path(to: node) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try JSONObjectReader<Key>(reader, node, hasDeclaredNames: hasDeclaredNames))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try JSONArrayReader(reader, node) }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    // MARK: Scalars

    func decodeNil() -> Bool { reader.isNull(node) }
    func decode(_ type: Bool.Type) throws -> Bool { try reader.bool(at: node) }
    func decode(_ type: String.Type) throws -> String { try reader.string(at: node) }
    func decode(_ type: Double.Type) throws -> Double { try reader.float(type, at: node) }
    func decode(_ type: Float.Type) throws -> Float { try reader.float(type, at: node) }
    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        try reader.integer(type, at: node)
    }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try reader.decode(type, at: node) }
}
