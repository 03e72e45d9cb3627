import Contracts
import Pages
import Vocabulary

/// Why a service refuses a request of the console, in words of its pages. The switch over the errors has no default, so that a
/// new error without a sentence does not compile.
enum ConsoleReason: CaseIterable, Sendable {
    case invalidValue, missingValue, exists, gone, tooMany, conflict, notPermitted, wrongState, limited, unavailable
    case otherServer, signInAgain, unexpected

    init(_ code: WireError.Code) {
        self =
            switch code {
            case .invalidRequest, .invalidIdentifier, .invalidEmail, .invalidNewEmail, .emailMismatch,
                .invalidPassword, .invalidCredentials, .weakPassword, .passwordPolicyViolated, .invalidDisplayName,
                .invalidPhoneNumber, .invalidFactorPhoneNumber, .invalidAccountID, .invalidFactorID,
                .invalidCredentialID, .invalidPasswordHash, .invalidPasswordHashAlgorithm, .invalidCustomClaims,
                .customClaimsTooLarge, .reservedClaim, .invalidDuration, .invalidServiceAccount, .invalidScope,
                .invalidPageToken, .invalidProviderConfiguration, .invalidIssuer, .invalidContinueURL,
                .invalidRedirectURL, .unauthorizedDomain, .invalidHostingLinkDomain, .invalidDynamicLinkDomain,
                .invalidConfiguration, .invalidAdjacentIntervalRange, .invalidTestPhoneNumber,
                .invalidBlockingFunction, .invalidEmailTemplate, .invalidWebhook, .invalidAPNsKey,
                .invalidApplication, .invalidCode, .invalidAuthenticatorResponse, .invalidCustomToken,
                .credentialMismatch, .accountMismatch, .tenantMismatch, .nonceMismatch, .invalidAppCredential,
                .captchaCheckFailed, .appNotVerified:
                .invalidValue
            case .missingIdentifier, .missingEmail, .missingNewEmail, .missingPassword, .missingCode,
                .missingDisplayName, .missingFactorName, .missingFactorID, .missingPhoneNumber, .missingAccountID,
                .missingProviderID, .missingProviderAccountID, .missingContinueURL, .missingIOSBundleID,
                .missingAndroidPackageName, .missingVerificationSession, .missingActionCode, .missingCustomToken,
                .missingNonce, .missingAppCredential, .missingRecaptchaToken, .missingDeviceToken,
                .missingClientIdentifier, .missingAuthenticatorResponse:
                .missingValue
            case .emailExists, .phoneNumberExists, .accountIDExists, .factorExists, .factorIDExists, .passkeyExists,
                .factorAlreadyEnrolled, .providerExists, .providerAccountExists, .projectExists, .apnsKeyExists,
                .duplicateProviderCredential:
                .exists
            case .accountNotFound, .emailNotFound, .factorNotFound, .passkeyNotFound, .sessionNotFound,
                .projectNotFound, .tenantNotFound, .providerNotFound, .webhookNotFound, .applicationNotFound,
                .apnsKeyNotFound, .serviceAccountNotFound, .unknownAPIKey, .expiredActionCode, .invalidActionCode,
                .invalidVerificationSession, .verificationSessionExpired, .invalidPendingCredential,
                .pendingCredentialExpired, .invalidPendingToken, .invalidTemporaryProof, .factorChallengeTimedOut,
                .passkeyChallengeTimedOut, .invalidAuthorizationCode:
                .gone
            case .tooManyAccounts, .tooManyFactors, .tooManyTOTPFactors, .passkeyLimitExceeded, .tooManyWebhooks,
                .tooManyAPNsKeys, .tooManyApplications:
                .tooMany
            case .configurationConflict, .serviceAccountConflict, .idempotencyKeyReused: .conflict
            case .operationNotAllowed, .adminOnlyOperation, .passwordSignInDisabled, .passkeysNotEnabled,
                .providerDisabled, .unsupportedTenantOperation, .dynamicLinkNotActivated, .notImplemented,
                .unsupportedSecondFactor:
                .notPermitted
            case .accountDisabled, .projectDisabled, .unverifiedEmail, .emailChangeNeedsVerification,
                .unsupportedFirstFactor, .firstFactorNotEligible, .onlyWayIn:
                .wrongState
            case .tooManyAttempts, .tooManyEnrollmentAttempts, .resetLimitExceeded, .quotaExceeded: .limited
            case .unavailable, .overloaded, .requestBlocked, .deadlineExceeded: .unavailable
            case .providerUnavailable, .invalidProviderResponse, .invalidProviderCredential, .blockingFunctionError:
                .otherServer
            case .recentSignInRequired, .secondFactorRequired, .sessionExpired, .missingIDToken, .invalidIDToken,
                .missingRefreshToken, .invalidRefreshToken, .invalidAccessToken, .invalidAssertion:
                .signInAgain
            case .internal, .unknownOperation, .notPermitted: .unexpected
            }
    }

    func sentence(_ texts: PageTexts.ConsoleRefusals) -> String {
        switch self {
        case .invalidValue: texts.invalidValue
        case .missingValue: texts.missingValue
        case .exists: texts.exists
        case .gone: texts.gone
        case .tooMany: texts.tooMany
        case .conflict: texts.conflict
        case .notPermitted: texts.notPermitted
        case .wrongState: texts.wrongState
        case .limited: texts.limited
        case .unavailable: texts.unavailable
        case .otherServer: texts.otherServer
        case .signInAgain: texts.signInAgain
        case .unexpected: texts.unexpected
        }
    }
}

extension Language {
    /// Why a service refuses, with the detail of the service.
    func consoleSentence(for error: ServiceError) -> String {
        consoleSentence(ConsoleReason(error.code), error.message)
    }

    func consoleSentence(_ reason: ConsoleReason, _ detail: String?) -> String {
        let texts = consoleRefusalTexts
        let sentence = reason.sentence(texts)
        return detail.nilIfEmpty.map { "\(sentence) \(texts.detail($0))" } ?? sentence
    }
}

extension ConsoleVisit {
    func sentence(for error: ServiceError) -> String { language.consoleSentence(for: error) }

    func sentence(_ reason: ConsoleReason, _ detail: String? = nil) -> String {
        language.consoleSentence(reason, detail)
    }
}
