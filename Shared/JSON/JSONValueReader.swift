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
    func decode(_ type: Int.Type) throws -> Int { try reader.integer(type, at: node) }
    func decode(_ type: Int8.Type) throws -> Int8 { try reader.integer(type, at: node) }
    func decode(_ type: Int16.Type) throws -> Int16 { try reader.integer(type, at: node) }
    func decode(_ type: Int32.Type) throws -> Int32 { try reader.integer(type, at: node) }
    func decode(_ type: Int64.Type) throws -> Int64 { try reader.integer(type, at: node) }
    func decode(_ type: UInt.Type) throws -> UInt { try reader.integer(type, at: node) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try reader.integer(type, at: node) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try reader.integer(type, at: node) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try reader.integer(type, at: node) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try reader.integer(type, at: node) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try reader.decode(type, at: node) }
}
