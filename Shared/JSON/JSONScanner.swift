/// Reads one JSON text (RFC 8259) byte by byte, without recursion. It records a node for each value and each name, and
/// throws at the first unacceptable byte.
struct JSONScanner {
    /// The text. Behind it follow the strings that have escapes, decoded.
    private(set) var bytes: [UInt8]
    private(set) var nodes: [JSONNode] = []
    private let limits: JSONLimits
    /// Where the text ends.
    private let end: Int
    private var position = 0
    private var valueCount = 0
    /// The nodes of the open containers.
    private var open: [Int] = []
    private var names = JSONNameIndex()

    init(_ text: [UInt8], limits: JSONLimits) {
        bytes = text
        end = text.count
        self.limits = limits
        // Names and values of the messages of the mesh have about 16 bytes.
        nodes.reserveCapacity(text.count / 16 + 4)
    }

    mutating func scanDocument() throws(JSONError) {
        // The decoded strings are never longer than the text. Together they fit the 32 bits of a node.
        guard end <= Int32.max else { throw .tooManyNodes }
        try scanValue()
        while let container = open.last {
            skipWhiteSpace()
            let separator = try next()
            switch (separator, nodes[container].kind) {
            case (UInt8(ascii: ","), .object):
                skipWhiteSpace()
                try scanName(of: container)
                try scanValue()
            case (UInt8(ascii: ","), _): try scanValue()
            case (UInt8(ascii: "}"), .object), (UInt8(ascii: "]"), .array): close(container)
            default: throw .malformed(at: position - 1)
            }
        }
        skipWhiteSpace()
        guard position == end else { throw .malformed(at: position) }
    }

    // MARK: Values

    /// Scans a complete scalar, or opens a container and its first element.
    private mutating func scanValue() throws(JSONError) {
        while true {
            skipWhiteSpace()
            valueCount += 1
            guard valueCount <= limits.nodes else { throw .tooManyNodes }
            if let container = open.last { nodes[container].count += 1 }
            switch try next() {
            case UInt8(ascii: "{"):
                let object = try enter(.object)
                skipWhiteSpace()
                if peek() == UInt8(ascii: "}") {
                    position += 1
                    return close(object)
                }
                // The first member's value may open further containers: the loop continues with it.
                try scanName(of: object)
            case UInt8(ascii: "["):
                let array = try enter(.array)
                skipWhiteSpace()
                if peek() == UInt8(ascii: "]") {
                    position += 1
                    return close(array)
                }
            case UInt8(ascii: "\""): return try scanString(isPassword: isBehindNameOfPassword)
            case UInt8(ascii: "t"): return try scanLiteral("rue", .true)
            case UInt8(ascii: "f"): return try scanLiteral("alse", .false)
            case UInt8(ascii: "n"): return try scanLiteral("ull", .null)
            default:
                position -= 1
                return try scanNumber()
            }
        }
    }

    /// - Returns: the node of the container.
    private mutating func enter(_ kind: JSONNode.Kind) throws(JSONError) -> Int {
        guard open.count < limits.depth else { throw .tooDeep }
        let container = nodes.count
        nodes.append(JSONNode(kind))
        open.append(container)
        return container
    }

    private mutating func close(_ container: Int) {
        nodes[container].contentEnd = nodes.count
        open.removeLast()
        names.leave(container)
    }

    /// The name of a member, and its colon.
    private mutating func scanName(of object: Int) throws(JSONError) {
        let start = position
        guard try next() == UInt8(ascii: "\"") else { throw .malformed(at: start) }
        try scanString()
        guard names.insert(nodes.count - 1, of: object, nodes: nodes, bytes: bytes) else {
            throw .duplicateName(at: start)
        }
        skipWhiteSpace()
        guard try next() == UInt8(ascii: ":") else { throw .malformed(at: position - 1) }
    }

    private mutating func scanLiteral(_ rest: StaticString, _ kind: JSONNode.Kind) throws(JSONError) {
        for offset in 0..<rest.utf8CodeUnitCount {
            guard try next() == rest.utf8Start[offset] else { throw .malformed(at: position - 1) }
        }
        nodes.append(JSONNode(kind))
    }

    /// `-`? int frac? exp? (RFC 8259 §6). The number must fit a double: neither infinite, nor rounded to zero.
    private mutating func scanNumber() throws(JSONError) {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        if peek() == UInt8(ascii: "0") { position += 1 } else { try scanDigits() }
        let integerEnd = position
        if peek() == UInt8(ascii: ".") {
            position += 1
            try scanDigits()
        }
        let mantissa = start..<position
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            try scanDigits()
        }
        nodes.append(JSONNode(position > integerEnd ? .number : .integer, start..<position))
        // Without an exponent only a number of more than 300 digits can be out of range.
        guard position > mantissa.upperBound || mantissa.count > 300 else { return }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite,
            number != 0 || !bytes[mantissa].contains(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) })
        else { throw .numberOutOfRange(at: start) }
    }

    private mutating func scanDigits() throws(JSONError) {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw .malformed(at: position) }
    }

    // MARK: Strings (RFC 8259 §7)

    /// Whether the next value is that of a member which holds a password: it is hashed and never stored as text, and
    /// U+0000 does not end it (security rule PW5).
    private var isBehindNameOfPassword: Bool {
        guard let container = open.last, nodes[container].kind == .object, let name = nodes.last else { return false }
        return JSONLimits.passwordNames.contains { $0.elementsEqual(bytes[name.bytes]) }
    }

    /// The rest of a string after its opening quote.
    private mutating func scanString(isPassword: Bool = false) throws(JSONError) {
        let start = position
        // The closing quote comes before this place.
        let bound = limits.stringBytes < end - start ? start + limits.stringBytes + 1 : end
        try skipPlainText(until: bound)
        if position < bound, bytes[position] == UInt8(ascii: "\"") {
            nodes.append(JSONNode(.string, start..<position))
            position += 1
            return
        }
        let decodedStart = bytes.count
        appendDecoded(start..<position)
        while position < bound {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                nodes.append(JSONNode(.string, decodedStart..<bytes.count))
                position += 1
                return
            case UInt8(ascii: "\\"):
                position += 1
                let escape = position - 1
                let scalar = try scanEscape()
                guard scalar != "\0" || isPassword || limits.allowsNUL else { throw .nul(at: escape) }
                bytes.append(contentsOf: scalar.utf8)
            default:
                let plain = position
                try skipPlainText(until: bound)
                appendDecoded(plain..<position)
            }
        }
        throw position < end ? .stringTooLong : .malformed(at: position)
    }

    /// Skips to a quote, a backslash or the bound.
    private mutating func skipPlainText(until bound: Int) throws(JSONError) {
        while true {
            position = bytes.span.firstSpecialByte(in: position..<bound)
            guard position < bound else { return }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            guard byte >= 0x80 else { throw .malformed(at: position) }
            position += 1
            try scanMultibyte(leading: byte)
            guard position < bound else { return }
        }
    }

    private mutating func appendDecoded(_ range: Range<Int>) {
        for place in range { bytes.append(bytes[place]) }
    }

    /// The rest of an escape after its backslash. A high surrogate must be followed by a low one (RFC 7493 §2.1).
    private mutating func scanEscape() throws(JSONError) -> Unicode.Scalar {
        switch try next() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let start = position - 2
            let unit = try scanHexadecimal()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard (0xd800..<0xdc00).contains(unit), try next() == UInt8(ascii: "\\"), try next() == UInt8(ascii: "u")
            else { throw .malformed(at: start) }
            let low = try scanHexadecimal()
            guard (0xdc00..<0xe000).contains(low),
                let scalar = Unicode.Scalar(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
            else { throw .malformed(at: start) }
            return scalar
        default:
            throw .malformed(at: position - 1)
        }
    }

    private mutating func scanHexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            switch try next() {
            case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
                value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20):
                value = value << 4 | UInt32((byte | 0x20) - UInt8(ascii: "a") + 10)
            default: throw .malformed(at: position - 1)
            }
        }
        return value
    }

    /// Well-formed UTF-8 only (Unicode table 3-7): no overlong form, no surrogate, nothing above U+10FFFF.
    private mutating func scanMultibyte(leading: UInt8) throws(JSONError) {
        let start = position - 1
        let (count, second): (Int, ClosedRange<UInt8>) =
            switch leading {
            case 0xc2...0xdf: (1, 0x80...0xbf)
            case 0xe0: (2, 0xa0...0xbf)
            case 0xed: (2, 0x80...0x9f)
            case 0xe1...0xef: (2, 0x80...0xbf)
            case 0xf0: (3, 0x90...0xbf)
            case 0xf1...0xf3: (3, 0x80...0xbf)
            case 0xf4: (3, 0x80...0x8f)
            default: throw .malformed(at: start)
            }
        guard second.contains(try next()) else { throw .malformed(at: start) }
        for _ in 1..<count where !(0x80...0xbf).contains(try next()) { throw .malformed(at: start) }
    }

    // MARK: Bytes

    private func peek() -> UInt8? { position < end ? bytes[position] : nil }

    private mutating func next() throws(JSONError) -> UInt8 {
        guard position < end else { throw .malformed(at: position) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func skipWhiteSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }
}
