import Contracts
import Testing

@testable import GatewayService

/// Every error code of the services: the status, and the text of a client's v1 call.
private let expected: [WireError.Code: (status: Int, message: String)] = [
    .invalidRequest: (400, "Request contains an invalid argument."),
    .unknownOperation: (400, "OPERATION_NOT_ALLOWED : Not available: this call."),
    .notPermitted: (500, "Internal error encountered. Request 4bf9."),
    .unavailable: (503, "The service is currently unavailable."),
    .overloaded: (503, "The service is currently unavailable."),
    .requestBlocked: (503, "The service is currently unavailable."),
    .deadlineExceeded: (503, "The service is currently unavailable."),
    .idempotencyKeyReused: (500, "Internal error encountered. Request 4bf9."),
    .internal: (500, "Internal error encountered. Request 4bf9."),
    .missingIDToken: (400, "MISSING_ID_TOKEN"),
    .invalidIDToken: (400, "INVALID_ID_TOKEN"),
    .sessionExpired: (400, "TOKEN_EXPIRED"),
    .missingRefreshToken: (400, "MISSING_REFRESH_TOKEN"),
    .invalidRefreshToken: (400, "INVALID_REFRESH_TOKEN"),
    .recentSignInRequired: (400, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"),
    .invalidDuration: (400, "INVALID_DURATION"),
    .accountNotFound: (400, "USER_NOT_FOUND"),
    .accountDisabled: (400, "USER_DISABLED"),
    .accountIDExists: (400, "DUPLICATE_LOCAL_ID"),
    .invalidAccountID: (400, "INVALID_LOCAL_ID"),
    .missingAccountID: (400, "MISSING_LOCAL_ID"),
    .invalidPasswordHash: (400, "INVALID_PASSWORD_HASH"),
    .invalidPasswordHashAlgorithm: (400, "INVALID_HASH_ALGORITHM"),
    .accountMismatch: (400, "INSUFFICIENT_PERMISSION : The ID token belongs to another account."),
    .missingEmail: (400, "MISSING_EMAIL"),
    .invalidEmail: (400, "INVALID_EMAIL"),
    .emailExists: (400, "EMAIL_EXISTS"),
    .emailNotFound: (400, "EMAIL_NOT_FOUND"),
    .missingPassword: (400, "MISSING_PASSWORD"),
    .invalidPassword: (400, "INVALID_PASSWORD"),
    .invalidCredentials: (400, "INVALID_LOGIN_CREDENTIALS"),
    .weakPassword: (400, "WEAK_PASSWORD : Password should be at least 6 characters"),
    .passwordPolicyViolated: (400, "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"),
    .invalidPhoneNumber: (400, "INVALID_PHONE_NUMBER : Invalid format."),
    .phoneNumberExists: (400, "PHONE_NUMBER_EXISTS"),
    .invalidCustomClaims: (400, "INVALID_CLAIMS"),
    .customClaimsTooLarge: (400, "CLAIMS_TOO_LARGE"),
    .reservedClaim: (400, "FORBIDDEN_CLAIM"),
    .missingProviderID: (400, "MISSING_PROVIDER_ID"),
    .missingProviderAccountID: (400, "MISSING_RAW_ID"),
    .providerAccountExists: (400, "FEDERATED_USER_ID_ALREADY_LINKED"),
    .tooManyAttempts: (400, "TOO_MANY_ATTEMPTS_TRY_LATER"),
    .onlyWayIn: (400, "ONLY_SIGN_IN_METHOD"),
    .emailChangeNeedsVerification: (400, "EMAIL_CHANGE_NEEDS_VERIFICATION"),
    .passkeysNotEnabled: (400, "PASSKEY_NOT_ENABLED"),
    .passkeyNotFound: (400, "PASSKEY_ENROLLMENT_NOT_FOUND"),
    .passkeyExists: (400, "PASSKEY_EXISTS"),
    .passkeyLimitExceeded: (400, "PASSKEY_LIMIT_EXCEEDED"),
    .passkeyChallengeTimedOut: (400, "PASSKEY_CHALLENGE_TIMEOUT"),
    .missingAuthenticatorResponse: (400, "MISSING_AUTHENTICATOR_RESPONSE"),
    .invalidAuthenticatorResponse: (400, "INVALID_AUTHENTICATOR_RESPONSE"),
    .invalidCredentialID: (400, "INVALID_CREDENTIAL_ID"),
    .tooManyAccounts: (400, "LOCAL_ID_LIST_EXCEEDS_LIMIT"),
    .invalidPageToken: (400, "INVALID_PAGE_SELECTION"),
    .invalidFactorPhoneNumber: (400, "INVALID_MFA_PHONE_NUMBER : Invalid format."),
    .invalidFactorID: (400, "INVALID_MFA_ENROLLMENT_ID"),
    .factorIDExists: (400, "DUPLICATE_MFA_ENROLLMENT_ID"),
    .tooManyFactors: (
        400, "SECOND_FACTOR_LIMIT_EXCEEDED : Too many second factors enrolled for this account."
    ),
    .unsupportedSecondFactor: (400, "UNSUPPORTED_SECOND_FACTOR : attempting to add a new TOTP enrollment"),
    .unsupportedFirstFactor: (
        400, "UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user."
    ),
    .unverifiedEmail: (400, "UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors."),
    .factorNotFound: (400, "MFA_ENROLLMENT_NOT_FOUND"),
    .firstFactorNotEligible: (
        400, "UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
    ),
    .factorExists: (
        400, "SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account."
    ),
    .tooManyTOTPFactors: (
        400, "SECOND_FACTOR_LIMIT_EXCEEDED : Too many TOTP based second factors enrolled for this account."
    ),
    .missingFactorID: (400, "INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined."),
    .missingFactorName: (400, "MISSING_DISPLAY_NAME : display name cannot be empty"),
    .missingVerificationSession: (400, "MISSING_SESSION_INFO"),
    .invalidVerificationSession: (400, "INVALID_SESSION_INFO"),
    .verificationSessionExpired: (400, "SESSION_EXPIRED"),
    .factorAlreadyEnrolled: (400, "MFA_ENROLLMENT_ALREADY_COMPLETE"),
    .tooManyEnrollmentAttempts: (400, "TOO_MANY_ENROLLMENT_ATTEMPTS : restart enrollment"),
    .factorChallengeTimedOut: (
        400, "TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again."
    ),
    .missingCode: (400, "MISSING_CODE"),
    .invalidCode: (400, "INVALID_CODE"),
    .secondFactorRequired: (400, "SECOND_FACTOR_REQUIRED"),
    .invalidPendingCredential: (400, "INVALID_PENDING_TOKEN"),
    .pendingCredentialExpired: (400, "INVALID_MFA_PENDING_CREDENTIAL : MFA pending credential is expired."),
    .providerNotFound: (400, "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."),
    .providerDisabled: (400, "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."),
    .providerUnavailable: (400, "INVALID_IDP_RESPONSE : The provider cannot be reached."),
    .invalidProviderResponse: (400, "INVALID_IDP_RESPONSE"),
    .invalidProviderCredential: (400, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
    .missingNonce: (400, "MISSING_OR_INVALID_NONCE : Nonce is missing in the request."),
    .nonceMismatch: (400, "MISSING_OR_INVALID_NONCE"),
    .duplicateProviderCredential: (
        400,
        "MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again with a new credential."
    ),
    .invalidPendingToken: (400, "INVALID_PENDING_TOKEN"),
    .providerExists: (409, "CONFIGURATION_EXISTS"),
    .invalidProviderConfiguration: (400, "INVALID_CONFIG"),
    .invalidIssuer: (400, "INVALID_ISSUER"),
    .missingPhoneNumber: (400, "MISSING_PHONE_NUMBER"),
    .invalidTemporaryProof: (400, "INVALID_TEMPORARY_PROOF"),
    .missingClientIdentifier: (400, "MISSING_CLIENT_IDENTIFIER"),
    .missingAppCredential: (400, "MISSING_APP_CREDENTIAL"),
    .invalidAppCredential: (400, "INVALID_APP_CREDENTIAL"),
    .missingDeviceToken: (400, "MISSING_IOS_APP_TOKEN"),
    .missingRecaptchaToken: (400, "MISSING_RECAPTCHA_TOKEN"),
    .captchaCheckFailed: (400, "CAPTCHA_CHECK_FAILED"),
    .appNotVerified: (400, "APP_NOT_VERIFIED"),
    .missingActionCode: (400, "MISSING_OOB_CODE"),
    .invalidActionCode: (400, "INVALID_OOB_CODE"),
    .expiredActionCode: (400, "EXPIRED_OOB_CODE"),
    .missingNewEmail: (400, "MISSING_NEW_EMAIL"),
    .invalidNewEmail: (400, "INVALID_NEW_EMAIL"),
    .emailMismatch: (400, "INVALID_EMAIL : The email provided does not match the sign-in email address."),
    .missingIdentifier: (400, "MISSING_IDENTIFIER"),
    .invalidIdentifier: (400, "INVALID_IDENTIFIER"),
    .missingContinueURL: (400, "MISSING_CONTINUE_URI"),
    .invalidContinueURL: (400, "INVALID_CONTINUE_URI : ((expected an absolute URI with valid scheme and host))"),
    .unauthorizedDomain: (400, "UNAUTHORIZED_DOMAIN : The domain of the continue URL is not authorized."),
    .invalidHostingLinkDomain: (400, "INVALID_HOSTING_LINK_DOMAIN"),
    .invalidDynamicLinkDomain: (400, "INVALID_DYNAMIC_LINK_DOMAIN"),
    .dynamicLinkNotActivated: (400, "DYNAMIC_LINK_NOT_ACTIVATED"),
    .missingIOSBundleID: (400, "MISSING_IOS_BUNDLE_ID"),
    .missingAndroidPackageName: (400, "MISSING_ANDROID_PACKAGE_NAME"),
    .resetLimitExceeded: (400, "RESET_PASSWORD_EXCEED_LIMIT"),
    .quotaExceeded: (400, "QUOTA_EXCEEDED"),
    .passwordSignInDisabled: (400, "PASSWORD_LOGIN_DISABLED"),
    .operationNotAllowed: (400, "OPERATION_NOT_ALLOWED"),
    .adminOnlyOperation: (400, "ADMIN_ONLY_OPERATION"),
    .projectDisabled: (400, "PROJECT_DISABLED"),
    .unknownAPIKey: (400, "API key not valid. Please pass a valid API key."),
    .projectExists: (400, "PROJECT_EXISTS"),
    .sessionNotFound: (400, "SESSION_NOT_FOUND"),
    .projectNotFound: (400, "PROJECT_NOT_FOUND"),
    .tenantNotFound: (400, "INVALID_TENANT_ID"),
    .tenantMismatch: (400, "TENANT_ID_MISMATCH"),
    .unsupportedTenantOperation: (400, "UNSUPPORTED_TENANT_OPERATION"),
    .configurationConflict: (409, "The configuration was changed in between. Try again."),
    .invalidConfiguration: (400, "INVALID_CONFIG"),
    .invalidAdjacentIntervalRange: (
        400,
        "INVALID_ADJACENT_INTERVAL_RANGE : Allowed number of adjacent intervals must be between 0 and 10, inclusive"
    ),
    .invalidTestPhoneNumber: (400, "INVALID_TESTING_PHONE_NUMBER"),
    .invalidBlockingFunction: (400, "INVALID_BLOCKING_FUNCTION"),
    .blockingFunctionError: (400, "BLOCKING_FUNCTION_ERROR_RESPONSE"),
    .invalidEmailTemplate: (400, "INVALID_MESSAGE_PAYLOAD"),
    .webhookNotFound: (404, "WEBHOOK_NOT_FOUND"),
    .invalidWebhook: (400, "INVALID_WEBHOOK"),
    .tooManyWebhooks: (400, "WEBHOOK_LIMIT_EXCEEDED"),
    .apnsKeyNotFound: (404, "APNS_KEY_NOT_FOUND"),
    .invalidAPNsKey: (400, "INVALID_APNS_KEY"),
    .apnsKeyExists: (400, "APNS_KEY_EXISTS"),
    .tooManyAPNsKeys: (400, "APNS_KEY_LIMIT_EXCEEDED"),
    .applicationNotFound: (404, "APPLICATION_NOT_FOUND"),
    .invalidApplication: (400, "INVALID_APPLICATION"),
    .tooManyApplications: (400, "APPLICATION_LIMIT_EXCEEDED"),
    .invalidAuthorizationCode: (400, "Request contains an invalid argument."),
    .invalidRedirectURL: (400, "Request contains an invalid argument."),
    .missingDisplayName: (400, "MISSING_DISPLAY_NAME"),
    .invalidDisplayName: (400, "INVALID_DISPLAY_NAME"),
    .missingCustomToken: (400, "MISSING_CUSTOM_TOKEN"),
    .invalidCustomToken: (400, "INVALID_CUSTOM_TOKEN"),
    .credentialMismatch: (400, "CREDENTIAL_MISMATCH"),
    .invalidServiceAccount: (400, "Request contains an invalid argument."),
    .serviceAccountConflict: (400, "Request contains an invalid argument."),
    .serviceAccountNotFound: (400, "Request contains an invalid argument."),
    .invalidAssertion: (401, "Request had invalid authentication credentials. Expected OAuth 2 access token."),
    .invalidScope: (401, "Request had invalid authentication credentials. Expected OAuth 2 access token."),
    .invalidAccessToken: (401, "Request had invalid authentication credentials. Expected OAuth 2 access token."),
    .notImplemented: (400, "OPERATION_NOT_ALLOWED : Not available: this call."),
]

@Suite struct ErrorMapTests {
    private func map(
        _ error: ServiceError, _ surface: ErrorFormat = .v1, _ access: Access = .client
    ) -> APIError {
        APIError(error, surface: surface, access: access, requestID: "4bf9")
    }

    @Test(arguments: WireError.Code.allCases)
    func everyErrorCodeIsMapped(code: WireError.Code) throws {
        let (status, message) = try #require(expected[code], "no line in the table")
        let refusal = map(ServiceError(code))
        #expect((refusal.status, refusal.message) == (status, message))
    }

    @Test(arguments: [
        (WireError.Code.weakPassword, "At least 10.", "WEAK_PASSWORD : At least 10."),
        (
            .passwordPolicyViolated, "Missing password requirements: [Password must contain a numeric character]",
            "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain a numeric character]"
        ),
        (.reservedClaim, "sub", "FORBIDDEN_CLAIM : sub"),
        (.invalidCustomToken, "It has expired.", "INVALID_CUSTOM_TOKEN : It has expired."),
        (.invalidBlockingFunction, "beforeCreate", "INVALID_BLOCKING_FUNCTION : beforeCreate"),
        (
            .blockingFunctionError, #"HTTP Cloud Function returned an error: {"error":{"message":"no"}}"#,
            #"BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {"error":{"message":"no"}}"#
        ),
        (.invalidProviderResponse, "The token has expired.", "INVALID_IDP_RESPONSE : The token has expired."),
        (.providerUnavailable, "Unknown issuer.", "INVALID_IDP_RESPONSE : Unknown issuer."),
        (.nonceMismatch, "The nonce differs.", "MISSING_OR_INVALID_NONCE : The nonce differs."),
        (.invalidProviderConfiguration, "no type", "INVALID_CONFIG : no type"),
        (
            .invalidProviderCredential, "Invalid IdP response/credential: no providerId",
            "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: no providerId"
        ),
    ])
    func detailsForUsersAreReturned(code: WireError.Code, detail: String, message: String) {
        #expect(map(ServiceError(code, detail)).message == message)
    }

    /// Security rule HT12: details about failures of a service stay inside.
    @Test(arguments: [
        WireError.Code.internal, .invalidRequest, .unavailable, .overloaded, .idempotencyKeyReused, .invalidCredentials,
        .invalidIDToken, .accountNotFound,
    ])
    func internalDetailsAreHidden(code: WireError.Code) {
        #expect(!map(ServiceError(code, "at /var/lib/latchkey")).message.contains("latchkey"))
    }

    @Test func retryAfterIsForwarded() {
        #expect(map(ServiceError(.overloaded, retry: .afterSeconds(9))).retryAfterSeconds == 9)
        #expect(map(ServiceError(.unavailable)).retryAfterSeconds == 1)
        #expect(map(ServiceError(.tooManyAttempts, retry: .afterSeconds(30))).retryAfterSeconds == 30)
        #expect(map(ServiceError(.resetLimitExceeded, retry: .afterSeconds(30))).retryAfterSeconds == 30)
    }

    @Test func unknownProviderIsNamedPerCaller() {
        let error = map(ServiceError(.providerNotFound), .v2, .administrator)
        #expect((error.status, error.message) == (404, "CONFIGURATION_NOT_FOUND"))
    }

    @Test func unknownTenantIsNamedPerAPIAndCaller() {
        let error = ServiceError(.tenantNotFound)
        #expect((map(error).status, map(error).message) == (400, "INVALID_TENANT_ID"))
        let v1 = map(error, .v1, .administrator)
        #expect((v1.status, v1.message) == (400, "TENANT_NOT_FOUND"))
        let v2 = map(error, .v2, .administrator)
        #expect((v2.status, v2.message) == (404, "TENANT_NOT_FOUND"))
    }
}
