/// A `ServiceError` on the bus. The codes are a closed list; the gateway maps each to one wire string and one HTTP status.
package struct WireError: Equatable, Codable, Sendable {
    package var code: Code
    /// For operators, and for the detail text of some replies; never contains a secret.
    package var message: String?
    package var retryAfterSeconds: Int?
    /// The limit that was met; nil for other errors.
    package var limit: LimitName?
    /// The unmet requirements of a refused password, for the pages; nil for other errors.
    package var unmetPasswordRequirements: [UnmetPasswordRequirement]?

    package init(
        _ code: Code, _ message: String? = nil, retryAfterSeconds: Int? = nil, limit: LimitName? = nil,
        unmetPasswordRequirements: [UnmetPasswordRequirement]? = nil
    ) {
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
        self.limit = limit
        self.unmetPasswordRequirements = unmetPasswordRequirements
    }

    package enum Code: String, CaseIterable, Codable, Sendable {
        // Bus and processes.
        /// The request violates the contract: malformed, too large, or a value outside its type.
        case invalidRequest
        /// The service has no such operation.
        case unknownOperation
        /// The operation does not declare the caller (`ServiceOperation.callers`), whose key says who it is.
        case notPermitted
        /// No process serves this, or the one that did was lost.
        case unavailable
        /// A bounded queue is full. The caller may retry after `retryAfterSeconds`.
        case overloaded
        /// Workers exited while they processed a request like this one. It is refused for `retryAfterSeconds`.
        case requestBlocked
        /// The deadline passed before the work began or ended.
        case deadlineExceeded
        /// The same idempotency key was used with another body.
        case idempotencyKeyReused
        /// An unexpected failure. The details are in the service's log, under the trace id.
        case `internal`

        // Sessions and tokens.
        case missingIDToken
        case invalidIDToken
        /// The token or session is older than the account's `validSince`, or the session has ended.
        case sessionExpired
        case missingRefreshToken
        case invalidRefreshToken
        /// The account has no such session, or it has ended.
        case sessionNotFound
        case recentSignInRequired
        case missingCustomToken
        /// `message` contains the reason.
        case invalidCustomToken
        /// The custom token's signer belongs to another project.
        case credentialMismatch
        /// The requested lifetime of a session cookie.
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
        case invalidPasswordHash
        case invalidPasswordHashAlgorithm
        /// The account sent beside a token is not the token's.
        case accountMismatch
        case missingEmail
        case invalidEmail
        case emailExists
        case emailNotFound
        case missingPassword
        case invalidPassword
        /// E-mail or password is wrong; the error does not reveal which.
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
        /// Nothing else signs in to the account.
        case onlyWayIn
        /// An address change requires a code that is sent to the new address.
        case emailChangeNeedsVerification
        /// The list exceeds the maximum of one call.
        case tooManyAccounts
        /// The page token was not issued by this service.
        case invalidPageToken

        // Second factors.
        case invalidFactorPhoneNumber
        case invalidFactorID
        case factorIDExists
        case tooManyFactors
        /// Only its owner can enroll a factor of this kind.
        case unsupportedSecondFactor
        /// The number would be both first and second factor.
        case unsupportedFirstFactor
        case unverifiedEmail
        case factorNotFound
        /// Sessions of this first factor cannot have a second one.
        case firstFactorNotEligible
        /// The number is already a factor of the account.
        case factorExists
        case tooManyTOTPFactors
        case missingFactorID
        case missingFactorName
        case missingVerificationSession
        /// It does not exist, was redeemed, or has another purpose.
        case invalidVerificationSession
        case verificationSessionExpired
        case factorAlreadyEnrolled
        case missingCode
        case invalidCode
        case tooManyEnrollmentAttempts
        /// Too much time has passed since the first factor for this kind of second factor.
        case factorChallengeTimedOut
        /// The session was opened without the second factor that this operation requires.
        case secondFactorRequired
        /// It does not exist, was redeemed, or is void because the account changed.
        case invalidPendingCredential
        case pendingCredentialExpired

        // Passkeys.
        /// Passkeys are disabled, or the project has no relying party ID.
        case passkeysNotEnabled
        /// The account does not list it.
        case passkeyNotFound
        /// An account of the project has the credential.
        case passkeyExists
        case passkeyLimitExceeded
        /// The challenge has expired.
        case passkeyChallengeTimedOut
        case missingAuthenticatorResponse
        /// The response of the authenticator failed a step of WebAuthn 7.1 or 7.2, or its challenge was redeemed.
        case invalidAuthenticatorResponse
        case invalidCredentialID

        // Identity providers.
        /// The project has no such provider.
        case providerNotFound
        case providerDisabled
        /// The provider's page, keys or endpoints cannot be reached.
        case providerUnavailable
        /// The response or token of the provider failed a check; `message` contains the reason.
        case invalidProviderResponse
        /// The request contains no provider or no usable credential; `message` contains the reason.
        case invalidProviderCredential
        /// The ID token contains a nonce, and the request none.
        case missingNonce
        /// The nonce of the request is not the one in the ID token.
        case nonceMismatch
        /// An ID token with a nonce was used before.
        case duplicateProviderCredential
        /// The token of an earlier reply is unknown or expired.
        case invalidPendingToken
        case providerExists
        /// `message` contains the reason.
        case invalidProviderConfiguration
        case invalidIssuer

        // Phone numbers and app verification.
        case missingPhoneNumber
        case invalidTemporaryProof
        case missingClientIdentifier
        case missingAppCredential
        case invalidAppCredential
        case missingDeviceToken
        case missingRecaptchaToken
        case captchaCheckFailed
        case appNotVerified

        // Action codes and their links.
        case missingActionCode
        /// It does not exist, was redeemed, was replaced by a newer one, or has another purpose.
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
        /// The quota of the project.
        case quotaExceeded

        // Projects and their configuration.
        case passwordSignInDisabled
        case operationNotAllowed
        case adminOnlyOperation
        case projectDisabled
        case unknownAPIKey
        /// The project does not exist; in dev mode the first request that names a project creates it.
        case projectNotFound
        case projectExists
        case tenantNotFound
        case tenantMismatch
        case unsupportedTenantOperation
        /// A concurrent change came first: read the configuration again.
        case configurationConflict
        case invalidConfiguration
        case invalidAdjacentIntervalRange
        case invalidTestPhoneNumber
        case invalidBlockingFunction
        /// A blocking function failed or refused. `message` is for the client.
        case blockingFunctionError
        /// The project's own template for an e-mail; `message` describes the error.
        case invalidEmailTemplate
        case webhookNotFound
        /// `message` contains the reason.
        case invalidWebhook
        case tooManyWebhooks
        case apnsKeyNotFound
        /// `message` contains the reason.
        case invalidAPNsKey
        /// The project has the key for the same application and environment.
        case apnsKeyExists
        case tooManyAPNsKeys
        case applicationNotFound
        /// `message` contains the reason.
        case invalidApplication
        case tooManyApplications
        /// Also for one that was redeemed, has expired, ended with its session, or was issued for another application,
        /// redirect address or verifier.
        case invalidAuthorizationCode
        /// The application has not registered it.
        case invalidRedirectURL
        /// The name of a tenant.
        case missingDisplayName
        case invalidDisplayName
        /// In the protocol, not implemented yet.
        case notImplemented
    }
}

extension WireError.Code {
    /// The mesh is overloaded, or a process is away: the same request may succeed later.
    package static let busy: Set<Self> = [.unavailable, .overloaded, .deadlineExceeded]
}
