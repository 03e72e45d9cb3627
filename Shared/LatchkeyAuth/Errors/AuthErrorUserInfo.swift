// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those that applications know from Firebase Authentication.

/// The domain and the keys of ``AuthErrorCode`` as `NSError`.
public enum AuthErrors {
    /// ``AuthErrorDomain``.
    public static let domain = AuthErrorDomain
    /// ``AuthErrorUserInfoNameKey``.
    public static let userInfoNameKey = AuthErrorUserInfoNameKey
    /// ``AuthErrorUserInfoEmailKey``.
    public static let userInfoEmailKey = AuthErrorUserInfoEmailKey
    /// ``AuthErrorUserInfoUpdatedCredentialKey``.
    public static let userInfoUpdatedCredentialKey = AuthErrorUserInfoUpdatedCredentialKey
    /// ``AuthErrorUserInfoMultiFactorResolverKey``.
    public static let userInfoMultiFactorResolverKey = AuthErrorUserInfoMultiFactorResolverKey
}

/// The domain of ``AuthErrorCode`` as `NSError`.
public let AuthErrorDomain = "LatchkeyAuthErrorDomain"

/// The ``MultiFactorResolver`` of ``AuthErrorCode/secondFactorRequired``.
public let AuthErrorUserInfoMultiFactorResolverKey = "LatchkeyAuthErrorUserInfoMultiFactorResolverKey"

/// The name of the code, such as `ERROR_SECOND_FACTOR_REQUIRED`.
public let AuthErrorUserInfoNameKey = "LatchkeyAuthErrorUserInfoNameKey"

/// The e-mail address of the account that the credential collides with.
public let AuthErrorUserInfoEmailKey = "LatchkeyAuthErrorUserInfoEmailKey"

/// An ``AuthCredential`` that the server accepts once more, after a failure because of another account.
public let AuthErrorUserInfoUpdatedCredentialKey = "LatchkeyAuthErrorUserInfoUpdatedCredentialKey"

/// The code of the server, such as `INVALID_CODE`.
public let AuthErrorUserInfoServerCodeKey = "LatchkeyAuthErrorUserInfoServerCodeKey"

/// The detail of the server, for a developer.
public let AuthErrorUserInfoServerDetailKey = "LatchkeyAuthErrorUserInfoServerDetailKey"

/// The seconds until the server accepts the request, as an `Int`.
public let AuthErrorUserInfoRetryAfterKey = "LatchkeyAuthErrorUserInfoRetryAfterKey"
