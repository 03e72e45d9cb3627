import Crypto
import FoundationEssentials
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

/// `jwt-verifier.json` through the verification of ID tokens.
@Suite struct IDTokenRulesTests {
    struct Vectors: Decodable, Sendable {
        struct Verifier: Decodable, Sendable {
            var now: Int64
            var issuer, audience, nonce: String
            var allowedAlgorithms: [SignatureAlgorithm]
            var jwks: JWKSet
        }
        struct Case: Decodable, Sendable, CustomTestStringConvertible {
            var id, token: String
            var accept: Bool
            var testDescription: String { id }
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

    @Test(arguments: Vectors.published.cases)
    func publishedVectorsMatch(_ vector: Vectors.Case) {
        let settings = Vectors.published.verifier
        let rules = IDTokenRules(
            source: IDTokenSource(
                issuer: .anyOf([settings.issuer]), keySetURL: "https://idp.example/jwks",
                algorithms: Set(settings.allowedAlgorithms), requiredNonce: .always),
            audiences: [settings.audience], expectedNonce: settings.nonce)
        let verified = try? rules.verify(
            vector.token, with: settings.jwks, at: Timestamp(seconds: settings.now))
        #expect((verified != nil) == vector.accept)
    }

    /// Every bit of the signature of every accepted vector.
    @Test(arguments: Vectors.published.cases.filter(\.accept).prefix(4))
    func flippedSignatureBitIsRejected(_ vector: Vectors.Case) throws {
        let settings = Vectors.published.verifier
        let rules = IDTokenRules(
            source: IDTokenSource(
                issuer: .anyOf([settings.issuer]), keySetURL: "https://idp.example/jwks",
                algorithms: Set(settings.allowedAlgorithms)),
            audiences: [settings.audience], expectedNonce: settings.nonce)
        let (signed, text) = try #require(vector.token.lastHalves(at: "."))
        let signature = try #require(Base64URL.decode(text))
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let token = "\(signed).\(Base64URL.encode(changed))"
            #expect(throws: IDTokenError.invalid(.invalidSignature)) {
                try rules.verify(token, with: settings.jwks, at: Timestamp(seconds: settings.now))
            }
        }
    }

    @Test(
        arguments: [
            (.always, false, false), (.always, true, false), (.inStartedSignIns, false, true),
            (.inStartedSignIns, true, false), (.never, false, true), (.never, true, true),
        ] as [(IDTokenSource.RequiredNonce, Bool, Bool)])
    func tokenWithoutNonceIsForTheProviderToAllow(
        required: IDTokenSource.RequiredNonce, isOfStartedSignIn: Bool, isAccepted: Bool
    ) throws {
        let providers = try FakeProviders()
        let now = Moment(milliseconds: 1_700_000_000_000)
        let source = IDTokenSource(
            issuer: .anyOf(["https://idp.example"]), keySetURL: "https://idp.example/jwks", algorithms: [.rs256],
            requiredNonce: required)
        let rules = IDTokenRules(
            source: source, audiences: [FakeProviders.clientID], expectedNonce: "n",
            isOfStartedSignIn: isOfStartedSignIn)
        func result(_ claims: [String: JSONValue]) -> Bool {
            let token = try? providers.token(issuer: "https://idp.example", at: now, claims)
            return (try? rules.verify(token ?? "", with: providers.keySet, at: now.timestamp)) != nil
        }
        #expect(result([:]) == isAccepted)
        #expect(result(["nonce": "n"]) && !result(["nonce": "other"]))
    }

    @Test func nonceClaimIsHexadecimalDigest() {
        #expect(
            IDTokenRules.nonceClaim(forRaw: "abc")
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
