/// The text of a document that is being written, and its open containers.
struct JSONText {
    enum Container {
        case array, object
    }

    private struct OpenContainer {
        var kind: Container
        /// The place after its opening bracket.
        var start: Int
        /// The first of its members among those of all open objects, if members are sorted.
        var firstMember: Int
    }

    private(set) var bytes: [UInt8] = []
    private var open: [OpenContainer] = []
    private let sortsMembers: Bool
    /// The members of the open objects: name, and the place where its text begins.
    private var members: [(name: String, range: Range<Int>)] = []

    init(sortsMembers: Bool) {
        self.sortsMembers = sortsMembers
        // Most messages of the mesh are shorter.
        bytes.reserveCapacity(1024)
    }

    // MARK: Containers

    /// The number of open containers.
    var depth: Int { open.count }

    /// Opens the container of a value, or continues it: a value may be encoded in several parts.
    /// - Parameters:
    ///   - depth: of the value.
    ///   - start: the place of its first byte.
    mutating func openContainer(_ kind: Container, depth: Int, start: Int) {
        close(to: depth + 1)
        guard open.count == depth else {
            precondition(open.last?.kind == kind, "a value is an array and an object")
            return
        }
        precondition(bytes.count == start, "a value was encoded twice")
        bytes.append(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
        open.append(OpenContainer(kind: kind, start: bytes.count, firstMember: members.count))
    }

    /// Closes the containers of a value. A value that has written nothing becomes an empty object.
    mutating func endValue(depth: Int, start: Int) {
        close(to: depth)
        if bytes.count == start { bytes.append(contentsOf: "{}".utf8) }
    }

    /// Closes the containers inside of the outer `depth` ones.
    private mutating func close(to depth: Int) {
        while open.count > depth, let container = open.popLast() {
            switch container.kind {
            case .array: bytes.append(UInt8(ascii: "]"))
            case .object:
                if sortsMembers { sortMembers(of: container) }
                bytes.append(UInt8(ascii: "}"))
            }
        }
    }

    /// Writes the comma before a value of the container at this depth.
    ///
    /// A nested container ends when its parent continues, because nothing else indicates its end.
    mutating func beginElement(of depth: Int) {
        close(to: depth)
        guard let container = open.last, open.count == depth else {
            preconditionFailure("a container was used after its parent had continued")
        }
        if bytes.count > container.start { bytes.append(UInt8(ascii: ",")) }
    }

    mutating func beginMember(_ name: String, of depth: Int) {
        beginElement(of: depth)
        if sortsMembers { members.append((name, bytes.count..<bytes.count)) }
        write(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Brings the members of an object into the order of their names.
    private mutating func sortMembers(of object: OpenContainer) {
        var own = members[object.firstMember...]
        members.removeSubrange(object.firstMember...)
        guard zip(own, own.dropFirst()).contains(where: { $1.name < $0.name }) else { return }
        let text = Array(bytes[object.start...])
        // A member ends before the comma of the next.
        var end = text.count
        for place in own.indices.reversed() {
            own[place].range = own[place].range.lowerBound - object.start..<end
            end = own[place].range.lowerBound - 1
        }
        own.sort { $0.name < $1.name }
        bytes.removeSubrange(object.start...)
        for member in own {
            if bytes.count > object.start { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: text[member.range])
        }
    }

    // MARK: Scalars

    mutating func writeNull() { bytes.append(contentsOf: "null".utf8) }

    mutating func write(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

    mutating func write(_ number: some FixedWidthInteger) { bytes.append(contentsOf: String(number).utf8) }

    /// The shortest text that reads as the same number.
    /// - Throws: `EncodingError` for a number that JSON cannot hold (RFC 8259 §6).
    mutating func write(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(number, .init(codingPath: [], debugDescription: "not a finite number"))
        }
        let text = number.description
        bytes.append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }

    /// A string or a name (RFC 8259 §7). Only what must be escaped is escaped.
    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.hasEscapes(text) {
            for byte in text.utf8 { writeEscaped(byte) }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hasEscapes(_ text: String) -> Bool {
        let utf8 = text.utf8Span.span
        var place = 0
        while true {
            place = utf8.firstSpecialByte(in: place..<utf8.count)
            guard place < utf8.count else { return false }
            guard utf8[place] >= 0x80 else { return true }
            place += 1
        }
    }

    private mutating func writeEscaped(_ byte: UInt8) {
        switch byte {
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0a: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0c: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0d: bytes.append(contentsOf: #"\r"#.utf8)
        case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
        case ..<0x20:
            bytes.append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}
