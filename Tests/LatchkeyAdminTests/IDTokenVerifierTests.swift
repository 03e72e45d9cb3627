import Crypto
import Foundation
import JOSE
import TestSupport
import Testing

@testable import LatchkeyAdmin
@testable import LatchkeyAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Signs tokens as the server does, with claims that a test changes.
struct TokenSigner: Sendable {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    let keyID: String
    let privateKey: PrivateKey

    /// - Parameter keyName: the key id, unless two signers have one id.
    init(_ keyID: String = "k1", keyName: String? = nil) throws {
        self.keyID = keyID
        privateKey = try TestKey.rsa(keyName ?? keyID)
    }

    /// A token of the project `shop`, which was issued ten minutes ago.
    func token(
        issuer: String = "https://securetoken.google.com/shop", changing changes: [String: any Sendable] = [:],
        removing removed: Set<String> = []
    ) throws -> String {
        try JWT.sign(claims: Self.claims(issuer: issuer, changes, removed), keyID: keyID, with: privateKey)
    }

    static func claims(
        issuer: String = "https://securetoken.google.com/shop", _ changes: [String: any Sendable] = [:],
        _ removed: Set<String> = []
    ) throws -> Data {
        let issuedAt = Int(now.timeIntervalSince1970) - 600
        var claims: [String: any Sendable] = [
            "iss": issuer, "aud": "shop", "sub": "ada", "user_id": "ada", "iat": issuedAt, "exp": issuedAt + 3600,
            "auth_time": issuedAt, "email": "ada@example.org", "email_verified": true, "role": "editor",
            "firebase": ["sign_in_provider": "password", "identities": [String: String]()] as [String: any Sendable],
        ]
        claims.merge(changes) { _, new in new }
        return try JSONSerialization.data(withJSONObject: claims.filter { !removed.contains($0.key) })
    }

    /// A token with any header.
    func token(header: String) throws -> String {
        let input = Data(header.utf8).base64URLText + "." + (try Self.claims().base64URLText)
        return input + "." + Data(try privateKey.sign(Array(input.utf8), .rs256)).base64URLText
    }

    static func jwkSet(_ signers: [TokenSigner]) throws -> Data {
        try JSONEncoder().encode(JWKSet(signers.map { JWK($0.privateKey.publicKey, keyID: $0.keyID) }))
    }

    func verifier(now: Date = TokenSigner.now, tolerance: Int = 60) throws -> IDTokenVerifier {
        let keys = try #require(PublishedKeys(jwkSet: Self.jwkSet([self])))
        return IDTokenVerifier(
            projectID: "shop", keys: .fixed(keys), clockToleranceSeconds: tolerance,
            clock: AuthClock(now: { now }, sleep: { _ in }))
    }
}

struct IDTokenVerifierTests {
    private static let signer = Result { try TokenSigner() }
    private let signer: TokenSigner

    init() throws { signer = try Self.signer.get() }

    // MARK: - Accepted tokens

    @Test func claimsAreRead() async throws {
        let firebase: [String: any Sendable] = [
            "sign_in_provider": "google.com", "sign_in_second_factor": "totp", "second_factor_identifier": "f1",
        ]
        let compact = try signer.token(changing: ["firebase": firebase, "name": "Ada", "phone_number": "+15555550100"])
        let token = try await signer.verifier().verify(compact)
        #expect(token.uid == "ada")
        #expect(token.projectID == "shop")
        #expect(token.tenantID == nil)
        #expect(token.email == "ada@example.org")
        #expect(token.isEmailVerified)
        #expect(token.displayName == "Ada")
        #expect(token.phoneNumber == "+15555550100")
        #expect(token.signInProvider == "google.com")
        #expect(token.signInSecondFactor == "totp")
        #expect(token.secondFactorID == "f1")
        #expect(token.issuedAt == TokenSigner.now - 600)
        #expect(token.authTime == TokenSigner.now - 600)
        #expect(token.expiresAt == TokenSigner.now + 3000)
        #expect(token.claims["role"] as? String == "editor")
        struct Role: Decodable { var role: String }
        #expect(try token.claims(as: Role.self).role == "editor")
    }

    @Test func sessionCookieNeedsItsOwnVerifier() async throws {
        let keys = try #require(PublishedKeys(jwkSet: TokenSigner.jwkSet([signer])))
        let cookies = SessionCookieVerifier(
            projectID: "shop", keys: .fixed(keys), clockToleranceSeconds: 60,
            clock: AuthClock(now: { TokenSigner.now }, sleep: { _ in }))
        let cookie = try signer.token(issuer: "https://session.firebase.google.com/shop")
        let token = try signer.token()
        #expect(try await cookies.verify(cookie).uid == "ada")
        await #expect(throws: IDTokenVerificationError.wrongIssuer) { try await cookies.verify(token) }
        await #expect(throws: IDTokenVerificationError.wrongIssuer) { try await signer.verifier().verify(cookie) }
    }

    // MARK: - Rejected claims

    struct Rejection: Sendable {
        var changes: [String: any Sendable]
        var removed: Set<String> = []
        var error: IDTokenVerificationError
    }

    @Test(arguments: [
        Rejection(changes: ["iss": "https://securetoken.google.com/other"], error: .wrongIssuer),
        Rejection(changes: ["iss": "https://securetoken.google.com/shop/"], error: .wrongIssuer),
        Rejection(changes: [:], removed: ["iss"], error: .malformed),
        Rejection(changes: ["aud": "other"], error: .wrongAudience),
        Rejection(changes: ["aud": ["shop", "other"]], error: .wrongAudience),
        Rejection(changes: ["aud": "shop/second-factor-enrollment"], error: .wrongAudience),
        Rejection(changes: [:], removed: ["aud"], error: .wrongAudience),
        Rejection(changes: ["sub": ""], error: .missingSubject),
        Rejection(changes: ["sub": 7], error: .missingSubject),
        Rejection(changes: [:], removed: ["sub"], error: .missingSubject),
        Rejection(changes: ["sub": String(repeating: "a", count: 129)], error: .missingSubject),
        Rejection(changes: [:], removed: ["exp"], error: .malformed),
        Rejection(changes: [:], removed: ["iat"], error: .malformed),
        Rejection(changes: [:], removed: ["auth_time"], error: .malformed),
        Rejection(changes: ["exp": "1800000000"], error: .malformed),
        Rejection(changes: ["exp": 1e300], error: .malformed),
        Rejection(changes: ["exp": -1], error: .malformed),
        Rejection(changes: ["firebase": "password"], error: .malformed),
        Rejection(changes: [:], removed: ["firebase"], error: .malformed),
        Rejection(changes: ["email": 7], error: .malformed),
    ])
    func tokenIsRejected(_ rejection: Rejection) async throws {
        let token = try signer.token(changing: rejection.changes, removing: rejection.removed)
        await #expect(throws: rejection.error) { try await signer.verifier().verify(token) }
    }

    @Test func accountIDHas128CharactersAtMost() async throws {
        let longest = String(repeating: "ü", count: 128)
        let token = try signer.token(changing: ["sub": longest])
        #expect(try await signer.verifier().verify(token).uid == longest)
    }

    @Test func timeBoundsAreExact() async throws {
        let token = try signer.token()
        func verify(at time: Date, tolerance: Int) async throws {
            _ = try await signer.verifier(now: time, tolerance: tolerance).verify(token)
        }
        for tolerance in [0, 60, 300] {
            let expiry = TokenSigner.now + 3000 + TimeInterval(tolerance)
            try await verify(at: expiry - 1, tolerance: tolerance)
            await #expect(throws: IDTokenVerificationError.expired) {
                try await verify(at: expiry, tolerance: tolerance)
            }
            let issue = TokenSigner.now - 600 - TimeInterval(tolerance)
            try await verify(at: issue, tolerance: tolerance)
            await #expect(throws: IDTokenVerificationError.issuedInFuture) {
                try await verify(at: issue - 1, tolerance: tolerance)
            }
        }
        let signInInFuture = try signer.token(changing: ["auth_time": Int(TokenSigner.now.timeIntervalSince1970) + 61])
        await #expect(throws: IDTokenVerificationError.issuedInFuture) {
            try await signer.verifier().verify(signInInFuture)
        }
    }

    @Test func tenantIsCompared() async throws {
        let project = try signer.token()
        let firebase: [String: any Sendable] = ["sign_in_provider": "password", "tenant": "t1"]
        let tenant = try signer.token(changing: ["firebase": firebase])
        let verifier = try signer.verifier()
        #expect(try await verifier.verify(tenant, tenant: .id("t1")).tenantID == "t1")
        #expect(try await verifier.verify(tenant, tenant: .any).tenantID == "t1")
        #expect(try await verifier.verify(project, tenant: .any).tenantID == nil)
        let refused: [(String, ExpectedTenant)] = [(tenant, .absent), (tenant, .id("t2")), (project, .id("t1"))]
        for (token, expected) in refused {
            await #expect(throws: IDTokenVerificationError.tenantMismatch) {
                try await verifier.verify(token, tenant: expected)
            }
        }
    }

    // MARK: - Rejected forms

    @Test(
        arguments: [
            (#"{"alg":"none","kid":"k1"}"#, .wrongAlgorithm), (#"{"alg":"HS256","kid":"k1"}"#, .wrongAlgorithm),
            (#"{"alg":"RS512","kid":"k1"}"#, .wrongAlgorithm), (#"{"alg":"rs256","kid":"k1"}"#, .wrongAlgorithm),
            (#"{"alg":"RS256","kid":"k1","crit":["b64"],"b64":false}"#, .wrongAlgorithm),
            (#"{"alg":"RS256","kid":"k1","zip":"DEF"}"#, .wrongAlgorithm),
            (#"{"alg":"RS256","kid":"k2"}"#, .unknownKey), (#"{"alg":"RS256"}"#, .unknownKey),
            (#"{"alg":"RS256","kid":7}"#, .malformed), (#"{"kid":"k1"}"#, .malformed),
            (#"{"alg":"RS256","kid":"k1","typ":"at+jwt"}"#, .malformed), ("[]", .malformed), ("", .malformed),
        ] as [(String, IDTokenVerificationError)])
    func headerIsRejected(header: String, error: IDTokenVerificationError) async throws {
        let token = try signer.token(header: header)
        await #expect(throws: error) { try await signer.verifier().verify(token) }
    }

    @Test func unsignedTokensAreRejected() async throws {
        let claims = try TokenSigner.claims()
        let authenticated = JWT.authenticated(claims: claims, key: [UInt8](repeating: 1, count: 32))
        for token in [JWT.unsigned(claims: claims), authenticated] {
            await #expect(throws: IDTokenVerificationError.wrongAlgorithm) { try await signer.verifier().verify(token) }
        }
    }

    @Test func keyOfAnotherServerIsRejected() async throws {
        let token = try TokenSigner(keyName: "other").token()
        await #expect(throws: IDTokenVerificationError.badSignature) { try await signer.verifier().verify(token) }
    }

    @Test func malformedTextIsRejected() async throws {
        let token = try signer.token()
        let parts = token.split(separator: ".")
        let texts = [
            "", ".", "..", "...", "a.b", token + ".", token + ".x", "." + token, token + "=", " " + token, token + "\n",
            token.replacingOccurrences(of: ".", with: ".\u{301}"), parts.dropLast().joined(separator: "."),
            String(repeating: "a", count: 20_000), String(repeating: ".", count: 20_000),
        ]
        let verifier = try signer.verifier()
        for text in texts {
            await #expect(throws: IDTokenVerificationError.malformed, "\(text.prefix(40))") {
                try await verifier.verify(text)
            }
        }
    }

    @Test func tokenHas16KiBAtMost() async throws {
        let withClaim = { (count: Int) in
            try signer.token(changing: ["padding": String(repeating: "a", count: count)])
        }
        let base = try withClaim(0).utf8.count
        // Three characters of a claim are four of the token.
        let longest = (CompactToken.maximumBytes - base) / 4 * 3
        #expect(try await signer.verifier().verify(withClaim(longest)).uid == "ada")
        await #expect(throws: IDTokenVerificationError.malformed) {
            try await signer.verifier().verify(try withClaim(longest + 6))
        }
    }

    @Test func tokenWithFlippedBitIsRejected() async throws {
        let token = Array(try signer.token().utf8)
        let verifier = try signer.verifier()
        // One bit of each character in turn: the others are those of other characters.
        for bit in stride(from: 0, to: token.count * 8, by: 7) {
            var changed = token
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Invalid UTF-8 never reaches a verifier.
            guard let text = String(validating: changed, as: UTF8.self) else { continue }
            await #expect(throws: IDTokenVerificationError.self, "bit \(bit)") { try await verifier.verify(text) }
        }
    }

    /// The errors that the server's own verifier finds; claims of other issuers are not those of this one.
    @Test func errorContainsNoToken() async throws {
        let token = try signer.token(changing: ["aud": "other"])
        let error = try await #require(throws: IDTokenVerificationError.self) {
            try await signer.verifier().verify(token)
        }
        #expect("\(error)" == "wrongAudience")
    }
}
