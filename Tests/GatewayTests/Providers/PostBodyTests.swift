import Contracts
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.4, `postBody` and "What real clients send".
@Suite struct PostBodyTests {
    private static func parse(_ parts: String...) throws -> [String: String] {
        let body = try PostBody(parts.map { $0[...] })
        return Dictionary(uniqueKeysWithValues: body.values.map { ($0.key.rawValue, $0.value) })
    }

    @Test(arguments: [
        ("", [:]),
        ("&&=&a&a=b", [:]),
        ("providerId=google.com&id_token=a.b.c", ["providerId": "google.com", "id_token": "a.b.c"]),
        ("providerId=&nonce=", [:]),
        ("id_token=a=b==", ["id_token": "a=b=="]),
        // Names are case-sensitive and not decoded.
        ("ProviderId=a&provider%49d=b", [:]),
        // Escapes, and text that is none.
        ("nonce=%41%2B%26&code=50%&state=%zz%4", ["nonce": "A+&", "code": "50%", "state": "%zz%4"]),
        ("nonce=%ff%41", ["nonce": "%ff%41"]),
        ("nonce=caf%C3%A9", ["nonce": "café"]),
        // Base64 whose encoding was removed.
        (
            "nonce=a+b/c==&SAMLResponse=PD+/&RelayState=r",
            ["nonce": "a+b/c==", "SAMLResponse": "PD+/", "RelayState": "r"]
        ),
        (
            "access_token=a&oauth_token_secret=s&iss=https%3A%2F%2Fi&error=access_denied&error_description=x",
            ["access_token": "a", "oauth_token_secret": "s", "iss": "https://i", "error": "access_denied"]
        ),
        ("pending_id_token=p", ["pending_id_token": "p"]),
    ])
    func parametersAreRead(text: String, values: [String: String]) throws {
        #expect(try Self.parse(text) == values)
    }

    @Test(arguments: [
        // As a browser sends the form.
        (
            "code=c&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Mary+Ann%22%7D%7D&state=s",
            #"{"name":{"firstName":"Mary Ann"}}"#
        ),
        // As iOS sends it.
        (
            #"code=c&user={"name":{"firstName":"A & B=C 50%41","lastName":"+}"}}&state=s&identifier=a+b@x.org"#,
            #"{"name":{"firstName":"A & B=C 50%41","lastName":"+}"}}"#
        ),
        (
            #"state=s&code=c&user={"name":{"firstName":"&code=d&state=t"}}"#,
            #"{"name":{"firstName":"&code=d&state=t"}}"#
        ),
        ("code=c&state=s&user={", "{"),
        (#"code=c&user={"a&state=s"#, #"{"a"#),
    ])
    func userIsRead(text: String, user: String) throws {
        #expect(try Self.parse(text) == ["code": "c", "state": "s", "user": user])
    }

    @Test func partsAreMerged() throws {
        #expect(
            try Self.parse("id_token=t", "providerId=p&nonce=n", "nonce=n&state=")
                == ["id_token": "t", "providerId": "p", "nonce": "n"])
    }

    @Test(arguments: [["nonce=a&nonce=b"], ["state=a", "state=b"]])
    func conflictingValuesAreRefused(parts: [String]) throws {
        let error = try #require(throws: ServiceError.self) { try PostBody(parts.map { $0[...] }) }
        #expect(error.code == .invalidProviderCredential && error.message?.hasSuffix("has two values") == true)
    }

    @Test func parametersAreBounded() throws {
        let full = Array(repeating: "a=b", count: PostBody.maximumPairs).joined(separator: "&")
        #expect(try Self.parse(full).isEmpty)
        #expect(throws: ServiceError.self) { try Self.parse(full + "&") }
        #expect(throws: ServiceError.self) { try Self.parse(full, "a=b") }
    }

    @Test func responseHasEveryParameter() throws {
        let body = try PostBody([
            "providerId=p&id_token=i&access_token=a&oauth_token_secret=s&nonce=n&code=c&state=t&iss=u&user=%7B%7D&error=e",
            "SAMLResponse=r&RelayState=y",
        ])
        #expect(
            body.response
                == .init(
                    providerID: "p", idToken: Secret("i"), accessToken: Secret("a"), tokenSecret: Secret("s"),
                    nonce: Secret("n"), code: Secret("c"), state: Secret("t"), issuer: "u", user: "{}", error: "e",
                    samlResponse: Secret("r"), relayState: Secret("y")))
        #expect(body.pendingToken == nil)
        #expect(try PostBody(["pending_id_token=p"]).pendingToken == Secret("p"))
    }
}
