import ConfigurationDocuments
import Contracts
import JSON
import Testing

@testable import GatewayService

/// REST 1.3 and 1.6.
@Suite struct ErrorEnvelopeTests {
    @Test(
        arguments: [
            (
                APIError.product("INVALID_EMAIL"),
                #"{"error":{"code":400,"message":"INVALID_EMAIL","errors":[{"domain":"global","message":"INVALID_EMAIL","reason":"invalid"}]}}"#,
                #"{"error":{"code":400,"message":"INVALID_EMAIL","status":"INVALID_ARGUMENT"}}"#
            ),
            (
                .product("TENANT_NOT_FOUND", status: 404),
                #"{"error":{"code":404,"message":"TENANT_NOT_FOUND","errors":[{"domain":"global","message":"TENANT_NOT_FOUND","reason":"invalid"}]}}"#,
                #"{"error":{"code":404,"message":"TENANT_NOT_FOUND","status":"NOT_FOUND"}}"#
            ),
            (
                .missingBearerToken,
                #"{"error":{"code":401,"message":"Request is missing required authentication credential. Expected OAuth 2 access token.","status":"UNAUTHENTICATED","errors":[{"domain":"global","message":"Request is missing required authentication credential. Expected OAuth 2 access token.","reason":"required","location":"Authorization","locationType":"header"}]}}"#,
                #"{"error":{"code":401,"message":"Request is missing required authentication credential. Expected OAuth 2 access token.","status":"UNAUTHENTICATED","errors":[{"domain":"global","message":"Request is missing required authentication credential. Expected OAuth 2 access token.","reason":"required","location":"Authorization","locationType":"header"}]}}"#
            ),
            (
                .unknownAPIKey,
                #"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","errors":[{"domain":"global","message":"API key not valid. Please pass a valid API key.","reason":"keyInvalid"}],"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"googleapis.com","reason":"API_KEY_INVALID"}]}}"#,
                #"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","errors":[{"domain":"global","message":"API key not valid. Please pass a valid API key.","reason":"keyInvalid"}],"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"googleapis.com","reason":"API_KEY_INVALID"}]}}"#
            ),
            (
                .invalidArgument("Bad.", [.init(field: "a.b", description: "Worse.")]),
                #"{"error":{"code":400,"message":"Bad.","status":"INVALID_ARGUMENT","errors":[{"domain":"global","message":"Bad.","reason":"invalid"}],"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a.b","description":"Worse."}]}]}}"#,
                #"{"error":{"code":400,"message":"Bad.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"a.b","description":"Worse."}]}]}}"#
            ),
        ] as [(APIError, String, String)])
    func envelopeHasFormatOfItsAPI(refusal: APIError, v1: String, v2: String) throws {
        #expect(TestResponse(.init(refusal, on: .v1)).json == (try json(v1)))
        #expect(TestResponse(.init(refusal, on: .v2)).json == (try json(v2)))
    }

    @Test func retryAfterIsSetForUnavailable() {
        let response = TestResponse(.init(.unavailable(retryAfterSeconds: 7), on: .v1))
        #expect((response.status, response.header("retry-after")) == (503, "7"))
        #expect(response.error?["status"] == .string("UNAVAILABLE"))
        #expect(TestResponse(.init(.unavailable(retryAfterSeconds: 0), on: .v1)).header("retry-after") == "1")
    }

    @Test func detailFollowsCodeAfterColon() {
        #expect(APIError.product("CODE", detail: "what: happened").message == "CODE : what: happened")
    }

    /// Security rule EN1: two refusals of one kind have the same bytes.
    @Test func envelopeBytesAreDeterministic() {
        let texts = (0..<50).map { _ in TestResponse(.init(.product("INVALID_LOGIN_CREDENTIALS"), on: .v1)).text }
        #expect(Set(texts).count == 1)
    }
}
