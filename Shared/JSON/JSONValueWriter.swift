/// Encodes one value.
struct JSONValueWriter: Encoder, SingleValueEncodingContainer {
    private let writer: JSONWriter
    /// The containers around the value.
    let depth: Int
    /// The place of its first byte.
    let start: Int

    /// - Parameter writer: at the place of the value.
    init(_ writer: JSONWriter) {
        self.writer = writer
        depth = writer.depth
        start = writer.count
    }

    /// Not kept: only a number that JSON cannot hold is an error, and nobody reads where it was.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.openContainer(.object, depth: depth, start: start)
        return KeyedEncodingContainer(JSONObjectWriter(writer, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.openContainer(.array, depth: depth, start: start)
        return JSONArrayWriter(writer, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    // MARK: Scalars

    func encodeNil() { writer.writeNull() }
    func encode(_ value: Bool) { writer.write(value) }
    func encode(_ value: String) { writer.write(value) }
    func encode(_ value: Double) throws { try writer.write(value) }
    func encode(_ value: Float) throws { try writer.write(value) }
    func encode(_ value: some FixedWidthInteger & Encodable) { writer.write(value) }
    func encode(_ value: some Encodable) throws { try writer.encode(value) }
}
