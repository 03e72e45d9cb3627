import Crypto
import Foundation
import JOSE
import TestSupport
import Testing
import Vocabulary

@Suite struct JWTVerifierTests {
    /// `jwt-verifier.json`: a verifier, and tokens to accept or reject.
    struct Vectors: Decodable, Sendable {
        struct Verifier: Decodable, Sendable {
            var now: Int64
            var clockTolerance: Int64
            var issuer, audience, nonce: String
            var allowedAlgorithms: [SignatureAlgorithm]
            var jwks: JWKSet
        }
        struct Case: Decodable, Sendable, CustomTestStringConvertible {
            var id, token, why: String
            var accept: Bool
            var testDescription: String { "\(id): \(why)" }
        }
        var verifier: Verifier
        var cases: [Case]

        static let published: Vectors = {
            do {
                return try VectorFile.load("jwt-verifier.json")
            } catch {
                fatalError("no vectors, no tests: \(error)")
            }
        }()
    }

    private let verifier: JWTVerifier
    private let now: Timestamp

    init() {
        let settings = Vectors.published.verifier
        verifier = JWTVerifier(
            keys: settings.jwks, algorithms: Set(settings.allowedAlgorithms), issuers: [settings.issuer],
            audiences: [settings.audience], clockToleranceSeconds: settings.clockTolerance, nonce: settings.nonce)
        now = Timestamp(seconds: settings.now)
    }

    @Test func everyVectorIsLoaded() {
        #expect(Vectors.published.cases.count == 71)
    }

    @Test(arguments: Vectors.published.cases)
    func publishedVectorsMatch(_ vector: Vectors.Case) throws {
        if vector.accept {
            let token = try verifier.verify(vector.token, at: now)
            #expect(token.subject == "user-1")
            #expect(token.issuer == "https://idp.example")
        } else {
            #expect(throws: JWTError.self) { try verifier.verify(vector.token, at: now) }
        }
    }

    /// Rejected for the intended reason, and not because of another error in the case.
    @Test(
        arguments: [
            ("alg-none", .algorithmNotAllowed), ("alg-hs256-public-key", .algorithmNotAllowed),
            ("alg-ec-kid-for-rs256", .unknownKey), ("kid-absent", .unknownKey), ("key-use-enc", .unknownKey),
            ("key-1024", .unknownKey), ("crit-unknown", .unsupportedHeader), ("b64-false", .unsupportedHeader),
            ("zip", .unsupportedHeader), ("sig-other-key", .invalidSignature), ("jku-header", .invalidSignature),
            ("payload-changed", .invalidSignature), ("es256-der-signature", .invalidSignature),
            ("claims-dup", .malformed),
            ("claims-deep", .malformed), ("exp-huge", .malformed), ("exp-string", .malformed), ("expired", .expired),
            ("iat-future", .notYetValid), ("nbf-future", .notYetValid), ("auth-time-future", .notYetValid),
            ("iss-trailing-slash", .wrongIssuer), ("aud-prefix", .wrongAudience), ("aud-empty-array", .wrongAudience),
            ("aud-array-untrusted", .wrongAudience), ("azp-other", .wrongAudience), ("sub-256", .invalidSubject),
            ("sub-empty", .invalidSubject), ("nonce-other", .wrongNonce), ("nonce-absent", .wrongNonce),
            ("typ-access-token", .wrongType),
        ] as [(String, JWTError)])
    func refusalHasExpectedReason(id: String, reason: JWTError) throws {
        let vector = try #require(Vectors.published.cases.first { $0.id == id })
        #expect(throws: reason) { try verifier.verify(vector.token, at: now) }
    }

    @Test func timeBoundsAreExactToTheSecond() throws {
        let token = try #require(Vectors.published.cases.first { $0.id == "valid" }).token
        let valid = try verifier.verify(token, at: now)
        let last = valid.expiresAt + 59
        #expect(throws: Never.self) { try verifier.verify(token, at: last) }
        #expect(throws: JWTError.expired) { try verifier.verify(token, at: last + 1) }
        let first = valid.issuedAt + -60
        #expect(throws: Never.self) { try verifier.verify(token, at: first) }
        #expect(throws: JWTError.notYetValid) { try verifier.verify(token, at: first + -1) }
    }

    @Test func emptyNonceCountsAsNone() throws {
        let token = try #require(Vectors.published.cases.first { $0.id == "nonce-absent" }).token
        var verifier = verifier
        verifier.nonce = nil
        #expect(throws: Never.self) { try verifier.verify(token, at: now) }
    }

    @Test(arguments: ["valid", "valid-es256"])
    func tokenWithFlippedBitIsRefused(id: String) throws {
        let token = Array(try #require(Vectors.published.cases.first { $0.id == id }).token.utf8)
        for bit in 0..<token.count * 8 {
            var changed = token
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Invalid UTF-8 never reaches a verifier.
            guard let text = String(validating: changed, as: UTF8.self) else { continue }
            #expect(throws: JWTError.self, "bit \(bit)") { try verifier.verify(text, at: now) }
        }
    }
}
