import Foundation
import JSON
import TestSupport
import Testing

@Suite struct JSONEncodingTests {
    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }

    static func sortedText(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encodeSorted(value), as: UTF8.self)
    }

    @Test func membersHaveTheOrderOfTheirEncoding() throws {
        struct Sample: Encodable {
            var b = 1
            var a: String? = nil
            var c = ["x", "y"]
            var empty = [Int]()
            var inner = Inner()
            struct Inner: Encodable {
                var z = true
                var y = 0.5
            }
        }
        #expect(try Self.text(Sample()) == #"{"b":1,"c":["x","y"],"empty":[],"inner":{"z":true,"y":0.5}}"#)
        #expect(try Self.sortedText(Sample()) == #"{"b":1,"c":["x","y"],"empty":[],"inner":{"y":0.5,"z":true}}"#)
    }

    @Test func dictionaryMembersAreSorted() throws {
        let names = ["b", "a", "aa", "B", "é", "\n", "\"", "", "a\u{0}", "z/"]
        let value = Dictionary(uniqueKeysWithValues: names.map { ($0, [$0: 1]) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try WireJSON.encodeSorted(value) == encoder.encode(value))
    }

    @Test(
        arguments: [
            (0.0, "0"), (-0.0, "-0"), (1, "1"), (0.1, "0.1"), (1e15, "1000000000000000"), (1e16, "1e+16"),
            (1.5e300, "1.5e+300"), (.leastNonzeroMagnitude, "5e-324"), (123_456.789, "123456.789"),
        ] as [(Double, String)])
    func numberHasItsShortestText(number: Double, text: String) throws {
        #expect(try Self.text(number) == text)
        #expect(try JSONEncoder().encode(number) == Data(text.utf8), "Foundation's text")
        #expect(try WireJSON.decode(Double.self, from: text.utf8) == number)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func otherNumbersAreRefused(number: Double) {
        #expect(throws: EncodingError.self) { try WireJSON.encode([number]) }
        #expect(throws: EncodingError.self) { try WireJSON.encode(["a": Float(number)]) }
    }

    @Test func integersOfEveryTypeAreWritten() throws {
        #expect(try Self.text([Int64.min, Int64.max]) == "[-9223372036854775808,9223372036854775807]")
        #expect(try Self.text([UInt64.max]) == "[18446744073709551615]")
        #expect(try Self.text([Int8.min, Int8.max]) == "[-128,127]")
        #expect(try Self.text(["a": UInt16.max]) == #"{"a":65535}"#)
    }

    /// RFC 8259 §7: quotes, backslashes and control characters are escaped; nothing else is.
    @Test func everyASCIICharacterHasFoundationsText() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        for byte in 0...0x7f as ClosedRange<UInt8> {
            let text = "é" + String(UnicodeScalar(byte)) + "😀 eight or more"
            #expect(try WireJSON.encode(text) == encoder.encode(text))
            #expect(try WireJSON.decodeUnchecked(String.self, from: WireJSON.encode(text)) == text)
        }
    }

    @Test func valueWithoutMembersIsAnEmptyObject() throws {
        struct Empty: Encodable {}
        struct Silent: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        #expect(try Self.text(Empty()) == "{}")
        #expect(try Self.text([Silent(), Silent()]) == "[{},{}]")
        #expect(try Self.text(["a": Silent()]) == #"{"a":{}}"#)
    }

    @Test func nullIsWrittenWhereItIsEncoded() throws {
        #expect(try Self.text([1, nil, 2]) == "[1,null,2]")
        #expect(try Self.text(["a": nil] as [String: Int?]) == #"{"a":null}"#)
        #expect(try Self.text(Int?.none) == "null")
    }

    /// One object can be written by several values, and in nested containers.
    @Test func containersAreContinuedAndNested() throws {
        struct Parts: Encodable {
            private enum Keys: CodingKey { case a, b, c, d, e }

            func encode(to encoder: any Encoder) throws {
                var first = encoder.container(keyedBy: Keys.self)
                try first.encode(1, forKey: .d)
                var nested = first.nestedContainer(keyedBy: Keys.self, forKey: .b)
                try nested.encode(2, forKey: .b)
                try nested.encode(3, forKey: .a)
                var list = first.nestedUnkeyedContainer(forKey: .c)
                try list.encode(4)
                var innermost = list.nestedContainer(keyedBy: Keys.self)
                try innermost.encode(5, forKey: .e)
                try list.encode(6)
                var second = encoder.container(keyedBy: Keys.self)
                try second.encode(7, forKey: .a)
            }
        }
        #expect(try Self.text(Parts()) == #"{"d":1,"b":{"b":2,"a":3},"c":[4,{"e":5},6],"a":7}"#)
        #expect(try Self.sortedText(Parts()) == #"{"a":7,"b":{"a":3,"b":2},"c":[4,{"e":5},6],"d":1}"#)
    }

    /// Equal values have equal bytes, whatever the order of their members in memory.
    @Test(arguments: 0..<50 as Range<UInt64>) func sortedBytesAreUnique(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let members = (0..<20).map { ("name\($0)", JSONValue.integer($0)) }
        let first = Dictionary(uniqueKeysWithValues: members.shuffled(using: &random))
        var second = Dictionary<String, JSONValue>(minimumCapacity: 500)
        for (name, value) in members.shuffled(using: &random) { second[name] = value }
        #expect(try WireJSON.encodeSorted(first) == WireJSON.encodeSorted(second))
    }
}
