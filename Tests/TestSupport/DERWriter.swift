/// Encodes DER (ITU-T X.690), for certificates that a test needs, also ones that break a rule.
package enum DERWriter {
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xff), at: 0)
            rest >>= 8
        }
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, elements.flatMap(\.self)) }
    package static func set(_ elements: [UInt8]...) -> [UInt8] { element(0x31, elements.flatMap(\.self)) }
    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
    package static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }
    package static func utf8String(_ text: String) -> [UInt8] { element(0x0c, Array(text.utf8)) }
    package static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xff : 0]) }

    /// An explicit tag of the class "context-specific".
    package static func context(_ number: Int, _ elements: [UInt8]...) -> [UInt8] {
        let content = elements.flatMap(\.self)
        if number < 31 { return element(0xa0 | UInt8(number), content) }
        precondition(number < 1 << 14, "two bytes hold 14 bits")
        let short = element(0, content)
        let high = number < 0x80 ? [] : [0x80 | UInt8(number >> 7)]
        return [0xbf] + high + [UInt8(number & 0x7f)] + short.dropFirst()
    }

    /// A number that is not negative, big-endian.
    package static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let minimal = Array(bytes.drop { $0 == 0 })
        let isNegative = (minimal.first ?? 0) >= 0x80
        return element(0x02, isNegative || minimal.isEmpty ? [0] + minimal : minimal)
    }

    package static func integer(_ value: Int) -> [UInt8] {
        integer((0..<8).reversed().map { UInt8(value >> ($0 * 8) & 0xff) })
    }

    /// - Parameter dotted: such as `2.5.4.3`.
    package static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let numbers = dotted.split(separator: ".").compactMap { Int($0) }
        var content: [UInt8] = []
        for number in [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2) {
            var bytes = [UInt8(number & 0x7f)]
            var rest = number >> 7
            while rest > 0 {
                bytes.insert(0x80 | UInt8(rest & 0x7f), at: 0)
                rest >>= 7
            }
            content += bytes
        }
        return element(0x06, content)
    }
}
