import Crypto
import Foundation
import JOSE
import TestSupport
import Testing
import Vocabulary

@Suite struct JWTTests {
    private struct Vectors: Decodable {
        struct JWS: Decodable {
            var id, alg, jws: String
            var key: JSONKey?
            var valid: Bool
        }
        struct PKCE: Decodable { var verifier, challengeS256: String }
        var jws: [JWS]
        var pkce: PKCE
    }

    /// A key, possibly of an unsupported type.
    private struct JSONKey: Decodable {
        let key: JWK?
        init(from decoder: any Decoder) { key = try? JWK(from: decoder) }
    }

    private let vectors: Vectors
    private let claims = Data(#"{"sub":"user-1","n":9007199254740993}"#.utf8)

    init() throws {
        vectors = try VectorFile.load("jose-rfc.json")
    }

    @Test func supportedRFCSignaturesAreValid() throws {
        var checked: [String] = []
        for vector in vectors.jws where SignatureAlgorithm(rawValue: vector.alg) != nil {
            let key = try #require(vector.key?.key).key
            #expect(try UnverifiedJWT(vector.jws).isSigned(by: key) == vector.valid)
            checked.append(vector.id)
        }
        #expect(checked == ["rfc7515-A.2", "rfc7515-A.3"])
    }

    @Test func tokensOfOtherAlgorithmsAreRefused() throws {
        let key = try PrivateKey.generateP256().publicKey
        for vector in vectors.jws where SignatureAlgorithm(rawValue: vector.alg) == nil {
            #expect(vector.key?.key == nil)
            // `try?`: some are already rejected by the parser.
            if let token = try? UnverifiedJWT(vector.jws) { #expect(!token.isSigned(by: key)) }
            let verifier = JWTVerifier(
                keys: JWKSet([JWK(key, keyID: "k")]), algorithms: Set(SignatureAlgorithm.allCases), issuers: ["joe"],
                audiences: ["a"])
            #expect(throws: JWTError.self) { try verifier.verify(vector.jws, at: Timestamp(seconds: 1_300_000_000)) }
        }
    }

    /// RFC 7636 appendix B needs only a digest.
    @Test func pkceChallengeMatchesVector() {
        #expect(Base64URL.encode(SHA2.sha256(Array(vectors.pkce.verifier.utf8))) == vectors.pkce.challengeS256)
    }

    @Test func signedTokenHasExpectedHeaderAndClaims() throws {
        let key = try TestKey.rsa()
        let token = try UnverifiedJWT(JWT.sign(claims: claims, keyID: "k\"1", with: key))
        #expect(token.header.algorithm == .rs256)
        #expect(token.header.keyID == "k\"1")
        #expect(token.header.type == "JWT")
        #expect(token.claims == claims)
        #expect(token.isSigned(by: key.publicKey))
        #expect(!token.isUnsecured)
        let cookie = try UnverifiedJWT(JWT.sign(claims: claims, keyID: "k", with: key, includesType: false))
        #expect(cookie.header.type == nil)
    }

    @Test func unsignedTokenIsRecognized() throws {
        let compact = JWT.unsigned(claims: claims)
        #expect(compact.hasPrefix("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0."))
        #expect(compact.hasSuffix("."))
        let token = try UnverifiedJWT(compact)
        #expect(token.isUnsecured)
        #expect(token.claims == claims)
        #expect(try !token.isSigned(by: PrivateKey.generateP256().publicKey))
    }

    @Test func integersOfClaimsStayExact() throws {
        struct Claims: Decodable { var n: Int64 }
        let token = try UnverifiedJWT(JWT.unsigned(claims: claims))
        #expect(try token.claims(as: Claims.self).n == 9_007_199_254_740_993)
        struct Others: Decodable { var missing: String }
        #expect(throws: JWTError.malformed) { try token.claims(as: Others.self) }
    }

    @Test func oversizedTokenIsRefused() throws {
        func token(_ bytes: Int) -> String {
            let empty = JWT.unsigned(claims: Data()).utf8.count
            let text = (bytes - empty) * 3 / 4 - #"{"a":""}"#.utf8.count
            return JWT.unsigned(claims: Data(#"{"a":"\#(String(repeating: "x", count: text))"}"#.utf8))
        }
        let longest = token(UnverifiedJWT.maximumBytes)
        #expect(longest.utf8.count <= UnverifiedJWT.maximumBytes && longest.utf8.count > UnverifiedJWT.maximumBytes - 4)
        #expect(throws: Never.self) { try UnverifiedJWT(longest) }
        #expect(throws: JWTError.malformed) { try UnverifiedJWT(token(UnverifiedJWT.maximumBytes + 8)) }
    }

    /// Arbitrary bytes are rejected or parsed without a crash.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func randomTextDoesNotTrap(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var text = JWT.unsigned(claims: claims) + Base64URL.encode(random.bytes(8))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            var characters = Array(text)
            let position = Int.random(in: 0..<characters.count, using: &random)
            characters[position] = ".AZaz09-_={\u{0}é".randomElement(using: &random) ?? "."
            text = String(characters)
        }
        do throws(JWTError) {
            let token = try UnverifiedJWT(text)
            #expect(token.signingInput.count < text.utf8.count)
        } catch {
            #expect(error == .malformed || error == .unsupportedHeader)
        }
    }
}
