/// Why a metadata BLOB is refused.
package enum MetadataError: Error, Equatable, Sendable {
    /// Not a JWT in compact form with a readable header and payload, or larger than the limit.
    case malformed
    /// Signed with another algorithm than RS256 or ES256.
    case unsupportedAlgorithm
    /// The signing certificate has no valid path to the given root, with the reason, or another subject.
    case untrustedSigner(String)
    case invalidSignature
}
