/// Encodes the elements of an array.
struct JSONArrayWriter: UnkeyedEncodingContainer {
    private let writer: JSONWriter
    /// The open containers, with this one.
    private let depth: Int
    private(set) var count = 0

    init(_ writer: JSONWriter, depth: Int) {
        self.writer = writer
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func begin() -> JSONWriter {
        writer.beginElement(of: depth)
        count += 1
        return writer
    }

    mutating func encodeNil() { begin().writeNull() }
    mutating func encode(_ value: Bool) { begin().write(value) }
    mutating func encode(_ value: String) { begin().write(value) }
    mutating func encode(_ value: Double) throws { try begin().write(value) }
    mutating func encode(_ value: Float) throws { try begin().write(value) }
    mutating func encode(_ value: some FixedWidthInteger & Encodable) { begin().write(value) }
    mutating func encode(_ value: some Encodable) throws { try begin().encode(value) }

    // MARK: Nested containers

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        JSONValueWriter(begin()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONValueWriter(begin()).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { JSONValueWriter(begin()) }
}
