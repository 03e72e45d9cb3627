import Foundation
import JSON
import TestSupport
import Testing

/// How values of documents become Swift values, side by side with Foundation's decoder.
@Suite struct JSONDecodingTests {
    struct Inner: Codable, Equatable {
        var flag: Bool?
        var texts: [String]?
    }

    struct Sample: Codable, Equatable {
        var text: String?
        var integer: Int?
        var byte: UInt8?
        var long: Int64?
        var unsigned: UInt64?
        var number: Double?
        var single: Float?
        var flag: Bool?
        var inner: Inner?
        var inners: [Inner]?
        var table: [String: Int]?
        var optionals: [Int?]?
        var required: String
    }

    /// What a decoder returns or throws. Errors are compared by kind and path. Foundation leaves the path out where a
    /// number does not fit.
    static func outcome<Value: Decodable>(_ decode: () throws -> Value) -> (Value?, String) {
        func text(_ path: [any CodingKey]) -> String {
            path.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }.joined(separator: ".")
        }
        do {
            return (try decode(), "")
        } catch DecodingError.typeMismatch(let type, let context) {
            return (nil, "typeMismatch \(type) at \(text(context.codingPath))")
        } catch DecodingError.valueNotFound(let type, let context) {
            return (nil, "valueNotFound \(type) at \(text(context.codingPath))")
        } catch DecodingError.keyNotFound(let key, let context) {
            return (nil, "keyNotFound \(key.stringValue) at \(text(context.codingPath))")
        } catch DecodingError.dataCorrupted {
            return (nil, "dataCorrupted")
        } catch {
            return (nil, "\(error)")
        }
    }

    static func expectEqualOutcome<Value: Decodable & Equatable>(
        _ type: Value.Type, _ json: String, names: WireJSON.KeySpelling = .asDeclared,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let foundation = JSONDecoder()
        if names == .camelOrSnakeCase { foundation.keyDecodingStrategy = .convertFromSnakeCase }
        let expected = outcome { try foundation.decode(type, from: Data(json.utf8)) }
        let actual = outcome { try WireJSON.decode(type, from: Data(json.utf8), names: names) }
        #expect(actual == expected, "\(json)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        #"{"required":"a"}"#, #"{}"#, "[]", "null", "1", "\"a\"", "true",
        #"{"required":null}"#, #"{"required":1}"#, #"{"required":[]}"#,
        #"{"required":"a","text":null,"integer":null,"inner":null,"inners":null,"table":null}"#,
        #"{"required":"a","integer":1.0}"#, #"{"required":"a","integer":1.5}"#, #"{"required":"a","integer":1e3}"#,
        #"{"required":"a","integer":"1"}"#, #"{"required":"a","integer":true}"#, #"{"required":"a","integer":-0}"#,
        #"{"required":"a","byte":255}"#, #"{"required":"a","byte":256}"#, #"{"required":"a","byte":-1}"#,
        #"{"required":"a","long":9223372036854775807}"#, #"{"required":"a","long":9223372036854775808}"#,
        #"{"required":"a","long":-9223372036854775808}"#, #"{"required":"a","long":-9223372036854775809}"#,
        #"{"required":"a","long":1e17}"#, #"{"required":"a","long":9007199254740993.0}"#,
        #"{"required":"a","long":9.223372036854775807e18}"#, #"{"required":"a","long":1e19}"#,
        #"{"required":"a","long":-9007199254740993e0}"#, #"{"required":"a","long":92233720368547758070e-1}"#,
        #"{"required":"a","unsigned":18446744073709551615}"#, #"{"required":"a","unsigned":18446744073709551616}"#,
        #"{"required":"a","number":1}"#, #"{"required":"a","number":0.1}"#, #"{"required":"a","number":"1"}"#,
        #"{"required":"a","number":123456789012345678901234567890}"#, #"{"required":"a","single":0.1}"#,
        #"{"required":"a","flag":1}"#, #"{"required":"a","flag":"true"}"#, #"{"required":"a","flag":false}"#,
        #"{"required":"a","inner":{}}"#, #"{"required":"a","inner":[]}"#, #"{"required":"a","inner":{"flag":0}}"#,
        #"{"required":"a","inners":[{},{"texts":["a","b"]}]}"#, #"{"required":"a","inners":[{},{"texts":["a",1]}]}"#,
        #"{"required":"a","inners":[null]}"#, #"{"required":"a","inners":{}}"#, #"{"required":"a","inners":[[]]}"#,
        #"{"required":"a","table":{"a":1,"b":2,"a b":3}}"#, #"{"required":"a","table":{"a":1,"b":"c"}}"#,
        #"{"required":"a","table":[]}"#, #"{"required":"a","optionals":[1,null,2]}"#,
        #"{"required":"a","optionals":[1,"a"]}"#, #"{"unknown":{"required":"b"},"required":"a"}"#,
        #"{"\u0072equired":"\ud83d\ude00\n"}"#, #"{"required":"","text":"\"\\\/\b\f\n\r\t\u0001é€😀"}"#,
    ])
    func outcomeIsFoundations(json: String) {
        Self.expectEqualOutcome(Sample.self, json)
    }

    /// Random documents with the declared names and values of any type.
    @Test(arguments: 0..<500 as Range<UInt64>) func randomOutcomeIsFoundations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let names = [
            "text", "integer", "byte", "long", "unsigned", "number", "single", "flag", "inner", "inners", "table",
            "optionals", "required",
        ]
        let members = names.shuffled(using: &random).prefix(Int.random(in: 0...names.count, using: &random)).map {
            "\"\($0)\":" + Self.value(&random, depth: 0)
        }
        Self.expectEqualOutcome(Sample.self, "{" + members.joined(separator: ",") + "}")
    }

    private static func value(_ random: inout SeededRandom, depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 2 ? 6 : 9), using: &random) {
        case 0: "null"
        case 1: ["true", "false"].randomElement(using: &random) ?? ""
        case 2, 3: String(Int.random(in: -300...300, using: &random))
        case 4: ["1.0", "2.5", "1e2", "1e25", "-0.0", "12345678901234567890"].randomElement(using: &random) ?? ""
        case 5: ["\"\"", "\"a\"", "\"\\u00e9\""].randomElement(using: &random) ?? ""
        case 6:
            "["
                + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth + 1) }.joined(
                    separator: ",") + "]"
        default:
            "{"
                + ["flag", "texts", "a"].prefix(Int.random(in: 0...3, using: &random)).map {
                    "\"\($0)\":" + value(&random, depth: depth + 1)
                }.joined(separator: ",") + "}"
        }
    }

    /// Foundation truncates this number.
    @Test func fractionIsNeverTruncated() {
        #expect(throws: DecodingError.self) { try WireJSON.decode(Int64.self, from: "9007199254740992.5".utf8) }
        #expect(throws: DecodingError.self) { try WireJSON.decode([Int].self, from: "[1.0000001]".utf8) }
    }

    @Test func pathLeadsToTheNumberThatDoesNotFit() {
        #expect {
            try WireJSON.decode([String: [UInt8]].self, from: #"{"a":[1],"b":[1,2,256]}"#.utf8)
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.codingPath.map(\.stringValue) == ["b", "Index 2"]
        }
    }

    // MARK: Names

    struct Spelled: Codable, Equatable {
        var idToken: String?
        var _private: Int?
        var tail: Int?
        var aB1: Int?
        var nested: [String: [String: Int]]?
        var inner: Inner?
        var photoUrl: String?

        private enum CodingKeys: String, CodingKey {
            case idToken, _private, aB1, nested, inner, photoUrl
            case tail = "tail_"
        }
    }

    @Test(arguments: [
        #"{"idToken":"a"}"#, #"{"id_token":"a"}"#, #"{"ID_TOKEN":"a"}"#, #"{"id__token":"a"}"#, #"{"Id_token":"a"}"#,
        #"{"id_token":"a","idToken":"b"}"#, #"{"idToken":"b","id_token":"a"}"#, #"{"IdToken":"a"}"#,
        #"{"_private":1,"tail_":2}"#, #"{"__private":1}"#, #"{"a_b1":1}"#, #"{"nested":{"a_b":{"c_d":1}}}"#,
        #"{"_id_token":"a"}"#, #"{"id_token_":"a"}"#, #"{"photo_url":1}"#, #"{"inner":{"texts":[1]}}"#, #"{"":1}"#,
        #"{"_":1,"__":2}"#, #"{"id\u005ftoken":"a"}"#,
    ])
    func snakeCaseOutcomeIsFoundations(json: String) {
        Self.expectEqualOutcome(Spelled.self, json, names: .camelOrSnakeCase)
    }

    struct AnyKey: CodingKey, Equatable {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The converted names of an object.
    struct Names: Decodable, Equatable {
        var names: Set<String>
        init(from decoder: any Decoder) throws {
            names = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func convertedNamesAreFoundations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let name = String(
            (0..<Int.random(in: 0...9, using: &random)).map { _ in "abCD1_-._' /".randomElement(using: &random) ?? "_" }
        )
        Self.expectEqualOutcome(Names.self, "{\"\(name)\":1}", names: .camelOrSnakeCase)
    }

    /// Names are compared by their bytes, as RFC 8259 §8.3 recommends: the Kelvin sign is not the letter K.
    @Test func nameIsComparedByBytes() throws {
        struct Key: Decodable {
            var letter: Int?
            private enum CodingKeys: String, CodingKey { case letter = "K" }
        }
        #expect(try WireJSON.decode(Key.self, from: "{\"\u{212a}\":1}".utf8).letter == nil)
        #expect(try WireJSON.decode(Key.self, from: #"{"\u004b":1}"#.utf8).letter == 1)
    }

    // MARK: One document, several values

    @Test func documentIsDecodedTwice() throws {
        let document = try JSONDocument(#"{"required":"a","text":"b","flag":true,"texts":["c"]}"#.utf8)
        #expect(try document.decode(Sample.self).text == "b")
        #expect(try document.decode(Inner.self) == Inner(flag: true, texts: ["c"]))
        #expect(throws: DecodingError.self) { try document.decode([String: String].self) }
    }

    /// Members are found in any order, also after the members of a nested object.
    @Test func memberOrderIsIrrelevant() throws {
        let members = [#""a":{"a":1,"b":2,"c":3}"#, #""b":{"c":6,"b":5,"a":4}"#, #""c":{"b":8,"a":7,"c":9}"#]
        struct Triple: Decodable, Equatable {
            var a: Int
            var b: Int
            var c: Int
        }
        struct Outer: Decodable {
            var a: Triple
            var b: Triple
            var c: Triple
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]] {
            let text = "{" + order.map { members[$0] }.joined(separator: ",") + "}"
            let outer = try WireJSON.decode(Outer.self, from: text.utf8)
            #expect(outer.a == Triple(a: 1, b: 2, c: 3))
            #expect(outer.b == Triple(a: 4, b: 5, c: 6))
            #expect(outer.c == Triple(a: 7, b: 8, c: 9))
        }
    }

    /// If the cost of a member grew with the members before it, this would take minutes.
    @Test(.timeLimit(.minutes(1))) func dictionaryCostDoesNotGrowWithMemberCount() throws {
        let count = 200_000
        let text = "{" + (0..<count).map { "\"name\($0)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try WireJSON.decodeUnchecked([String: Int].self, from: text.utf8).count == count)
    }

    /// Names of more than eight bytes, and strings around the eight bytes that are compared at a time.
    @Test(arguments: 0..<40) func textOfEveryLengthIsRead(length: Int) throws {
        let plain = String("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".prefix(length))
        for (written, expected) in [
            (plain, plain), (plain + "\\n" + plain, plain + "\n" + plain), (plain + "é" + plain, plain + "é" + plain),
        ] {
            #expect(
                try WireJSON.decode([String: String].self, from: "{\"\(written)\":\"\(written)\"}".utf8) == [
                    expected: expected
                ])
            #expect(throws: JSONError.self) { try WireJSON.decode([String].self, from: "[\"\(written)\u{1f}\"]".utf8) }
            #expect(throws: JSONError.self) {
                try WireJSON.decode([String].self, from: Array("[\"\(written)".utf8) + [0xff] + Array("\"]".utf8))
            }
        }
    }
}
