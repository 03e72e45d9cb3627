import Contracts
import Vocabulary

/// The errors of identity. `IdentityError+Wire.swift` has the form of each on the bus.
enum IdentityError: Error, Equatable, Sendable {
    // Tokens and sessions.
    case missingIDToken
    case invalidIDToken
    case sessionExpired
    case missingRefreshToken
    case invalidRefreshToken
    case recentSignInRequired
    case missingCustomToken
    case invalidCustomToken(String)
    case credentialMismatch
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
    case invalidPassword
    case invalidCredentials
    case weakPassword(WeakPassword)
    case passwordPolicyViolated([UnmetPasswordRequirement])
    case invalidPhoneNumber
    case phoneNumberExists
    case invalidCustomClaims
    case customClaimsTooLarge
    case reservedClaim(String)
    case missingProviderID
    case missingProviderAccountID
    case providerAccountExists
    case tooManyAttempts(until: Moment)
    case emailChangeNeedsVerification
    /// With e-mail privacy, an address must be verified before an account gets it.
    case newEmailNotVerified
    case passkeyNotFound
    case profileTooLong
    case timeOutOfRange
    case tooManyAccounts
    case invalidPageToken
    case countOutOfRange

    // Second factors.
    case invalidFactorPhoneNumber
    case invalidFactorID
    case factorIDExists
    case tooManyFactors
    case unsupportedSecondFactor
    case unsupportedFirstFactor
    case unverifiedEmail
    case factorNotFound
    /// The project has not enabled factors of this kind.
    case secondFactorDisabled(SecondFactor.Method)
    /// Accounts that sign in with this provider have no second factors.
    case firstFactorNotEligible
    case factorExists
    case tooManyTOTPFactors
    /// The session was opened without a second factor.
    case secondFactorRequired
    case missingCode
    case invalidCode
    case invalidPendingCredential
    case pendingCredentialExpired

    // Phone as first factor.
    case missingPhoneNumber
    case invalidTemporaryProof
    case unsupportedTenantOperation

    // Action codes and their links.
    case missingActionCode
    case invalidActionCode
    case expiredActionCode
    case missingNewEmail
    case invalidNewEmail
    case emailMismatch
    case missingIdentifier
    case invalidIdentifier
    case missingContinueURL
    case invalidContinueURL
    case unauthorizedDomain
    case invalidHostingLinkDomain
    case invalidDynamicLinkDomain
    case dynamicLinkNotActivated
    case missingIOSBundleID
    case missingAndroidPackageName
    case resetLimitExceeded(until: Moment)
    case quotaExceeded(until: Moment)

    // Projects.
    case passwordSignInDisabled
    case operationNotAllowed
    case adminOnlyOperation
    case unknownAPIKey
    case projectNotFound
    case projectDisabled
    case tenantNotFound
    case tenantMismatch
    case tooManyCriteria
    case configurationConflict
    case invalidConfiguration(String)
    /// The path of a setting that would have no effect.
    case ineffectiveSetting(String)
    case invalidAdjacentIntervalRange
    case invalidTestPhoneNumber
    case invalidBlockingFunction(String)
    case missingDisplayName
    case invalidDisplayName

    // Limits.
    case overloaded
    case idempotencyKeyReused
}
