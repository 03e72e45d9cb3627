/// Why a token is rejected.
package enum JWTError: Error, Equatable, Sendable {
    /// Not a compact JWS with JSON objects for header and claims, longer than allowed, or a member of the wrong type.
    case malformed
    /// The header requires an unsupported feature: `crit`, an unencoded payload, encryption.
    case unsupportedHeader
    /// Not the expected type of token (RFC 8725 §3.11).
    case wrongType
    /// None, unknown, or not allowed here.
    case algorithmNotAllowed
    /// No key of the set matches this token.
    case unknownKey
    case invalidSignature
    case wrongIssuer
    /// For another audience, or for several without `azp`.
    case wrongAudience
    case invalidSubject
    case expired
    /// `iat`, `nbf` or `auth_time` is in the future.
    case notYetValid
    /// The nonce is missing or differs from the expected one.
    case wrongNonce
}
