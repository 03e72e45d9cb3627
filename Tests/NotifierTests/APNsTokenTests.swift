import Crypto
import Foundation
import JOSE
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// A key in the form that Apple issues.
func sampleAPNsKey() throws -> (pem: String, key: APNsSigningKey, publicKey: PublicKey) {
    let key = try PrivateKey.generateP256()
    let lines = Data(try key.pkcs8DER).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    let pem = "-----BEGIN PRIVATE KEY-----\n\(lines)\n-----END PRIVATE KEY-----\n"
    return (pem, try APNsSigningKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"), key.publicKey)
}

/// The header and claims of a provider token; nil if the signature does not match the key.
func readToken(_ text: String, _ key: PublicKey) -> (header: [String: String], claims: [String: Any])? {
    let segments = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard segments.count == 3, let signature = Base64URL.decode(segments[2]),
        key.isValid(signature: signature, for: Array("\(segments[0]).\(segments[1])".utf8), .es256),
        let header = Base64URL.decode(segments[0]), let claims = Base64URL.decode(segments[1])
    else { return nil }
    let read = { (bytes: [UInt8]) in try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] }
    guard let header = read(header) as? [String: String], let claims = read(claims) else { return nil }
    return (header, claims)
}

@Suite struct APNsTokenTests {
    @Test func tokenStatesIssuerAndTime() throws {
        let (_, key, publicKey) = try sampleAPNsKey()
        let token = try key.sign(at: Moment(milliseconds: 1_700_000_000_999))
        let (header, claims) = try #require(readToken(token, publicKey))
        #expect(header == ["alg": "ES256", "kid": "ABC123DEFG"])
        #expect(claims["iss"] as? String == "DEF123GHIJ")
        #expect(claims["iat"] as? Int64 == 1_700_000_000)
        #expect(claims.count == 2)
    }

    /// One flipped bit in the header, the claims, or either half of the signature.
    @Test func modifiedTokenIsRejected() throws {
        let (_, key, publicKey) = try sampleAPNsKey()
        let token = try key.sign(at: Moment(milliseconds: 0))
        let segments = try token.split(separator: ".").map { try #require(Base64URL.decode(String($0))) }
        for segment in 0..<3 {
            for byte in segments[segment].indices {
                var changed = segments
                changed[segment][byte] ^= 1
                #expect(readToken(changed.map { Base64URL.encode($0) }.joined(separator: "."), publicKey) == nil)
            }
        }
        #expect(readToken(token, try PrivateKey.generateP256().publicKey) == nil)
    }

    @Test func invalidKeyIsRejected() throws {
        #expect(throws: CryptoError.malformedKey) { try APNsSigningKey(pem: "nothing", keyID: "K", teamID: "T") }
        let rsa = Data(try TestKey.rsa().pkcs8DER).base64EncodedString()
        #expect(throws: CryptoError.unsupportedKey) {
            try APNsSigningKey(
                pem: "-----BEGIN PRIVATE KEY-----\n\(rsa)\n-----END PRIVATE KEY-----\n", keyID: "K", teamID: "T")
        }
    }

    @Test func tokenIsReusedForFortyMinutes() throws {
        let (_, key, _) = try sampleAPNsKey()
        let clock = ManualClock()
        let tokens = APNsTokenCache(key)
        let first = try tokens.current(at: clock.now, clock.instant)
        clock.advance(by: .seconds(40 * 60 - 1))
        #expect(try tokens.current(at: clock.now, clock.instant) == first)
        clock.advance(by: .seconds(1))
        let second = try tokens.current(at: clock.now, clock.instant)
        #expect(second.issuedAt == clock.now)
        clock.advance(by: .seconds(-60))
        #expect(try tokens.current(at: clock.now, clock.instant).issuedAt == clock.now, "none from the future")
    }

    @Test func refusedTokenIsReplacedOnceInTwentyMinutes() throws {
        let (_, key, _) = try sampleAPNsKey()
        let clock = ManualClock()
        let tokens = APNsTokenCache(key)
        let first = try tokens.current(at: clock.now, clock.instant)
        let second = try #require(try tokens.successor(of: first, at: clock.now, clock.instant))
        #expect(second != first)
        #expect(
            try tokens.successor(of: first, at: clock.now, clock.instant) == second,
            "who finds out later takes the same")
        #expect(try tokens.current(at: clock.now, clock.instant) == second)
        #expect(try tokens.successor(of: second, at: clock.now, clock.instant) == nil)
        clock.advance(by: .seconds(20 * 60))
        #expect(try tokens.successor(of: second, at: clock.now, clock.instant) != nil)
    }
}
