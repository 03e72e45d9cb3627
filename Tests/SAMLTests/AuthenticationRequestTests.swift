import Crypto
import FoundationEssentials
import TestSupport
import Testing
import Vocabulary

@testable import SAML

@Suite struct AuthenticationRequestTests {
    private func request(_ destination: String = "https://idp.example/sso") throws -> AuthenticationRequest {
        AuthenticationRequest(
            id: "_1", issuedAt: TestIdentityProvider.now, destination: try #require(WebURL(destination)),
            issuer: "https://sp.example/?a=b&c=\"<d>\"", callbackURL: TestIdentityProvider.callbackURL)
    }

    private func items(_ url: String) throws -> [(String, String)] {
        try #require(WebURL(url)?.query).pieces(at: "&").map { item in
            let (name, value) = item.halves(at: "=")
            return (String(name), PercentEncoding.decoded(value ?? "") ?? "")
        }
    }

    @Test func requestIsWrittenToURL() throws {
        let url = try request().url(relayState: "state", signingKey: nil)
        #expect(url.hasPrefix("https://idp.example/sso?SAMLRequest="))
        let items = try items(url)
        #expect(items.map(\.0) == ["SAMLRequest", "RelayState"] && items.last?.1 == "state")
        let bytes = Array(try #require(Data(base64Encoded: items.first?.1 ?? "")))
        #expect(try AuthenticationRequest.stored(Array(request().xml.utf8)) == bytes)
        let document = try XMLDocument(Array(bytes.dropFirst(5)))
        let root = document.root
        #expect(root.isNamed("AuthnRequest", in: XMLNamespace.protocol))
        #expect(root.attribute("ID") == "_1" && root.attribute("Version") == "2.0")
        #expect(root.attribute("IssueInstant") == "2023-11-14T22:13:20Z")
        #expect(root.attribute("Destination") == "https://idp.example/sso")
        #expect(root.attribute("AssertionConsumerServiceURL") == TestIdentityProvider.callbackURL)
        #expect(
            root.soleChild("Issuer", in: XMLNamespace.assertion)?.value == "https://sp.example/?a=b&c=\"<d>\"")
    }

    @Test func queryOfDestinationStays() throws {
        let url = try request("https://idp.example/sso?tenant=a").url(relayState: "s", signingKey: nil)
        #expect(url.hasPrefix("https://idp.example/sso?tenant=a&SAMLRequest="))
    }

    /// SAML Bindings 3.4.4.1.
    @Test func signatureCoversParameters() throws {
        let key = try TestIdentityProvider.rsa.get().key
        let url = try request().url(relayState: "s/1", signingKey: key)
        let (signed, signature) = try #require(url.halves(at: "?").behind?.lastHalves(at: "&"))
        #expect(signed.hasPrefix("SAMLRequest=") && signed.contains("&RelayState=s%2F1&SigAlg=http%3A%2F%2F"))
        let value = try #require(Data(base64Encoded: try items(url).last?.1 ?? ""))
        #expect(signature.hasPrefix("Signature="))
        let publicKey = try VerificationKey(
            subjectPublicKeyInfo: TestIdentityProvider.rsa.get().samlCertificate().publicKey)
        let message = Array(signed.utf8)
        #expect(publicKey.isValid(signature: Array(value), for: message, .rsaPKCS1(.sha256)))
        for index in message.indices {
            var changed = message
            changed[index] ^= 1
            #expect(!publicKey.isValid(signature: Array(value), for: changed, .rsaPKCS1(.sha256)))
        }
    }

    /// RFC 1951 3.2.4.
    @Test func blocksAreStored() {
        #expect(AuthenticationRequest.stored([]) == [1, 0, 0, 0xff, 0xff])
        #expect(AuthenticationRequest.stored([7, 8]) == [1, 2, 0, 0xfd, 0xff, 7, 8])
        let long = AuthenticationRequest.stored([UInt8](repeating: 7, count: 0x10000))
        #expect(long.count == 0x10000 + 10)
        #expect(Array(long.prefix(5)) == [0, 0xff, 0xff, 0, 0] && long[0xffff + 5] == 1)
    }
}
