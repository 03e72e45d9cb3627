/// Why a token is not accepted. No case contains the token.
public enum IDTokenVerificationError: Error, Hashable, Sendable {
    /// Not a JWS in compact form (RFC 7515 section 7.1) with JSON objects, longer than 16 KiB, or a claim is missing or
    /// has another type.
    case malformed
    /// The header names another algorithm than RS256, such as `none` or HS256, or demands an extension.
    case wrongAlgorithm
    /// The server publishes no key with the ID in the header: the token is of another server, or of a retired key.
    case unknownKey
    /// The signature is not that of the key.
    case badSignature
    /// The token is of another project, or of another kind: an ID token is no session cookie.
    case wrongIssuer
    /// The token is for another audience, such as that of a session which may only enroll a second factor.
    case wrongAudience
    /// The token has no account ID of 1 to 128 characters.
    case missingSubject
    /// The token has expired.
    case expired
    /// The token was issued in the future, by more than the tolerance.
    case issuedInFuture
    /// The account is in another tenant than the expected one.
    case tenantMismatch
    /// The keys of the server are not known: it cannot be reached, and the last keys are too old.
    case keysUnavailable
    /// An administrator, or a change of the account, has ended the session. Only with `checkRevoked`.
    case revoked
    /// The account is disabled. Only with `checkRevoked`.
    case userDisabled
}

/// The tenant of the accounts whose tokens a backend accepts.
public enum ExpectedTenant: Hashable, Sendable {
    /// Accounts of the project itself.
    case absent
    /// Accounts of the tenant with this ID.
    case id(String)
    /// All accounts. Compare `tenantID` and `uid`: two tenants can have accounts with the same ID.
    case any
}
