import Contracts
import Foundation
import JSON
import Testing
import Vocabulary

@testable import IdentityService

/// What clients learn from the error of a blocking function.
struct BlockingFunctionErrorTests {
    private static func text(_ body: String, status: Int = 403) -> String {
        BlockingFunctionError(status: status, body: Data(body.utf8)).text
    }

    private static let prefix = "HTTP Cloud Function returned an error: "

    @Test func errorOfTheFunctionIsPassedOn() {
        let body = #"{"error":{"message":"Only example.com","status":"PERMISSION_DENIED","details":{"a":[1]}}}"#
        #expect(
            Self.text(body)
                == Self.prefix
                + #"{"error":{"details":{"a":[1]},"message":"Only example.com","status":"PERMISSION_DENIED"}}"#)
    }

    @Test(arguments: ["", "oops", "[]", #"{"error":"x"}"#, #"{"error":{}}"#, #"{"error":{"message":7}}"#])
    func otherBodyIsNotPassedOn(body: String) {
        #expect(
            Self.text(body, status: 500)
                == Self.prefix + #"{"error":{"message":"The function returned the status 500.","status":"INTERNAL"}}"#)
    }

    @Test(arguments: [#""no\u0001pe\u001b[31m\n\u202e""#, #""no\u2028pe[31m""#])
    func controlCharactersAreRemoved(message: String) {
        #expect(
            Self.text(#"{"error":{"message":\#(message)}}"#)
                == Self.prefix + #"{"error":{"message":"nope[31m","status":"INTERNAL"}}"#)
    }

    @Test func textIsBounded() {
        let long = String(repeating: "a", count: 10_000)
        let body = #"{"error":{"message":"\#(long)","status":"\#(long)","details":"\#(long)"}}"#
        let text = Self.text(body)
        #expect(text.utf8.count < 700)
        #expect(text.contains(String(repeating: "a", count: BlockingFunctionError.maximumMessageLength) + "\""))
        #expect(text.contains(#""status":"INTERNAL""#))
    }
}
