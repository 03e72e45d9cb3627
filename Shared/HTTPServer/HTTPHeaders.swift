/// The header fields of a message in the order of arrival. Names compare without regard to case (RFC 9110 §5.1).
///
/// All fields share one buffer, and strings are created only on access: most requests carry a dozen fields, and the
/// server reads three of them.
package struct HTTPHeaders: Sendable {
    /// The position of one field in `bytes`.
    struct Field: Sendable {
        var name: Range<Int>
        var value: Range<Int>
    }

    private var bytes: [UInt8]
    private var fields: [Field]

    package init() {
        self.init(bytes: [], fields: [])
    }

    /// Fields from text, for messages that did not arrive over a socket.
    package init(_ fields: [(name: String, value: String)]) {
        self.init()
        for field in fields { append(field.name, field.value) }
    }

    /// Fields that are already in one buffer. The ranges must be within it.
    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
    }

    /// Appends a field.
    package mutating func append(_ name: String, _ value: String) {
        let start = bytes.count
        bytes.append(contentsOf: name.utf8)
        let middle = bytes.count
        bytes.append(contentsOf: value.utf8)
        fields.append(Field(name: start..<middle, value: middle..<bytes.count))
    }

    /// The number of fields; a repeated name counts each time.
    package var count: Int { fields.count }

    /// The value of the first field with this name, without surrounding white space.
    package subscript(name: String) -> String? {
        fields.first { matches($0, name) }.map(value)
    }

    /// The values of all fields with this name.
    package func values(_ name: String) -> [String] {
        fields.filter { matches($0, name) }.map(value)
    }

    /// Every field as text. Bytes that are not UTF-8 appear as U+FFFD.
    package var all: [(name: String, value: String)] {
        fields.map { (String(decoding: bytes[$0.name], as: UTF8.self), value($0)) }
    }

    private func value(_ field: Field) -> String {
        String(decoding: bytes[field.value], as: UTF8.self)
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        let name = name.utf8
        guard field.name.count == name.count else { return false }
        return zip(bytes[field.name], name).allSatisfy { ASCII.lowercased($0) == ASCII.lowercased($1) }
    }
}

/// Rules for single bytes of a message head.
enum ASCII {
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// Whether two texts are equal, ignoring the case of A to Z.
    static func areEqual(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.map(lowercased) == right.utf8.map(lowercased)
    }

    /// A character of a field name or method (`tchar`, RFC 9110 §5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), digits: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"): true
        case UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        case UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"): true
        default: false
        }
    }

    /// A byte of a field value (`field-vchar`, space and tab, RFC 9110 §5.5): no control characters.
    static func isFieldValue(_ byte: UInt8) -> Bool {
        byte == tab || (byte >= space && byte != 0x7f)
    }

    /// A byte of a request target (RFC 9112 §3.2): visible ASCII without `#`, because clients never send a fragment.
    static func isTarget(_ byte: UInt8) -> Bool {
        byte > space && byte < 0x7f && byte != UInt8(ascii: "#")
    }

    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
}
