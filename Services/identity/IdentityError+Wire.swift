import Contracts
import Vocabulary

/// The only mapping of identity's errors to the codes of the bus.
extension WireError {
    init(_ error: IdentityError, now: Moment) {
        switch error {
        case .missingIDToken: self.init(.missingIDToken)
        case .invalidIDToken: self.init(.invalidIDToken)
        case .sessionExpired: self.init(.sessionExpired)
        case .missingRefreshToken: self.init(.missingRefreshToken)
        case .invalidRefreshToken: self.init(.invalidRefreshToken)
        case .recentSignInRequired: self.init(.recentSignInRequired)
        case .missingCustomToken: self.init(.missingCustomToken)
        case .invalidCustomToken(let reason): self.init(.invalidCustomToken, reason)
        case .credentialMismatch: self.init(.credentialMismatch)
        case .invalidDuration: self.init(.invalidDuration)
        case .invalidServiceAccount: self.init(.invalidServiceAccount)
        case .serviceAccountConflict: self.init(.serviceAccountConflict)
        case .serviceAccountNotFound: self.init(.serviceAccountNotFound)
        case .invalidAssertion(let reason): self.init(.invalidAssertion, reason)
        case .invalidScope: self.init(.invalidScope)
        case .invalidAccessToken: self.init(.invalidAccessToken)
        case .accountNotFound: self.init(.accountNotFound)
        case .accountDisabled: self.init(.accountDisabled)
        case .accountIDExists: self.init(.accountIDExists)
        case .invalidAccountID: self.init(.invalidAccountID)
        case .missingAccountID: self.init(.missingAccountID)
        case .accountMismatch: self.init(.accountMismatch)
        case .missingEmail: self.init(.missingEmail)
        case .invalidEmail: self.init(.invalidEmail)
        case .emailExists: self.init(.emailExists)
        case .emailNotFound: self.init(.emailNotFound)
        case .missingPassword: self.init(.missingPassword)
        case .invalidPassword: self.init(.invalidPassword)
        case .invalidCredentials: self.init(.invalidCredentials)
        case .weakPassword(let reason): self.init(.weakPassword, reason.text)
        case .passwordPolicyViolated(let missing):
            let list = missing.map(\.text).joined(separator: ", ")
            self.init(.passwordPolicyViolated, "Missing password requirements: [\(list)]")
        case .invalidPhoneNumber: self.init(.invalidPhoneNumber)
        case .phoneNumberExists: self.init(.phoneNumberExists)
        case .invalidCustomClaims: self.init(.invalidCustomClaims)
        case .customClaimsTooLarge: self.init(.customClaimsTooLarge)
        case .reservedClaim(let name): self.init(.reservedClaim, name)
        case .missingProviderID: self.init(.missingProviderID)
        case .missingProviderAccountID: self.init(.missingProviderAccountID)
        case .providerAccountExists: self.init(.providerAccountExists)
        case .emailChangeNeedsVerification: self.init(.emailChangeNeedsVerification)
        case .newEmailNotVerified:
            self.init(.operationNotAllowed, "Please verify the new email before changing email.")
        case .passkeyNotFound: self.init(.passkeyNotFound)
        case .profileTooLong: self.init(.invalidRequest, "A display name or a photo URL is too long.")
        case .timeOutOfRange: self.init(.invalidRequest, "A time is out of range.")
        case .tooManyAccounts: self.init(.tooManyAccounts)
        case .invalidPageToken: self.init(.invalidPageToken)
        case .countOutOfRange: self.init(.invalidRequest, "A count or an offset is out of range.")
        case .invalidFactorPhoneNumber: self.init(.invalidFactorPhoneNumber)
        case .invalidFactorID: self.init(.invalidFactorID)
        case .factorIDExists: self.init(.factorIDExists)
        case .tooManyFactors: self.init(.tooManyFactors)
        case .unsupportedSecondFactor: self.init(.unsupportedSecondFactor)
        case .unsupportedFirstFactor: self.init(.unsupportedFirstFactor)
        case .unverifiedEmail: self.init(.unverifiedEmail)
        case .factorNotFound: self.init(.factorNotFound)
        case .secondFactorDisabled(.phone): self.init(.operationNotAllowed, "SMS based MFA not enabled.")
        case .secondFactorDisabled(.totp): self.init(.operationNotAllowed, "TOTP based MFA not enabled.")
        case .firstFactorNotEligible: self.init(.firstFactorNotEligible)
        case .factorExists: self.init(.factorExists)
        case .tooManyTOTPFactors: self.init(.tooManyTOTPFactors)
        case .secondFactorRequired: self.init(.secondFactorRequired)
        case .missingCode: self.init(.missingCode)
        case .invalidCode: self.init(.invalidCode)
        case .invalidPendingCredential: self.init(.invalidPendingCredential)
        case .pendingCredentialExpired: self.init(.pendingCredentialExpired)
        case .tooManyAttempts(let until): self.init(.tooManyAttempts, retryAfterSeconds: until.secondsToWait(from: now))
        case .missingPhoneNumber: self.init(.missingPhoneNumber)
        case .invalidTemporaryProof: self.init(.invalidTemporaryProof)
        case .unsupportedTenantOperation: self.init(.unsupportedTenantOperation)
        case .missingActionCode: self.init(.missingActionCode)
        case .invalidActionCode: self.init(.invalidActionCode)
        case .expiredActionCode: self.init(.expiredActionCode)
        case .missingNewEmail: self.init(.missingNewEmail)
        case .invalidNewEmail: self.init(.invalidNewEmail)
        case .emailMismatch: self.init(.emailMismatch)
        case .missingIdentifier: self.init(.missingIdentifier)
        case .invalidIdentifier: self.init(.invalidIdentifier)
        case .missingContinueURL: self.init(.missingContinueURL)
        case .invalidContinueURL: self.init(.invalidContinueURL)
        case .unauthorizedDomain: self.init(.unauthorizedDomain)
        case .invalidHostingLinkDomain: self.init(.invalidHostingLinkDomain)
        case .invalidDynamicLinkDomain: self.init(.invalidDynamicLinkDomain)
        case .dynamicLinkNotActivated: self.init(.dynamicLinkNotActivated)
        case .missingIOSBundleID: self.init(.missingIOSBundleID)
        case .missingAndroidPackageName: self.init(.missingAndroidPackageName)
        case .resetLimitExceeded(let until):
            self.init(.resetLimitExceeded, retryAfterSeconds: until.secondsToWait(from: now))
        case .quotaExceeded(let until): self.init(.quotaExceeded, retryAfterSeconds: until.secondsToWait(from: now))
        case .passwordSignInDisabled: self.init(.passwordSignInDisabled)
        case .operationNotAllowed: self.init(.operationNotAllowed)
        case .adminOnlyOperation: self.init(.adminOnlyOperation)
        case .unknownAPIKey: self.init(.unknownAPIKey)
        case .projectNotFound: self.init(.projectNotFound)
        case .projectDisabled: self.init(.projectDisabled)
        case .tenantNotFound: self.init(.tenantNotFound)
        case .tenantMismatch: self.init(.tenantMismatch)
        case .tooManyCriteria:
            self.init(.invalidRequest, "At most \(Identity.FindAccounts.maximumCriteria) accounts can be looked up.")
        case .configurationConflict: self.init(.configurationConflict)
        case .ineffectiveSetting(let path):
            self.init(.operationNotAllowed, "\(path) has no effect in this version, so it is not stored.")
        case .invalidConfiguration(let reason): self.init(.invalidConfiguration, reason)
        case .invalidAdjacentIntervalRange: self.init(.invalidAdjacentIntervalRange)
        case .invalidTestPhoneNumber: self.init(.invalidTestPhoneNumber)
        case .invalidBlockingFunction(let reason): self.init(.invalidBlockingFunction, reason)
        case .missingDisplayName: self.init(.missingDisplayName)
        case .invalidDisplayName: self.init(.invalidDisplayName)
        case .overloaded: self.init(.overloaded, retryAfterSeconds: 1)
        case .idempotencyKeyReused: self.init(.idempotencyKeyReused)
        }
    }
}

extension WeakPassword {
    /// The texts of Google Identity Platform, which client libraries display.
    fileprivate var text: String {
        switch self {
        case .shorterThan(let length): "Password should be at least \(length) characters"
        case .blocklisted: "Password is too easy to guess"
        }
    }
}

extension UnmetPasswordRequirement {
    fileprivate var text: String {
        switch self {
        case .atLeast(let length): "Password must contain at least \(length) characters"
        case .atMost(let length): "Password may contain at most \(length) characters"
        case .lowercase: "Password must contain a lower case character"
        case .uppercase: "Password must contain an upper case character"
        case .numeric: "Password must contain a numeric character"
        case .nonAlphanumeric: "Password must contain a non-alphanumeric character"
        }
    }
}
