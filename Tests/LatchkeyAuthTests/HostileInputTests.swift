import Foundation
import Testing

@testable import LatchkeyAuth

/// JSON and tokens of a shape that the library does not know.
struct HostileInputTests {
    @Test func valuesHaveTheirTypes() throws {
        let text =
            #"{"s":"a","i":7,"n":-1,"d":1.5,"t":true,"f":false,"z":null,"a":[1,"b",[]],"o":{"x":{}},"big":1e300}"#
        let members = try #require(JSONObject(Data(text.utf8))).members
        #expect(members["s"] as? String == "a" && members["i"] as? Int == 7 && members["n"] as? Int == -1)
        #expect(members["d"] as? Double == 1.5 && members["big"] as? Double == 1e300)
        #expect(members["t"] as? Bool == true && members["f"] as? Bool == false && members["z"] is NSNull)
        #expect((members["a"] as? [any Sendable])?.count == 3)
        #expect((members["o"] as? [String: any Sendable])?["x"] is [String: any Sendable])
        #expect(members["t"] as? Int == nil && members["i"] as? Bool == nil)
    }

    @Test(arguments: [
        "", " ", "null", "[]", "7", "\"a\"", "{", #"{"a"}"#, #"{"a":1}x"#, #"{"a":1e999}"#, "{\"a\":\"\\ud800\"}",
    ])
    func otherTextIsNoObject(text: String) {
        #expect(JSONObject(Data(text.utf8)) == nil)
    }

    /// The depth of values is bounded before the stack is.
    @Test(arguments: [
        (30, true), (32, true), (33, false), (511, false), (100_000, false), (1_000_000, false),
    ])
    func depthIsBounded(depth: Int, isObject: Bool) {
        let arrays =
            #"{"a":"# + String(repeating: "[", count: depth - 1) + "1"
            + String(repeating: "]", count: depth - 1) + "}"
        #expect((JSONObject(Data(arrays.utf8)) != nil) == isObject)
        let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
        #expect((JSONObject(Data(objects.utf8)) != nil) == isObject)
        #expect(JSONObject(Data(String(repeating: #"{"a":["#, count: depth).utf8)) == nil)
    }

    @Test func wideObjectIsRead() throws {
        let text = "{" + (0..<10_000).map { #""\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        #expect(try #require(JSONObject(Data(text.utf8))).members.count == 10_000)
    }

    // MARK: Tokens

    private static func token(_ payload: String) -> String { "e30.\(Data(payload.utf8).base64URLText).c2ln" }

    @Test(arguments: [
        "", ".", "..", "...", "a.b", "a.b.c.d", "e30.e30", "e30.!.c2ln", "e30.bnVsbA.c2ln", "e30.W10.c2ln", "e30..c2ln",
        "e30.e30=.c2ln", "e30.\u{e9}.c2ln", String(repeating: ".", count: 100_000),
        "e30." + String(repeating: "A", count: 1_000_000) + ".c2ln",
    ])
    func malformedTokenIsAnError(text: String) {
        #expect(throws: AuthErrorCode(.malformedJWT)) { try IDTokenPayload(text) }
        #expect(throws: AuthErrorCode(.malformedJWT)) { try AuthTokenResult(token: text) }
    }

    @Test(arguments: [
        "{}", #"{"iat":1}"#, #"{"exp":1}"#, #"{"iat":"1","exp":2}"#, #"{"iat":null,"exp":2}"#, #"{"iat":[1],"exp":2}"#,
        #"{"iat":true,"exp":2}"#,
    ])
    func tokenWithoutTimesIsMalformed(payload: String) throws {
        #expect(throws: AuthErrorCode(.malformedJWT)) { try AuthTokenResult(token: Self.token(payload)) }
        #expect(try IDTokenPayload(Self.token(payload)).lifetime == nil)
    }

    @Test(arguments: [
        #"{"iat":1,"exp":2}"#, #"{"iat":1.5,"exp":1e300,"auth_time":-1e300,"firebase":7}"#,
        #"{"iat":-9223372036854775808,"exp":9223372036854775807,"firebase":{"sign_in_provider":7}}"#,
    ])
    func unusualClaimsAreNoError(payload: String) throws {
        let result = try AuthTokenResult(token: Self.token(payload))
        #expect(result.signInProvider == "" && result.signInSecondFactor == "")
        let tokens = try #require(
            SessionTokens(idToken: result.token, refreshToken: "r", expiresIn: nil, at: Date(timeIntervalSince1970: 0)))
        #expect((0...86_400).contains(tokens.expiresAt.timeIntervalSince1970))
    }

    @Test(arguments: ["", "abc", "1e999", "nan", "-1", "99999999999999999999999"])
    func unusualTimesOfAnAccountAreNoError(milliseconds: String) throws {
        let account = try JSONDecoder().decode(
            AccountRecord.self,
            from: Data(#"{"localId":"ada","createdAt":"\#(milliseconds)","photoUrl":"\u0000"}"#.utf8))
        #expect(UserMetadata(account).lastSignInDate == nil)
        #expect(UserMetadata(account).creationDate?.timeIntervalSince1970.isFinite != false)
    }
}
