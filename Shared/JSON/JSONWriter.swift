/// Writes one JSON text (RFC 8259) without white space. The encoders of its values share it, and append to it in the
/// order in which members are encoded.
final class JSONWriter {
    private var text: JSONText

    init(sortsMembers: Bool) {
        text = JSONText(sortsMembers: sortsMembers)
    }

    var bytes: [UInt8] { text.bytes }
    /// The number of open containers.
    var depth: Int { text.depth }
    var count: Int { text.bytes.count }

    /// Encodes a value at the current place. A value that writes nothing becomes an empty object.
    func encode(_ value: some Encodable) throws {
        let encoder = JSONValueWriter(self)
        try value.encode(to: encoder)
        text.endValue(depth: encoder.depth, start: encoder.start)
    }

    /// Opens the container of a value, or continues it: a value may be encoded in several parts.
    func openContainer(_ kind: JSONText.Container, depth: Int, start: Int) {
        text.openContainer(kind, depth: depth, start: start)
    }

    func beginElement(of depth: Int) { text.beginElement(of: depth) }

    func writeNull() { text.writeNull() }
    func write(_ value: Bool) { text.write(value) }
    func write(_ number: some FixedWidthInteger) { text.write(number) }
    func write(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws { try text.write(number) }
    func write(_ string: String) { text.write(string) }

    func beginMember(_ name: String, of depth: Int) { text.beginMember(name, of: depth) }

    func writeMember(_ name: String, _ value: String, of depth: Int) {
        text.beginMember(name, of: depth)
        text.write(value)
    }

    func writeMember(_ name: String, _ value: Bool, of depth: Int) {
        text.beginMember(name, of: depth)
        text.write(value)
    }

    func writeMember(_ name: String, _ number: some FixedWidthInteger, of depth: Int) {
        text.beginMember(name, of: depth)
        text.write(number)
    }
}
