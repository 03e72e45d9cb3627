internal import Crypto

extension TPMAttestation {
    /// The algorithm with which the attestation key of a TPM signed.
    ///
    /// RS1, RSA with SHA-1, is allowed here only: many TPMs of Windows computers sign their attestation with it. The
    /// signed structure is made by the TPM, and the owner of the TPM is the only person who could use a collision.
    /// Keys of credentials and certificates with SHA-1 remain refused.
    enum SignatureAlgorithm {
        case rs1
        case other(COSEAlgorithm, SignatureScheme.Hash)

        /// - Parameter number: of COSE.
        /// - Returns: nil for an unknown algorithm, and for one without a separate hash.
        init?(_ number: Int64) {
            if number == -65535 {
                self = .rs1
            } else if let algorithm = COSEAlgorithm(rawValue: number), let hash = algorithm.scheme.hash {
                self = .other(algorithm, hash)
            } else {
                return nil
            }
        }

        var hash: SignatureScheme.Hash {
            switch self {
            case .rs1: .sha1
            case .other(_, let hash): hash
            }
        }

        var scheme: SignatureScheme {
            switch self {
            case .rs1: .rsaPKCS1(.sha1)
            case .other(let algorithm, _): algorithm.scheme
            }
        }

        var keyType: VerificationKey.KeyType {
            switch self {
            case .rs1: .rsa
            case .other(let algorithm, _): algorithm.keyType
            }
        }
    }
}
