import Contracts
import Pages
import Vocabulary

/// What the hosted pages say to an error of a service. The switch over the errors has no default, so that a new error
/// without a sentence does not compile.
enum HostedRefusal: CaseIterable, Sendable {
    // Beside the field of a form.
    case wrongCredentials, missingPassword, weakPassword, invalidEmail, emailTaken, emailNotConfirmed
    case wrongCode, codeExpired
    case invalidNumber, numberTaken, numberIsFactor, numberHasOtherRole, tooManyFactors, noSecondStep, invalidName
    case appNotVerified
    case refusedPasskey, passkeyTimedOut, passkeyExists
    case identityTaken, onlyWayIn
    // On a page of its own.
    case signInAgain, ended, accountDisabled, signUpClosed, notOffered, unknownApp, foreignForm
    case invalidLink, expiredLink
    case providerRefused, providerUnreachable
    case limited, unavailable
    /// No form of these pages causes it.
    case unexpected

    init(_ code: WireError.Code) {
        self =
            switch code {
            case .invalidCredentials, .invalidPassword, .emailNotFound: .wrongCredentials
            case .missingPassword: .missingPassword
            case .weakPassword, .passwordPolicyViolated: .weakPassword
            case .missingEmail, .invalidEmail, .missingNewEmail, .invalidNewEmail, .emailMismatch, .missingIdentifier,
                .invalidIdentifier:
                .invalidEmail
            case .emailExists: .emailTaken
            case .unverifiedEmail: .emailNotConfirmed
            case .missingCode, .invalidCode: .wrongCode
            case .missingVerificationSession, .invalidVerificationSession, .verificationSessionExpired: .codeExpired
            case .missingPhoneNumber, .invalidPhoneNumber, .invalidFactorPhoneNumber: .invalidNumber
            case .phoneNumberExists: .numberTaken
            case .factorExists: .numberIsFactor
            case .unsupportedFirstFactor: .numberHasOtherRole
            case .tooManyFactors, .tooManyTOTPFactors: .tooManyFactors
            case .firstFactorNotEligible: .noSecondStep
            case .missingFactorName, .missingDisplayName, .invalidDisplayName: .invalidName
            case .missingAppCredential, .invalidAppCredential, .missingRecaptchaToken, .missingDeviceToken,
                .missingClientIdentifier, .captchaCheckFailed, .appNotVerified:
                .appNotVerified
            case .passkeyNotFound, .missingAuthenticatorResponse, .invalidAuthenticatorResponse, .invalidCredentialID,
                .passkeyLimitExceeded:
                .refusedPasskey
            case .passkeyChallengeTimedOut: .passkeyTimedOut
            case .passkeyExists: .passkeyExists
            case .providerAccountExists: .identityTaken
            case .onlyWayIn: .onlyWayIn

            case .recentSignInRequired, .secondFactorRequired: .signInAgain
            case .sessionExpired, .missingIDToken, .invalidIDToken, .missingRefreshToken, .invalidRefreshToken,
                .sessionNotFound, .accountNotFound, .accountMismatch, .invalidPendingCredential,
                .pendingCredentialExpired, .factorChallengeTimedOut, .factorNotFound, .missingFactorID,
                .factorAlreadyEnrolled, .invalidPendingToken, .invalidTemporaryProof:
                .ended
            case .accountDisabled: .accountDisabled
            case .adminOnlyOperation: .signUpClosed
            case .operationNotAllowed, .passwordSignInDisabled, .passkeysNotEnabled, .projectDisabled,
                .projectNotFound, .tenantNotFound, .tenantMismatch, .unsupportedTenantOperation, .providerNotFound,
                .providerDisabled, .blockingFunctionError:
                .notOffered
            case .unknownAPIKey, .unauthorizedDomain, .missingContinueURL, .invalidContinueURL, .applicationNotFound,
                .invalidRedirectURL, .invalidAuthorizationCode:
                .unknownApp
            case .invalidRequest: .foreignForm
            case .missingActionCode, .invalidActionCode: .invalidLink
            case .expiredActionCode: .expiredLink
            case .invalidProviderResponse, .invalidProviderCredential, .missingNonce, .nonceMismatch,
                .duplicateProviderCredential:
                .providerRefused
            case .providerUnavailable: .providerUnreachable
            case .tooManyAttempts, .tooManyEnrollmentAttempts, .resetLimitExceeded, .quotaExceeded: .limited
            case .unavailable, .overloaded, .deadlineExceeded, .requestBlocked: .unavailable

            case .unknownOperation, .notPermitted, .idempotencyKeyReused, .internal, .notImplemented,
                .missingCustomToken,
                .invalidCustomToken, .credentialMismatch, .invalidDuration, .invalidServiceAccount,
                .serviceAccountConflict, .serviceAccountNotFound, .invalidAssertion, .invalidScope,
                .invalidAccessToken, .accountIDExists, .invalidAccountID, .missingAccountID, .invalidPasswordHash,
                .invalidPasswordHashAlgorithm, .invalidCustomClaims, .customClaimsTooLarge, .reservedClaim,
                .missingProviderID, .missingProviderAccountID, .emailChangeNeedsVerification, .tooManyAccounts,
                .invalidPageToken, .invalidFactorID, .factorIDExists, .unsupportedSecondFactor, .providerExists,
                .invalidProviderConfiguration, .invalidIssuer, .invalidHostingLinkDomain, .invalidDynamicLinkDomain,
                .dynamicLinkNotActivated, .missingIOSBundleID, .missingAndroidPackageName, .projectExists,
                .configurationConflict, .invalidConfiguration, .invalidAdjacentIntervalRange, .invalidTestPhoneNumber,
                .invalidBlockingFunction, .invalidEmailTemplate, .webhookNotFound, .invalidWebhook, .tooManyWebhooks,
                .apnsKeyNotFound, .invalidAPNsKey, .apnsKeyExists, .tooManyAPNsKeys, .invalidApplication,
                .tooManyApplications:
                .unexpected
            }
    }

    /// It concerns what the user chose as a password.
    var isAboutPassword: Bool { self == .missingPassword || self == .weakPassword }

    /// Beside the field of a form. Nil for what the form cannot mend.
    func sentence(in texts: PageTextSet) -> String? {
        let (all, account, phone) = (texts.pages, texts.account, texts.phone)
        return switch self {
        case .wrongCredentials: all.passkeyPage.messages.invalidCredentials
        case .missingPassword: all.hostedSignIn.missingPassword
        case .weakPassword: all.guessablePassword
        case .invalidEmail: all.hostedSignIn.invalidEmail
        case .emailTaken: all.hostedSignIn.emailHasAccount
        case .emailNotConfirmed: account.confirmEmailFirst
        case .wrongCode: all.hostedSignIn.wrongCode
        case .codeExpired: all.hostedSignIn.codeExpired
        case .invalidNumber: phone.invalidNumber
        case .numberTaken: phone.numberTaken
        case .numberIsFactor: phone.alreadyAdded
        case .numberHasOtherRole: phone.oneRole
        case .tooManyFactors: phone.tooManyFactors
        case .noSecondStep: phone.noSecondStep
        case .invalidName: phone.invalidName
        case .appNotVerified: all.appVerification.failed
        case .refusedPasskey: all.passkeyPage.messages.unknown
        case .passkeyTimedOut: all.passkeyPage.messages.timedOut
        case .passkeyExists: all.passkeyPage.messages.exists
        case .identityTaken: texts.connections.identityTaken
        case .onlyWayIn: account.onlyWayIn
        case .signInAgain, .ended, .accountDisabled, .signUpClosed, .notOffered, .unknownApp, .foreignForm,
            .invalidLink, .expiredLink, .providerRefused, .providerUnreachable, .limited, .unavailable, .unexpected:
            nil
        }
    }

    /// On a page of its own.
    func message(in all: PageTextSet) -> PageTexts.Message {
        let texts = all.pages
        return switch self {
        case .wrongCredentials, .missingPassword, .weakPassword, .invalidEmail, .emailTaken, .emailNotConfirmed,
            .wrongCode, .codeExpired, .invalidNumber, .numberTaken, .numberIsFactor, .numberHasOtherRole,
            .tooManyFactors, .noSecondStep, .invalidName, .appNotVerified, .refusedPasskey, .passkeyTimedOut,
            .passkeyExists, .identityTaken, .onlyWayIn:
            .init(title: texts.signIn.title, body: sentence(in: all) ?? "")
        case .signInAgain, .ended: texts.providerSignIn.expired
        case .accountDisabled: texts.accountDisabled
        case .signUpClosed: .init(title: texts.hostedSignIn.createAccount, body: texts.hostedSignIn.signUpClosed)
        case .notOffered: texts.providerSignIn.notOffered
        case .unknownApp: texts.providerSignIn.unknownApp
        case .foreignForm: texts.hostedSignIn.foreignForm
        case .invalidLink: texts.invalidLink
        case .expiredLink: texts.expiredLink
        case .providerRefused: texts.providerSignIn.refused
        case .providerUnreachable: texts.providerSignIn.unreachable
        case .limited: texts.tooManyAttempts
        case .unavailable, .unexpected: texts.unavailable
        }
    }

    /// Of that page.
    var status: Int {
        switch self {
        case .limited: 429
        case .unavailable, .providerUnreachable: 503
        case .unexpected: 500
        case .wrongCredentials, .missingPassword, .weakPassword, .invalidEmail, .emailTaken, .emailNotConfirmed,
            .wrongCode, .codeExpired, .invalidNumber, .numberTaken, .numberIsFactor, .numberHasOtherRole,
            .tooManyFactors, .noSecondStep, .invalidName, .appNotVerified, .refusedPasskey, .passkeyTimedOut,
            .passkeyExists, .identityTaken, .onlyWayIn, .signInAgain, .ended, .accountDisabled, .signUpClosed,
            .notOffered, .unknownApp, .foreignForm, .invalidLink, .expiredLink, .providerRefused:
            400
        }
    }
}

extension HostedVisit {
    /// What a form says to an error. Nil for what the form cannot mend.
    func sentence(for error: ServiceError) -> String? { HostedRefusal(error.code).sentence(in: allTexts) }

    /// What a page says to a number. Nil for what no other number would mend.
    /// - Parameter isSignedIn: nobody else learns what second factors an account has.
    func sentence(forNumber error: ServiceError, isSignedIn: Bool) -> String? {
        let refusal = HostedRefusal(error.code)
        // The project does not serve the region of the number, or sends no messages.
        let isRefusedSilently = error.code == .operationNotAllowed || refusal == .numberHasOtherRole && !isSignedIn
        return isRefusedSilently ? allTexts.phone.cannotSend : refusal.sentence(in: allTexts)
    }
}
