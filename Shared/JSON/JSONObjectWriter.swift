/// Encodes the members of an object.
struct JSONObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let writer: JSONWriter
    /// The open containers, with this one.
    private let depth: Int

    init(_ writer: JSONWriter, depth: Int) {
        self.writer = writer
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private func begin(_ key: some CodingKey) -> JSONWriter {
        writer.beginMember(key.stringValue, of: depth)
        return writer
    }

    func encodeNil(forKey key: Key) { begin(key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) { writer.writeMember(key.stringValue, value, of: depth) }
    func encode(_ value: String, forKey key: Key) { writer.writeMember(key.stringValue, value, of: depth) }
    func encode(_ value: Double, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Float, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) {
        writer.writeMember(key.stringValue, value, of: depth)
    }
    func encode(_ value: some Encodable, forKey key: Key) throws { try begin(key).encode(value) }

    // MARK: Nested containers

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        JSONValueWriter(begin(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONValueWriter(begin(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONValueWriter(begin(JSONPathKey(name: "super"))) }

    func superEncoder(forKey key: Key) -> any Encoder { JSONValueWriter(begin(key)) }
}
