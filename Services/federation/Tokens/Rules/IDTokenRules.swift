import Contracts
import Crypto
import JOSE
import Vocabulary

/// The rules for one ID token, besides its keys.
struct IDTokenRules: Equatable, Sendable {
    var source: IDTokenSource
    /// The client IDs of the configuration.
    var audiences: Set<String>
    /// The nonce that the token must contain; nil if the request has none.
    var expectedNonce: String?
    /// The token is of a sign-in that was started here.
    var isOfStartedSignIn = false

    /// The maximum difference between the clocks.
    static let clockToleranceSeconds: Int64 = 60
    /// An older token is rejected, however long it is valid.
    static let maximumAgeSeconds: Int64 = 86_400

    /// The nonce claim for the raw nonce of a client: its SHA-256 in lower-case hexadecimal (REST 2.4).
    static func nonceClaim(forRaw nonce: String) -> String { SHA2.sha256(Array(nonce.utf8)).hexadecimal }

    /// Verifies a token.
    /// - Throws: `JWTError.unknownKey` when the keys may be outdated; otherwise `IDTokenError`.
    func verify(_ token: String, with keys: JWKSet, at now: Timestamp) throws -> VerifiedIDToken {
        let verified: VerifiedJWT
        do throws(JWTError) {
            let issuers = try issuers(of: token)
            var verifier = JWTVerifier(
                keys: signingKeys(of: issuers, in: keys), algorithms: source.algorithms, issuers: issuers,
                audiences: audiences,
                clockToleranceSeconds: Self.clockToleranceSeconds)
            verifier.allowsOtherPresenters = source.allowsOtherPresenters
            verified = try verifier.verify(token, at: now)
        } catch .unknownKey {
            throw JWTError.unknownKey
        } catch {
            throw IDTokenError.invalid(error)
        }
        guard verified.issuedAt > now - Self.maximumAgeSeconds - Self.clockToleranceSeconds else {
            throw IDTokenError.stale
        }
        guard let claims = ProviderClaims(json: verified.claims) else { throw IDTokenError.invalid(.malformed) }
        let nonce = claims.text("nonce")
        try checkNonce(nonce)
        return VerifiedIDToken(
            subject: verified.subject, claims: claims, json: String(decoding: verified.claims, as: UTF8.self),
            nonce: nonce,
            acceptableUntil: min(verified.expiresAt, verified.issuedAt + Self.maximumAgeSeconds)
                + Self.clockToleranceSeconds)
    }

    /// A nonce only in the request is accepted: some libraries send one that the provider was not asked to include.
    private func checkNonce(_ nonce: String?) throws(IDTokenError) {
        guard let nonce else {
            switch source.requiredNonce {
            case .inStartedSignIns where !isOfStartedSignIn, .never: return
            case .always, .inStartedSignIns: throw .nonceRequired
            }
        }
        guard let expectedNonce else { throw .missingNonce }
        guard constantTimeEquals(Array(nonce.utf8), Array(expectedNonce.utf8)) else { throw .wrongNonce }
    }

    /// Microsoft publishes the keys of all its clouds and tenants in one set, and the issuer of each beside it: a key signs
    /// tokens of that issuer only.
    private func signingKeys(of issuers: Set<String>, in keys: JWKSet) -> JWKSet {
        switch source.issuer {
        case .anyOf: keys
        case .ofTenant:
            JWKSet(
                keys.keys.filter { key in
                    guard let issuer = key.issuer else { return true }
                    let (before, behind) = issuer.halves(at: "{")
                    guard let behind else { return issuers.contains(issuer) }
                    let rest = behind.halves(at: "}").behind ?? ""
                    // The place of the tenant has any tenant; that of the token is part of its issuer.
                    return behind.hasPrefix("tenantid}")
                        && issuers.contains { $0.hasPrefix(String(before)) && $0.hasSuffix(String(rest)) }
                })
        }
    }

    private func issuers(of token: String) throws(JWTError) -> Set<String> {
        switch source.issuer {
        case .anyOf(let issuers): return issuers
        case .ofTenant(let before, let behind):
            struct Claims: Decodable { var tid: String }
            // Not verified yet: the signature covers the tenant, and the issuer must repeat it.
            let tenant = try UnverifiedJWT(token).claims(as: Claims.self).tid
            guard tenant.utf8.count == 36, tenant.utf8.allSatisfy({ $0.isASCIIHexadecimalDigit || $0 == 0x2d }) else {
                throw .wrongIssuer
            }
            return ["\(before)\(tenant)\(behind)"]
        }
    }
}

/// An ID token that passed `IDTokenRules`.
struct VerifiedIDToken: Equatable, Sendable {
    /// 1 to 255 bytes.
    var subject: String
    var claims: ProviderClaims
    /// The claims as the provider wrote them.
    var json: String
    var nonce: String?
    /// No later than this does the token pass again.
    var acceptableUntil: Timestamp
}

/// Why an ID token is rejected.
enum IDTokenError: Error, Equatable {
    case invalid(JWTError)
    /// Issued too long ago.
    case stale
    /// The token has a nonce, the request none.
    case missingNonce
    case wrongNonce
    /// The token has no nonce, and the provider's tokens must have one.
    case nonceRequired
    /// The nonce was used before.
    case duplicate

    /// The error for clients. It shows no value of the token.
    var serviceError: ServiceError {
        switch self {
        case .invalid(let error): ServiceError(.invalidProviderResponse, error.explanation)
        case .stale: ServiceError(.invalidProviderResponse, "The ID token was issued too long ago.")
        case .missingNonce: ServiceError(.missingNonce)
        case .wrongNonce:
            ServiceError(
                .nonceMismatch,
                "The nonce in ID Token does not match the SHA256 hash of the raw nonce in the request.")
        case .nonceRequired: ServiceError(.invalidProviderResponse, "The ID token contains no nonce.")
        case .duplicate: ServiceError(.duplicateProviderCredential)
        }
    }
}

extension JWTError {
    fileprivate var explanation: String {
        switch self {
        case .malformed: "The ID token is malformed."
        case .unsupportedHeader, .wrongType: "The token is not an ID token."
        case .algorithmNotAllowed: "The ID token has another signature algorithm than the provider."
        case .unknownKey: "The key of the ID token is not a key of the provider."
        case .invalidSignature: "The signature of the ID token is invalid."
        case .wrongIssuer: "The issuer of the ID token is not the provider."
        case .wrongAudience: "The audience of the ID token is not the configured client ID."
        case .invalidSubject: "The ID token has no valid subject."
        case .expired: "The ID token is expired."
        case .notYetValid: "The ID token is not valid yet."
        case .wrongNonce: "The ID token has another nonce."
        }
    }
}
