package import Crypto

/// A signature algorithm by its number in the IANA registry "COSE Algorithms". Algorithms that are not listed, such as
/// RS1 with SHA-1, are rejected.
package enum COSEAlgorithm: Int64, CaseIterable, Hashable, Sendable {
    case es256 = -7
    case es384 = -35
    case es512 = -36
    /// EdDSA, in WebAuthn with Ed25519 only (Web Authentication Level 3 §5.8.5).
    case edDSA = -8
    case ed448 = -53
    case rs256 = -257
    case rs384 = -258
    case rs512 = -259
    case ps256 = -37
    case ps384 = -38
    case ps512 = -39

    /// The algorithms to offer to authenticators, most preferred first.
    package static let offeredByDefault: [COSEAlgorithm] = [.es256, .edDSA, .rs256]

    package var scheme: SignatureScheme {
        switch self {
        case .es256: .ecdsa(.sha256)
        case .es384: .ecdsa(.sha384)
        case .es512: .ecdsa(.sha512)
        case .edDSA, .ed448: .edDSA
        case .rs256: .rsaPKCS1(.sha256)
        case .rs384: .rsaPKCS1(.sha384)
        case .rs512: .rsaPKCS1(.sha512)
        case .ps256: .rsaPSS(.sha256)
        case .ps384: .rsaPSS(.sha384)
        case .ps512: .rsaPSS(.sha512)
        }
    }

    /// The only type of key for this algorithm in WebAuthn.
    package var keyType: VerificationKey.KeyType {
        switch self {
        case .es256: .ellipticCurve(.p256)
        case .es384: .ellipticCurve(.p384)
        case .es512: .ellipticCurve(.p521)
        case .edDSA: .edwards(.ed25519)
        case .ed448: .edwards(.ed448)
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        }
    }
}
