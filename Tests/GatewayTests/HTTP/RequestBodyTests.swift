import ConfigurationDocuments
import Contracts
import FoundationEssentials
import HTTPServer
import Testing

@testable import GatewayService

private struct Body: Decodable, Equatable {
    enum Kind: String, WireEnumeration { case reset = "PASSWORD_RESET", signIn = "EMAIL_SIGNIN" }
    struct Inner: Decodable, Equatable { var rawId: String? }
    var displayName: String?
    var validSince: WireInteger?
    var requestType: WireEnum<Kind>?
    var emailVerified: Bool?
    var linkProviderUserInfo: Inner?
    var names: [String]?

    static func == (left: Self, right: Self) -> Bool {
        left.displayName == right.displayName && left.validSince == right.validSince
            && left.requestType?.value == right.requestType?.value && left.emailVerified == right.emailVerified
            && left.linkProviderUserInfo == right.linkProviderUserInfo && left.names == right.names
    }
}

private func request(_ body: String, type: String? = "application/json") -> HTTPRequest {
    HTTPRequest(
        .post, "/", headers: HTTPHeaders(type.map { [(name: "Content-Type", value: $0)] } ?? []),
        body: Data(body.utf8))
}

/// REST 1.4.
@Suite struct RequestBodyTests {
    private func read(_ text: String) throws -> Body { try RequestBody.json(Body.self, from: request(text)) }

    private func thrown(by text: String) -> APIError? {
        #expect(throws: APIError.self) { try read(text) }
    }

    @Test(arguments: [
        #"{"displayName":"A"}"#, #"{"display_name":"A"}"#, #" { "display_name" : "A", "unknown" : [1, {"x": null}] } "#,
        #"{"displayName":"\u0041"}"#,
    ])
    func bothSpellingsAreReadAndUnknownNamesIgnored(text: String) throws {
        #expect(try read(text).displayName == "A")
    }

    /// The Unicode lower case of this letter is longer than the letter.
    @Test(arguments: [
        ("İİİİİİİİİİİİİİİİcharset=utf-8", true), ("charset=\"UTF-8\"; İ", true), ("charset=utf-8İ", false),
        ("charset=İ", false), ("İ; charset=", false),
    ])
    func contentTypeIsReadOnBytes(parameters: String, isAccepted: Bool) {
        let request = request(#"{"displayName":"A"}"#, type: "Application/JSON; \(parameters)")
        #expect((try? RequestBody.json(Body.self, from: request).displayName == "A") ?? false == isAccepted)
    }

    @Test(arguments: ["", "{}", " {} ", #"{"displayName":null,"validSince":null,"requestType":null,"names":null}"#])
    func emptyBodyIsEmptyObject(text: String) throws {
        #expect(try read(text) == Body())
    }

    @Test(arguments: ["1700000000", #""1700000000""#])
    func integersAreReadFromNumbersAndStrings(text: String) throws {
        #expect(try read(#"{"validSince":\#(text)}"#).validSince?.value == 1_700_000_000)
    }

    @Test(arguments: ["9223372036854775807", #""-9223372036854775808""#])
    func integersAreExactTo64Bits(text: String) throws {
        let value = try #require(try read(#"{"valid_since":\#(text)}"#).validSince?.value)
        #expect(text.contains(String(value)))
    }

    @Test(arguments: [#""EMAIL_SIGNIN""#, "2", #""2""#])
    func enumsAreReadByNameAndNumber(text: String) throws {
        #expect(try read(#"{"requestType":\#(text)}"#).requestType?.value == .signIn)
    }

    @Test(arguments: [
        (#"{"displayName":["A"]}"#, "displayName", "TYPE_STRING"),
        (#"{"display_name":{}}"#, "displayName", "TYPE_STRING"),
        (#"{"displayName":1}"#, "displayName", "TYPE_STRING"),
        (#"{"emailVerified":"true"}"#, "emailVerified", "TYPE_BOOL"),
        (#"{"emailVerified":1}"#, "emailVerified", "TYPE_BOOL"),
        (#"{"validSince":"soon"}"#, "validSince", "TYPE_INT64"),
        (#"{"validSince":"9223372036854775808"}"#, "validSince", "TYPE_INT64"),
        (#"{"validSince":[]}"#, "validSince", "TYPE_INT64"), (#"{"requestType":"RESET"}"#, "requestType", "TYPE_ENUM"),
        (#"{"requestType":0}"#, "requestType", "TYPE_ENUM"), (#"{"requestType":3}"#, "requestType", "TYPE_ENUM"),
        (#"{"linkProviderUserInfo":{"rawId":7}}"#, "linkProviderUserInfo.rawId", "TYPE_STRING"),
        (#"{"linkProviderUserInfo":"x"}"#, "linkProviderUserInfo", "TYPE_MESSAGE"),
        (#"{"names":["a",5]}"#, "names[1]", "TYPE_STRING"),
    ])
    func fieldOfWrongTypeIsNamed(text: String, field: String, type: String) throws {
        let description = "Invalid value at '\(field)' (\(type))"
        let refusal = try #require(thrown(by: text))
        #expect(refusal == .invalidArgument(description, [.init(field: field, description: description)]))
    }

    @Test(arguments: [
        "{", "}", #"{"a""#, "{'a':1}", #"{"a":1,}"#, #"{"a":NaN}"#, "\u{0}", #"{"a":01}"#, "{} {}", #"{"a":1e999}"#,
        #"{"a":1,"a":2}"#, #"{"a":"\ud800"}"#, String(repeating: "[", count: 1000), "[]", "17", #""text""#, "null",
        #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
    ])
    func invalidJSONIsRefused(text: String) throws {
        let refusal = try #require(thrown(by: text))
        #expect((refusal.status, refusal.rpcCode) == (400, .invalidArgument))
        #expect(refusal.message.hasPrefix("Invalid JSON payload received."))
    }

    @Test func invalidUTF8IsRefused() {
        var bad = request("")
        bad.body = Data([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
        #expect(throws: APIError.self) { try RequestBody.json(Body.self, from: bad) }
    }

    @Test(arguments: [
        "application/json", "application/json; charset=UTF-8", "Application/JSON;charset=\"utf-8\"",
        "application/json; charset=utf8; x=y", "application/json; x=y;\tcharset=UTF-8", "application/json;",
    ])
    func jsonContentTypesAreAccepted(type: String) throws {
        #expect(try RequestBody.json(Body.self, from: request("{}", type: type)) == Body())
    }

    /// Security rule HT4: content types that a page of another origin can send without a preflight.
    @Test(arguments: [
        "text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
        "application/jsonp", "application/json; charset=utf-16", "application/json; x=y; charset=\"latin1\"",
        "application/json; charset=", nil,
    ])
    func otherContentTypesAreRefused(type: String?) {
        #expect(throws: APIError.self) { try RequestBody.json(Body.self, from: request("{}", type: type)) }
    }

    @Test func emptyBodyNeedsNoContentType() throws {
        #expect(try RequestBody.json(Body.self, from: request("", type: nil)) == Body())
    }

    @Test func formsAreRead() throws {
        let form = try RequestBody.form(from: request("grant_type=refresh_token&a+b=%2B%20c&empty=&bare"))
        #expect(form == ["grant_type": "refresh_token", "a b": "+ c", "empty": "", "bare": ""])
    }

    @Test(arguments: ["a=1&a=2", "a=%zz", "a=%2", "a=%ff", (0..<65).map { "k\($0)=" }.joined(separator: "&")])
    func ambiguousFormsAreRefused(text: String) {
        #expect(throws: APIError.self) { try RequestBody.form(from: request(text)) }
    }
}
