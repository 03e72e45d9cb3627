/// Writes the CBOR that tests need, with the shortest lengths.
enum CBORBytes {
    static func head(_ majorType: UInt8, _ argument: Int) -> [UInt8] {
        let type = majorType << 5
        return switch argument {
        case 0..<24: [type | UInt8(argument)]
        case 24...0xff: [type | 24, UInt8(argument)]
        case 0x100...0xffff: [type | 25, UInt8(argument >> 8), UInt8(argument & 0xff)]
        default: [type | 26] + (0..<4).map { UInt8(argument >> (24 - 8 * $0) & 0xff) }
        }
    }

    static func integer(_ number: Int) -> [UInt8] { number < 0 ? head(1, -1 - number) : head(0, number) }
    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
    static func array(_ elements: [[UInt8]]) -> [UInt8] { head(4, elements.count) + elements.joined() }

    /// - Parameter entries: encoded keys and values, in the order to write.
    static func map(_ entries: [(key: [UInt8], value: [UInt8])]) -> [UInt8] {
        head(5, entries.count) + entries.flatMap { $0.key + $0.value }
    }
}
