import Foundation
import Testing

@testable import LatchkeyAuth

/// The tokens of identity providers as the server receives them.
struct ProviderCredentialTests {
    private func body(_ tokens: ProviderTokens, provider: String = "oidc.example") -> String {
        FormBody(provider: provider, tokens).text
    }

    @Test func parametersAreEncoded() {
        let tokens = ProviderTokens(idToken: "a&b=c+d%e f/?#é", rawNonce: "-._~09azAZ", accessToken: "\n\u{0}\"")
        #expect(
            body(tokens)
                == "providerId=oidc.example&id_token=a%26b%3Dc%2Bd%25e%20f%2F%3F%23%C3%A9&nonce=-._~09azAZ"
                + "&access_token=%0A%00%22")
        #expect(body(ProviderTokens(secret: "s"), provider: "a&b") == "providerId=a%26b&oauth_token_secret=s")
    }

    /// A parser of forms reads the same values again.
    @Test(arguments: ["a=b&c=d", "100%", "a+b c", "&&==", "ü 漢 🙂", ""])
    func encodedTextIsReadAgain(text: String) throws {
        let form = body(ProviderTokens(idToken: text))
        let query = try #require(URLComponents(string: "https://x/?" + form)?.queryItems)
        #expect(query.map(\.name) == ["providerId", "id_token"] && query.last?.value == text)
    }

    @Test func nameOfAppleIsSentAsItsPageDoes() throws {
        var name = PersonNameComponents()
        #expect(body(ProviderTokens(fullName: name)) == "providerId=oidc.example")
        name.givenName = #"Ada "A" & B"#
        name.familyName = "Lovelace"
        let form = body(ProviderTokens(idToken: "t", fullName: name))
        let query = try #require(URLComponents(string: "https://x/?" + form)?.queryItems)
        let user = try #require(query.last?.value.flatMap { JSONObject(Data($0.utf8)) })
        let names = try #require(user.members["name"] as? [String: any Sendable])
        #expect(query.last?.name == "user" && names.count == 2)
        #expect(names["firstName"] as? String == #"Ada "A" & B"# && names["lastName"] as? String == "Lovelace")
    }

    @Test func credentialsHaveTheirProvider() {
        #expect(FacebookAuthProvider.credential(withAccessToken: "t").provider == "facebook.com")
        #expect(GoogleAuthProvider.credential(withIDToken: "i", accessToken: "a").provider == "google.com")
        #expect(GitHubAuthProvider.credential(withToken: "t").provider == "github.com")
        #expect(EmailAuthProvider.credential(withEmail: "e", password: "p").provider == "password")
        let limited = OAuthProvider.credential(withProviderID: "facebook.com", idToken: "i", rawNonce: "n")
        #expect(limited.idToken == "i" && limited.accessToken == nil && limited.secret == nil)
        let older = OAuthProvider.credential(withProviderID: "facebook.com", IDToken: "i", rawNonce: "n")
        #expect(older.idToken == "i")
    }

    @Test func nonceIsRandomAndOfItsLength() {
        let nonces = Set((0..<100).map { _ in randomNonceString() })
        #expect(nonces.count == 100 && nonces.allSatisfy { $0.utf8.count == 32 })
        #expect(randomNonceString(length: 1).utf8.count == 1)
        #expect(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
