/// The tokens of a Swift source for rules about single expressions: no comments, and of string literals only their
/// quotes and the interpolated code.
struct SourceTokens {
    struct Token: Equatable {
        let text: String
        /// Counted from 1.
        let line: Int
        /// Whether white space precedes it.
        let isSpaced: Bool

        var isName: Bool { text.utf8.first.map { SourceTokens.isNameByte($0) && !(0x30...0x39).contains($0) } ?? false }
        var isNumber: Bool { text.utf8.first.map { (0x30...0x39).contains($0) } ?? false }
        /// Whether a value can end here.
        var endsOperand: Bool { isName || isNumber || [")", "]", "}", "\"", "?", "!"].contains(text) }
    }

    private(set) var tokens: [Token] = []

    private enum Context {
        /// Code, and the number of open parentheses in it.
        case code(open: Int)
        case literal(hashes: Int, isMultiline: Bool)
    }

    init(_ source: String) {
        let bytes = Array(source.utf8)
        var contexts = [Context.code(open: 0)]
        var (position, line, isSpaced) = (0, 1, true)
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\n") { line += 1 }
            switch contexts[contexts.count - 1] {
            case .literal(let hashes, let isMultiline):
                let marks = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
                let rest = bytes[(position + 1)...]
                if byte == UInt8(ascii: "\\"), rest.starts(with: marks + [UInt8(ascii: "(")]) {
                    position += hashes + 2
                    contexts.append(.code(open: 1))
                    tokens.append(Token(text: "(", line: line, isSpaced: true))
                } else if byte == UInt8(ascii: "\\"), hashes == 0 {
                    if rest.first == UInt8(ascii: "\n") { line += 1 }
                    position += 2
                } else if byte == UInt8(ascii: "\""),
                    rest.starts(with: (isMultiline ? [byte, byte] : []) + marks)
                {
                    position += (isMultiline ? 3 : 1) + hashes
                    contexts.removeLast()
                    tokens.append(Token(text: "\"", line: line, isSpaced: false))
                    isSpaced = false
                } else {
                    position += 1
                }
            case .code(let open):
                if byte == UInt8(ascii: "/"), bytes[position...].starts(with: "//".utf8) {
                    position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
                } else if byte <= 0x20 {
                    isSpaced = true
                    position += 1
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"),
                    let start = Self.literal(bytes[position...])
                {
                    tokens.append(Token(text: "\"", line: line, isSpaced: isSpaced))
                    position += start.length
                    contexts.append(.literal(hashes: start.hashes, isMultiline: start.isMultiline))
                } else {
                    let length = Self.length(of: bytes[position...])
                    let text = String(decoding: bytes[position..<position + length], as: UTF8.self)
                    tokens.append(Token(text: text, line: line, isSpaced: isSpaced))
                    isSpaced = false
                    position += length
                    let now = open + (text == "(" ? 1 : text == ")" ? -1 : 0)
                    contexts[contexts.count - 1] = .code(open: now)
                    // The end of an interpolation.
                    if now == 0, contexts.count > 1 { contexts.removeLast() }
                }
            }
        }
    }

    private static func literal(_ rest: ArraySlice<UInt8>) -> (length: Int, hashes: Int, isMultiline: Bool)? {
        let hashes = rest.prefix { $0 == UInt8(ascii: "#") }.count
        let quotes = rest.dropFirst(hashes).prefix(3).prefix { $0 == UInt8(ascii: "\"") }.count
        switch quotes {
        case 0: return nil
        case 3: return (hashes + 3, hashes, true)
        default: return (hashes + 1, hashes, false)
        }
    }

    /// A name, a number, a run of operator characters, or a single mark.
    private static func length(of rest: ArraySlice<UInt8>) -> Int {
        let names = rest.prefix(while: isNameByte).count
        if names > 0 { return names }
        return max(1, rest.prefix { "+-*/%=<>!&|^~".utf8.contains($0) }.count)
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
