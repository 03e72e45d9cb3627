/// Scans one JSON text (RFC 8259) byte by byte, without recursion, and throws at the first unacceptable byte.
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    private let limits: JSONLimits
    private var position = 0
    private var nodes = 0
    private var open: [Container] = []
    /// The names so far in each open object, to reject duplicates. Separate from `open`: a set inside an enum would be
    /// copied for each name.
    private var names: [Set<Name>] = []

    private enum Container {
        case array, object
    }

    /// A member name for comparison: its bytes, with escapes resolved.
    private typealias Name = [UInt8]

    init(bytes: UnsafeRawBufferPointer, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func scanDocument() throws(JSONError) {
        try scanValue()
        while let container = open.last {
            skipWhiteSpace()
            switch container {
            case .array: try continueArray()
            case .object: try continueObject()
            }
        }
        skipWhiteSpace()
        guard position == bytes.count else { throw .malformed(at: position) }
    }

    // MARK: Containers

    /// After an element: `,` and another, or the end.
    private mutating func continueArray() throws(JSONError) {
        switch try next() {
        case UInt8(ascii: "]"): open.removeLast()
        case UInt8(ascii: ","): try scanValue()
        default: throw .malformed(at: position - 1)
        }
    }

    private mutating func continueObject() throws(JSONError) {
        switch try next() {
        case UInt8(ascii: "}"): leaveObject()
        case UInt8(ascii: ","): try scanMember()
        default: throw .malformed(at: position - 1)
        }
    }

    private mutating func scanMember() throws(JSONError) {
        skipWhiteSpace()
        try scanName()
        try scanValue()
    }

    /// The name of a member of the innermost object, and its colon.
    private mutating func scanName() throws(JSONError) {
        let start = position
        guard try next() == UInt8(ascii: "\"") else { throw .malformed(at: start) }
        let name = try scanString(keeping: true)
        guard names[names.endIndex - 1].insert(name).inserted else { throw .duplicateName(at: start) }
        skipWhiteSpace()
        guard try next() == UInt8(ascii: ":") else { throw .malformed(at: position - 1) }
    }

    /// Scans a complete scalar, or opens a container and its first element.
    private mutating func scanValue() throws(JSONError) {
        while true {
            skipWhiteSpace()
            nodes += 1
            guard nodes <= limits.nodes else { throw .tooManyNodes }
            switch try next() {
            case UInt8(ascii: "{"):
                try enter(.object)
                names.append([])
                skipWhiteSpace()
                if peek() == UInt8(ascii: "}") {
                    position += 1
                    leaveObject()
                    return
                }
                // The first member's value may open further containers: the loop continues with it.
                try scanName()
            case UInt8(ascii: "["):
                try enter(.array)
                skipWhiteSpace()
                if peek() == UInt8(ascii: "]") {
                    position += 1
                    open.removeLast()
                    return
                }
            case UInt8(ascii: "\""):
                _ = try scanString(keeping: false)
                return
            case UInt8(ascii: "t"): return try scanLiteral("rue")
            case UInt8(ascii: "f"): return try scanLiteral("alse")
            case UInt8(ascii: "n"): return try scanLiteral("ull")
            default:
                position -= 1
                return try scanNumber()
            }
        }
    }

    private mutating func enter(_ container: Container) throws(JSONError) {
        guard open.count < limits.depth else { throw .tooDeep }
        open.append(container)
    }

    private mutating func leaveObject() {
        open.removeLast()
        names.removeLast()
    }

    // MARK: Scalars

    private mutating func scanLiteral(_ rest: StaticString) throws(JSONError) {
        for offset in 0..<rest.utf8CodeUnitCount {
            guard try next() == rest.utf8Start[offset] else { throw .malformed(at: position - 1) }
        }
    }

    /// `-`? int frac? exp?. The number must fit a double: neither infinite, nor rounded to zero.
    private mutating func scanNumber() throws(JSONError) {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        if peek() == UInt8(ascii: "0") { position += 1 } else { try scanDigits() }
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

    /// The rest of a string after its opening quote.
    /// - Returns: the decoded bytes if `keeping`, else nothing.
    private mutating func scanString(keeping: Bool) throws(JSONError) -> [UInt8] {
        let start = position
        var kept: [UInt8] = []
        while true {
            let byte = try next()
            guard position - start <= limits.stringBytes + 1 else { throw .stringTooLong }
            switch byte {
            case UInt8(ascii: "\""):
                return kept
            case UInt8(ascii: "\\"):
                let scalar = try scanEscape()
                if keeping { kept.append(contentsOf: String(Character(scalar)).utf8) }
            case 0..<0x20:
                throw .malformed(at: position - 1)
            case 0x20..<0x80:
                if keeping { kept.append(byte) }
            default:
                let first = position - 1
                try scanMultibyte(leading: byte)
                if keeping { kept.append(contentsOf: bytes[first..<position]) }
            }
        }
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

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() throws(JSONError) -> UInt8 {
        guard position < bytes.count else { throw .malformed(at: position) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func skipWhiteSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { position += 1 }
    }
}
