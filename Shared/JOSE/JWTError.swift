/// Why a token is not acceptable.
package enum JWTError: Error, Equatable, Sendable {
    /// Not a compact JWS with JSON objects for header and claims, longer than allowed, or a member of the wrong type.
    case malformed
    /// The header asks for something we must understand and do not: `crit`, an unencoded payload, encryption.
    case unsupportedHeader
    /// Not a token of the kind that is wanted here (RFC 8725 §3.11).
    case wrongType
    /// None, unknown, or not among those that are allowed here.
    case algorithmNotAllowed
    /// No key of the set is meant for this token.
    case unknownKey
    case invalidSignature
    case wrongIssuer
    /// For somebody else, or for several without saying who may present it.
    case wrongAudience
    case invalidSubject
    case expired
    /// `iat`, `nbf` or `auth_time` lies in the future.
    case notYetValid
    /// Not the one that was sent, or none.
    case wrongNonce
}
