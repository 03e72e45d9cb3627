/// Decodes the elements of an array in their order.
struct JSONArrayReader: UnkeyedDecodingContainer {
    private let reader: JSONReader
    private let array: Int
    private var element: Int
    private(set) var currentIndex = 0

    init(_ reader: JSONReader, _ node: Int) throws {
        guard reader.document.nodes[node].kind == .array else { throw reader.mismatch([Any].self, at: node) }
        self.reader = reader
        array = node
        element = node + 1
    }

    var codingPath: [any CodingKey] { reader.path(to: array) }
    var count: Int? { reader.document.nodes[array].count }
    var isAtEnd: Bool { element == reader.document.nodes[array].contentEnd }

    /// Decodes the current element and moves to the next. After an error the element stays the current one.
    private mutating func next<Value>(_ type: Value.Type, _ decode: (JSONReader, Int) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            let path = codingPath + [JSONPathKey(index: currentIndex)]
            throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "no more elements"))
        }
        let value = try decode(reader, element)
        element = reader.document.nodes[element].indexAfter(element)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, reader.isNull(element) else { return false }
        return try next(Void?.self) { _, _ in nil } == nil
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool(at: $1) } }
    mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string(at: $1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.float(type, at: $1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type) { try $0.float(type, at: $1) } }
    mutating func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        try next(type) { try $0.integer(type, at: $1) }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next(type) { try $0.decode(type, at: $1) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try next(KeyedDecodingContainer<NestedKey>.self) { try JSONValueReader($0, $1).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next(JSONArrayReader.self) { try JSONArrayReader($0, $1) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next(JSONValueReader.self) { JSONValueReader($0, $1) }
    }
}
