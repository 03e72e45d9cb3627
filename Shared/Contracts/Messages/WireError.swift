/// A refusal as it crosses the bus. The codes are one closed list; the gateway maps each once to a wire string and an
/// HTTP status.
package struct WireError: Error, Equatable, Codable, Sendable {
    package var code: Code
    /// For operators and for the detail text of some replies; never a secret.
    package var message: String?
    package var retryAfterSeconds: Int?

    package init(_ code: Code, _ message: String? = nil, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    package enum Code: String, CaseIterable, Codable, Sendable {
        // The mesh itself.
        /// The request broke the contract: unreadable, too large, a value outside its type.
        case invalidRequest
        /// The service has no such operation.
        case unknownOperation
        /// No process serves this, or the one that did was lost.
        case unavailable
        /// A bounded queue is full. Try again after `retryAfterSeconds`.
        case overloaded
        /// Workers died over a request like this one, so it is refused for a while; `retryAfterSeconds` says how long.
        case requestBlocked
        /// The deadline passed before the work began or ended.
        case deadlineExceeded
        /// The same idempotency key came with another body.
        case idempotencyKeyReused
        /// Anything unexpected. The details are in the owner's log, under the trace id.
        case `internal`

        // Sessions and tokens.
        case missingIDToken
        case invalidIDToken
        /// The token or session is older than the account's `validSince`, or the session has ended.
        case sessionExpired
        case missingRefreshToken
        case invalidRefreshToken
        case recentSignInRequired
        case missingCustomToken
        /// `message` says why.
        case invalidCustomToken
        /// The custom token's signer belongs to another project.
        case credentialMismatch
        /// Of a session cookie.
        case invalidDuration

        // Service accounts.
        case invalidServiceAccount
        case serviceAccountConflict
        case serviceAccountNotFound
        case invalidAssertion
        case invalidScope
        case invalidAccessToken

        // Accounts.
        case accountNotFound
        case accountDisabled
        case accountIDExists
        case invalidAccountID
        case missingAccountID
        /// The account named beside a token is not the token's.
        case accountMismatch
        case missingEmail
        case invalidEmail
        case emailExists
        case emailNotFound
        case missingPassword
        case invalidPassword
        /// E-mail or password is wrong, and which one is not told.
        case invalidCredentials
        case weakPassword
        case passwordPolicyViolated
        case invalidPhoneNumber
        case phoneNumberExists
        case invalidCustomClaims
        case customClaimsTooLarge
        /// `message` names the claim.
        case reservedClaim
        case missingProviderID
        case missingProviderAccountID
        case providerAccountExists
        case tooManyAttempts
        /// An address is changed by the code that is sent to the new one, not directly.
        case emailChangeNeedsVerification
        case passkeyNotFound
        /// More accounts in one call than it takes.
        case tooManyAccounts
        /// Not the end of a page that was given out here.
        case invalidPageToken

        // Second factors.
        case invalidFactorPhoneNumber
        case invalidFactorID
        case factorIDExists
        case tooManyFactors
        /// Only its owner can enrol a factor of this kind.
        case unsupportedSecondFactor
        /// The number would be first and second factor at once.
        case unsupportedFirstFactor
        case unverifiedEmail
        case factorNotFound
        /// Sessions of this first factor cannot have a second one.
        case firstFactorNotEligible
        /// The number is a factor of the account already.
        case factorExists
        case tooManyTOTPFactors
        case missingFactorID
        case missingFactorName
        case missingVerificationSession
        /// Never made, used, or made for something else.
        case invalidVerificationSession
        case verificationSessionExpired
        case factorAlreadyEnrolled
        case missingCode
        case invalidCode
        case tooManyEnrollmentAttempts
        /// The first factor was too long ago for this kind of second one.
        case factorChallengeTimedOut
        /// The session was opened without the second factor that this needs.
        case secondFactorRequired
        /// Never made, spent, or void since the account changed.
        case invalidPendingCredential
        case pendingCredentialExpired

        // Telephones and genuine applications.
        case missingPhoneNumber
        case invalidTemporaryProof
        case missingClientIdentifier
        case missingAppCredential
        case invalidAppCredential
        case missingDeviceToken
        case missingRecaptchaToken
        case captchaCheckFailed
        case appNotVerified

        // Action codes and the links around them.
        case missingActionCode
        /// Never made, used, retired by a newer one, or made for something else.
        case invalidActionCode
        case expiredActionCode
        case missingNewEmail
        case invalidNewEmail
        /// The address of the request is not the one the code was sent to.
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
        /// Too many password resets for one address.
        case resetLimitExceeded
        /// Of the whole project.
        case quotaExceeded

        // Projects and their configuration.
        case passwordSignInDisabled
        case operationNotAllowed
        case adminOnlyOperation
        case projectDisabled
        case unknownAPIKey
        /// The project does not exist; in dev mode a project begins when it is first named.
        case projectNotFound
        case tenantNotFound
        case tenantMismatch
        case unsupportedTenantOperation
        /// Somebody else changed the configuration in between: read it again.
        case configurationConflict
        case invalidConfiguration
        case invalidAdjacentIntervalRange
        case invalidTestPhoneNumber
        case invalidBlockingFunction
        /// The project's own text for an e-mail; `message` says what is wrong with it.
        case invalidEmailTemplate
        /// Of a tenant.
        case missingDisplayName
        case invalidDisplayName
        /// Known to the protocol, not yet built.
        case notImplemented
    }
}
