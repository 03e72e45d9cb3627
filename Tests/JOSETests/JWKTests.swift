import Crypto
import Foundation
import JOSE
import TestSupport
import Testing
import Vocabulary

@Suite struct JWKTests {
    private static let modulus = Base64URL.encode([UInt8](repeating: 0xff, count: 256))

    @Test func publishedKeyRoundTrips() throws {
        for key in [try TestKey.rsa().publicKey, try PrivateKey.generateP256().publicKey] {
            let json = try JSONEncoder().encode(JWKSet([JWK(key, keyID: "k1")]))
            let again = try #require(try JWKSet(json: json).keys.first)
            #expect(again.keyID == "k1")
            #expect(try again.key.subjectPublicKeyInfo == key.subjectPublicKeyInfo)
        }
    }

    @Test func publishedKeyHasRequiredMembers() throws {
        let rsa = JWK(try TestKey.rsa().publicKey, keyID: "k1")
        let members = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(rsa)) as? [String: String])
        #expect(Set(members.keys) == ["kty", "alg", "use", "kid", "n", "e"])
        #expect(members["e"] == "AQAB")
        #expect(members["alg"] == "RS256")
        #expect(members["use"] == "sig")
    }

    @Test(arguments: [
        #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#,
        #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","use":"sig","alg":"RS256","key_ops":["verify"],"x5t":"?"}"#,
    ])
    func signatureKeyIsAccepted(json: String) throws {
        #expect(try JWKSet(json: Data(#"{"keys":[\#(json)]}"#.utf8)).keys.count == 1)
    }

    @Test(arguments: [
        #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","use":"enc"}"#,
        #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","alg":"PS256"}"#,
        #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","key_ops":["encrypt"]}"#,
        #"{"kty":"RSA","n":"\#(modulus)","e":"AQ"}"#,
        #"{"kty":"RSA","n":"\#(modulus)="  ,"e":"AQAB"}"#,
        #"{"kty":"RSA","n":"_w","e":"AQAB"}"#,
        #"{"kty":"RSA","n":"\#(modulus)"}"#,
        #"{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}"#,
        #"{"kty":"EC","crv":"P-384","x":"AQ","y":"AQ"}"#,
        #"{"kty":"oct","k":"AQ"}"#,
        #"{"n":"\#(modulus)","e":"AQAB"}"#,
        "[]", "null", "5",
    ])
    func unsupportedKeyIsIgnored(json: String) throws {
        #expect(try JWKSet(json: Data(#"{"keys":[\#(json)]}"#.utf8)).keys.isEmpty)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[]} x"#,
        #"{"keys":\#(String(repeating: "[", count: 40))\#(String(repeating: "]", count: 40))}"#,
    ])
    func malformedSetIsRefused(json: String) {
        #expect(throws: JWTError.malformed) { try JWKSet(json: Data(json.utf8)) }
    }
}
