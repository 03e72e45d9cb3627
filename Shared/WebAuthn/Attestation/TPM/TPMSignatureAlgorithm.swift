import Crypto

extension TPMAttestation {
    /// The algorithm with which the attestation key of a TPM signed.
    ///
    /// RS1, RSA with SHA-1, is allowed here only: many TPMs of Windows computers sign their attestation with it. The
    /// signed structure is made by the TPM, and the owner of the TPM is the only person who could use a collision.
    /// Keys of credentials and certificates with SHA-1 remain refused.
    struct SignatureAlgorithm {
        let scheme: SignatureScheme
        let keyType: VerificationKey.KeyType

        private static let rs1: Int64 = -65535

        /// - Parameter number: of COSE.
        /// - Returns: nil for an unknown algorithm.
        init?(_ number: Int64) {
            if number == Self.rs1 {
                scheme = .rsaPKCS1WithSHA1
                keyType = .rsa
            } else if let algorithm = COSEAlgorithm(rawValue: number) {
                scheme = algorithm.scheme
                keyType = algorithm.keyType
            } else {
                return nil
            }
        }
    }
}
