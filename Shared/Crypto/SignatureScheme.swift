/// A signature algorithm with its hash function. The key decides the curve or the length of the modulus.
package enum SignatureScheme: Hashable, Sendable {
    package enum Hash: Hashable, Sendable {
        /// Broken: collisions are feasible. Only the attestation of a TPM uses it, where they are no threat.
        case sha1
        case sha256, sha384, sha512

        package func digest(of message: [UInt8]) -> [UInt8] { algorithm.digest(message) }

        var algorithm: DigestAlgorithm {
            switch self {
            case .sha1: .sha1
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

    /// Nil for EdDSA.
    package var hash: Hash? {
        switch self {
        case .ecdsa(let hash), .rsaPKCS1(let hash), .rsaPSS(let hash): hash
        case .edDSA: nil
        }
    }
}
