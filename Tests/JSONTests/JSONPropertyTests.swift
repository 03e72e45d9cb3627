import Foundation
import JSON
import TestSupport
import Testing

/// Compares documents with those of Foundation's coders.
@Suite struct JSONPropertyTests {
    /// Random JSON as another implementation could write it.
    static func text(_ random: inout SeededRandom, depth: Int = 0) -> String {
        func space() -> String { ["", "", "", " ", "\n", "\t "].randomElement(using: &random)! }  // Not empty.
        let kinds = depth > 4 ? 4 : 6
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0: return ["null", "true", "false"].randomElement(using: &random)!
        case 1: return String(Int64.random(in: .min ... .max, using: &random))
        case 2: return ["0.5", "-1e10", "2E-3", "1.25e+2", "-0", "0"].randomElement(using: &random)!
        case 3: return string(&random)
        case 4:
            let items = (0..<Int.random(in: 0...4, using: &random)).map { _ in text(&random, depth: depth + 1) }
            return "[" + space() + items.joined(separator: space() + "," + space()) + space() + "]"
        default:
            let items = (0..<Int.random(in: 0...4, using: &random)).map { number in
                // The number makes names unique.
                string(&random, prefix: "\(number)") + space() + ":" + space() + text(&random, depth: depth + 1)
            }
            return "{" + space() + items.joined(separator: "," + space()) + space() + "}"
        }
    }

    static func string(_ random: inout SeededRandom, prefix: String = "") -> String {
        let pieces = [
            "a", "Z", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\ud83d\\ude00", "\\u0001", " ",
        ]
        let count = Int.random(in: 0...6, using: &random)
        return "\"" + prefix + (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined() + "\""
    }

    /// nil if the text is refused.
    static func ownValue(_ bytes: Data) -> JSONValue? { try? WireJSON.decode(JSONValue.self, from: bytes) }

    @Test(arguments: 0..<300 as Range<UInt64>) func randomJSONIsReadByBoth(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let text = Self.text(&random)
        let value = try #require(Self.ownValue(Data(text.utf8)), "\(text)")
        #expect(FoundationJSON.builds(value, of: Data(text.utf8)), "\(text)")
    }

    /// Foundation must build the same value from all text that is accepted.
    @Test(arguments: 0..<1000 as Range<UInt64>) func acceptedTextHasFoundationsValue(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Data(Self.text(&random).utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) { Self.damage(&bytes, &random) }
        guard let value = Self.ownValue(bytes) else { return }
        #expect(FoundationJSON.builds(value, of: bytes), "\(String(decoding: bytes, as: UTF8.self))")
    }

    private static func damage(_ bytes: inout Data, _ random: inout SeededRandom) {
        let at = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.insert(Array("{}[],:\"\\0-.eE tn\u{1}".utf8).randomElement(using: &random)!, at: at)
        case 1: if at < bytes.count { bytes.remove(at: at) }
        case 2: if at < bytes.count { bytes[at] = UInt8.random(in: 0...255, using: &random) }
        default: bytes.removeSubrange(at...)
        }
    }

    /// Each text that is refused, and that Foundation decodes, has its own reason.
    @Test(arguments: [
        ("{\"a\":1,\"a\":2}", JSONError.duplicateName(at: 7)),
        (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), .tooDeep),
        ("\"" + String(repeating: "a", count: 65_537) + "\"", .stringTooLong),
    ])
    func moreIsRefusedThanByFoundation(text: String, fault: JSONError) {
        #expect(FoundationJSON.value(of: Data(text.utf8)) != nil)
        #expect(JSONLimitsTests.fault(text) == fault)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func randomValueRoundTrips(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = try WireJSON.decode(JSONValue.self, from: Data(Self.text(&random).utf8))
        #expect(try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value)) == value)
    }

    /// Foundation writes the same bytes, with members sorted by name.
    @Test(arguments: 0..<300 as Range<UInt64>) func sortedValueHasFoundationsBytes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = try #require(Self.ownValue(Data(Self.text(&random).utf8)))
        let foundation = JSONEncoder()
        foundation.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try WireJSON.encodeSorted(value)
        #expect(try bytes == foundation.encode(value), "\(String(decoding: bytes, as: UTF8.self))")
    }

    /// Security rule JS3.
    @Test func integersOf64BitsStayExact() throws {
        for number in [Int64.min, -1, 0, 9_007_199_254_740_993, Int64.max] {
            let value = try WireJSON.decode(JSONValue.self, from: Data("\(number)".utf8))
            #expect(value == .integer(number))
            #expect(try WireJSON.encode(value) == Data("\(number)".utf8))
        }
    }

    @Test func decodingReportsJSONError() {
        #expect(throws: JSONError.duplicateName(at: 7)) {
            try WireJSON.decode(JSONValue.self, from: Data("{\"a\":1,\"a\":2}".utf8))
        }
        #expect(throws: DecodingError.self) { try WireJSON.decode(Int.self, from: Data("\"1\"".utf8)) }
    }
}
