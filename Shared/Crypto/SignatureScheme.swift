/// A signature algorithm with its hash function. The key decides the curve or the length of the modulus.
package enum SignatureScheme: Hashable, Sendable {
    package enum Hash: Hashable, Sendable {
        case sha256, sha384, sha512

        var digest: DigestAlgorithm {
            switch self {
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            }
        }
    }

    /// ECDSA (FIPS 186-4). The signature is DER (RFC 3279 §2.2.3) in its only valid encoding.
    case ecdsa(Hash)
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case rsaPKCS1(Hash)
    /// RSASSA-PSS (RFC 8017 §8.1) with MGF1 of the same hash and a salt as long as the hash.
    case rsaPSS(Hash)
    /// Ed25519 or Ed448 (RFC 8032), which hash the message themselves.
    case edDSA
    /// RSASSA-PKCS1-v1_5 with SHA-1, for which collisions are feasible. Only the attestation of a TPM may use it: there
    /// they are no threat.
    case rsaPKCS1WithSHA1

    /// The hash of a message that this scheme signs; nil for EdDSA.
    package func digest(of message: [UInt8]) -> [UInt8]? { digest?.digest(message) }

    /// Nil for EdDSA.
    var digest: DigestAlgorithm? {
        switch self {
        case .ecdsa(let hash), .rsaPKCS1(let hash), .rsaPSS(let hash): hash.digest
        case .rsaPKCS1WithSHA1: .sha1
        case .edDSA: nil
        }
    }
}
