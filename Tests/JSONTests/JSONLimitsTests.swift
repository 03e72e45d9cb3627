import Foundation
import JSON
import Testing

@Suite struct JSONLimitsTests {
    static func fault(_ text: String, _ limits: JSONLimits = .standard) -> JSONError? {
        fault(Data(text.utf8), limits)
    }

    static func fault(_ bytes: Data, _ limits: JSONLimits = .standard) -> JSONError? {
        do throws(JSONError) {
            try limits.check(bytes)
            return nil
        } catch {
            return error
        }
    }

    /// One engine stores no U+0000: no text from outside has one, in whatever place. What is stored stays readable.
    @Test(arguments: [
        ("\"\\u0000\"", 1), ("{\"a\\u0000\":1}", 3), ("[1,{\"a\":\"b\\u0000\"}]", 10),
        ("\"\\ud83d\\ude00\\u0000\"", 13),
    ])
    func nulIsRefused(text: String, offset: Int) throws {
        #expect(Self.fault(text) == .nul(at: offset))
        #expect(Self.fault(text, .own) == nil)
        _ = try WireJSON.decodeUnchecked(JSONValue.self, from: Data(text.utf8))
    }

    /// A password is hashed, and U+0000 does not end it (security rule PW5).
    @Test(arguments: [
        (#"{"password":"a\u0000b"}"#, true), (#"{"a":1,"newPassword":"\u0000"}"#, true),
        (#"{"users":[{"rawPassword":"\u0000"}]}"#, true), (#"{"password":{"a":"\u0000"}}"#, false),
        (#"{"password":["\u0000"]}"#, false), (#"{"passwords":"\u0000"}"#, false),
        (#"{"password":"a","email":"\u0000"}"#, false), (#"["password","\u0000"]"#, false),
    ])
    func passwordMayHoldNUL(text: String, isAccepted: Bool) {
        #expect((Self.fault(text) == nil) == isAccepted)
    }

    // MARK: Grammar (RFC 8259)

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e5", "1E+5", "1e-5", "1.5e10", "\"\"",
        "\"a\"", "[]", "{}", "[1]", "[1,2]", "[[],[]]", "{\"a\":1}", "{\"a\":1,\"b\":2}", "{\"a\":{\"a\":1}}",
        " \t\r\n[ 1 , 2 ] ", "{ \"a\" : [ ] }", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"", "\"\\u00e9\\uABCD\"",
        "\"\\ud83d\\ude00\"", "\"\u{7f}\"", "\"é€😀\"", "{\"\":1}", "[null,true,false]", "\"\\u0001\"",
    ])
    func validJSONIsAccepted(text: String) {
        #expect(Self.fault(text) == nil)
    }

    @Test(
        arguments: [
            // Empty or incomplete input.
            ("", 0), (" ", 1), ("nul", 3), ("tru", 3), ("[", 1), ("{", 1), ("\"", 1), ("[1", 2), ("{\"a\"", 4),
            ("{\"a\":", 5),
            ("-", 1), ("1.", 2), ("1e", 2), ("1e+", 3), ("\"\\", 2), ("\"\\u00", 5),
            // Text after the value.
            ("1 2", 2), ("{}{}", 2), ("[]]", 2), ("null,", 4),
            // Almost valid words and numbers.
            ("nulL", 3), ("True", 0), ("NaN", 0), ("Infinity", 0), ("01", 1), ("+1", 0), (".5", 0), ("1.e5", 2),
            ("0x10", 1),
            ("--1", 1), ("1_000", 1),
            // Commas and colons.
            ("[,]", 1), ("[1,]", 3), ("[1 2]", 3), ("{,}", 1), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("{\"a\",1}", 4),
            ("{a:1}", 1), ("{1:1}", 1), ("{'a':1}", 1), ("{\"a\":}", 5), ("[}", 1), ("{]", 1), ("{\"a\":1]", 6),
            // Strings.
            ("'a'", 0), ("\"\n\"", 1), ("\"\u{0}\"", 1), ("\"\u{1f}\"", 1), ("\"\\x\"", 2), ("\"\\u12g4\"", 5),
            ("\"\\U0041\"", 2),
            // Comments and a byte order mark.
            ("/**/1", 0), ("1//", 1), ("\u{feff}1", 0),
        ] as [(String, Int)])
    func malformedJSONIsRefusedWithOffset(text: String, offset: Int) {
        #expect(Self.fault(text) == .malformed(at: offset))
    }

    @Test(arguments: [
        "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ude00\"", "\"\\ud83d\\u0041\"", "\"\\ud83d\\ud83d\"", "\"\\ud83d\\n\"",
    ])
    func loneSurrogateIsMalformed(text: String) throws {
        guard case .malformed = try #require(Self.fault(text)) else {
            Issue.record("accepted or refused for another reason")
            return
        }
    }

    /// Unicode table 3-7: overlong forms, surrogates, too large, alone, truncated.
    @Test(
        arguments: [
            [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf],
            [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80],
            [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xfe],
            [0xff],
        ] as [[UInt8]])
    func invalidUTF8IsMalformed(bytes: [UInt8]) throws {
        for text in [
            Data([0x22] + bytes + [0x22]), Data([0x7b, 0x22] + bytes + [0x22, 0x3a, 0x31, 0x7d]), Data(bytes),
        ] {
            guard case .malformed = try #require(Self.fault(text)) else {
                Issue.record("accepted or refused for another reason")
                return
            }
        }
    }

    @Test(
        arguments: [
            [0xc2, 0x80], [0xdf, 0xbf], [0xe0, 0xa0, 0x80], [0xed, 0x9f, 0xbf], [0xee, 0x80, 0x80], [0xef, 0xbf, 0xbf],
            [0xf0, 0x90, 0x80, 0x80], [0xf4, 0x8f, 0xbf, 0xbf],
        ] as [[UInt8]])
    func boundariesOfUTF8AreAccepted(bytes: [UInt8]) {
        #expect(Self.fault(Data([0x22] + bytes + [0x22])) == nil)
    }

    // MARK: Names

    @Test(
        arguments: [
            ("{\"a\":1,\"a\":2}", 7), ("{\"a\":1,\"b\":2,\"a\":3}", 13), ("{\"a\":1,\"\\u0061\":2}", 7),
            ("[{\"\":1,\"\":2}]", 7),
            ("{\"/\":1,\"\\/\":2}", 7),
        ] as [(String, Int)])
    func duplicateNameIsRefused(text: String, offset: Int) {
        #expect(Self.fault(text) == .duplicateName(at: offset))
    }

    @Test(arguments: ["{\"a\":1,\"A\":2}", "{\"a\":{\"a\":1}}", "[{\"a\":1},{\"a\":1}]", "{\"é\":1,\"e\u{301}\":2}"])
    func differentNamesAreAccepted(text: String) {
        #expect(Self.fault(text) == nil)
    }

    /// Twenty times the members that requests may have. If the cost of a member grew with the members before it, this
    /// would take minutes.
    @Test(.timeLimit(.minutes(1))) func memberCostDoesNotGrowWithMemberCount() {
        var limits = JSONLimits.standard
        limits.nodes = 200_001
        let members = (0..<200_000).map { "\"name\($0)\":1" }.joined(separator: ",")
        #expect(Self.fault("{\(members)}", limits) == nil)
        #expect(Self.fault("{\(members),\"name7\":1}", limits) == .duplicateName(at: members.utf8.count + 2))
    }

    // MARK: Bounds

    @Test func depthIsBounded() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        func objects(_ depth: Int) -> String {
            String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        }
        #expect(Self.fault(nested(32)) == nil)
        #expect(Self.fault(nested(33)) == .tooDeep)
        #expect(Self.fault(objects(32)) == nil)
        #expect(Self.fault(objects(33)) == .tooDeep)
        #expect(Self.fault(nested(1_000_000)) == .tooDeep)
        #expect(Self.fault(String(repeating: "[", count: 1_000_000)) == .tooDeep)
    }

    @Test func valueCountIsBounded() {
        func array(_ count: Int) -> String { "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]" }
        #expect(Self.fault(array(9_999)) == nil)
        #expect(Self.fault(array(10_000)) == .tooManyNodes)
    }

    @Test func stringLengthIsBounded() {
        func string(_ count: Int) -> String { "\"" + String(repeating: "a", count: count) + "\"" }
        #expect(Self.fault(string(65_536)) == nil)
        #expect(Self.fault(string(65_537)) == .stringTooLong)
        #expect(Self.fault("{" + string(65_536) + ":1}") == nil)
        #expect(Self.fault("{" + string(65_537) + ":1}") == .stringTooLong)
    }

    @Test func numbersFitDouble() {
        #expect(Self.fault("1e308") == nil)
        #expect(Self.fault("-1.7976931348623157e308") == nil)
        #expect(Self.fault("1e309") == .numberOutOfRange(at: 0))
        #expect(Self.fault("[1,-1e400]") == .numberOutOfRange(at: 3))
        #expect(Self.fault("1" + String(repeating: "0", count: 308)) == nil)
        #expect(Self.fault("1" + String(repeating: "0", count: 309)) == .numberOutOfRange(at: 0))
        #expect(Self.fault("4.9e-324") == nil)
        #expect(Self.fault("1e-400") == .numberOutOfRange(at: 0))
        #expect(Self.fault("0." + String(repeating: "0", count: 400) + "1") == .numberOutOfRange(at: 0))
        #expect(Self.fault("0." + String(repeating: "0", count: 400)) == nil)
        #expect(Self.fault("0.0e-400") == nil)
        #expect(Self.fault("0e99999999999999999999") == nil)
    }
}
