import Vocabulary

/// Why identity refuses. What each becomes on the wire stands in `IdentityError+Wire.swift`.
enum IdentityError: Error, Equatable, Sendable {
    // Tokens and sessions.
    case missingIDToken
    case invalidIDToken
    case sessionExpired
    case missingRefreshToken
    case invalidRefreshToken
    case signInTooOld
    case missingCustomToken
    case invalidCustomToken(String)
    case credentialMismatch
    case missingIdentifier
    case invalidIdentifier
    case invalidDuration

    // Service accounts.
    case invalidServiceAccount
    case serviceAccountConflict
    case serviceAccountNotFound
    case invalidAssertion(String)
    case invalidScope
    case invalidAccessToken

    // Accounts.
    case accountNotFound
    case accountDisabled
    case accountIDExists
    case invalidAccountID
    case missingAccountID
    case accountMismatch
    case missingEmail
    case invalidEmail
    case emailExists
    case emailNotFound
    case missingPassword
    case wrongPassword
    case invalidCredentials
    case weakPassword(WeakPassword)
    case passwordPolicyViolated([PasswordRequirement])
    case invalidPhoneNumber
    case phoneNumberExists
    case invalidCustomClaims
    case customClaimsTooLarge
    case reservedClaim(String)
    case missingProviderID
    case missingProviderAccountID
    case providerAccountExists
    case tooManyAttempts(until: Moment)
    /// The account has a second factor, and no service that could ask for it runs yet.
    case secondFactorNotServed

    // Projects.
    case passwordSignInDisabled
    case operationNotAllowed
    case administratorsOnly
    case unknownAPIKey
    case projectNotFound
    case projectDisabled
    case tenantNotFound
    case tenantMismatch
    case tooManyCriteria
    case configurationConflict
    case invalidConfiguration(String)
    case invalidAdjacentIntervalRange
    case invalidTestPhoneNumber
    case invalidBlockingFunction(String)
    case quotaExceeded(until: Moment)
    case missingDisplayName
    case invalidDisplayName

    // Limits.
    case overloaded
    case idempotencyKeyReused
}
