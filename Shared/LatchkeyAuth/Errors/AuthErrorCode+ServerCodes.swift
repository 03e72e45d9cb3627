extension AuthErrorCode {
    /// The code of a response of the server. A code without an entry is ``AuthErrorCode/internalError``.
    init(serverCode: String) {
        self = Self.serverCodes[serverCode] ?? .internalError
    }

    static let serverCodes: [String: AuthErrorCode] = [
        // Account and password.
        "EMAIL_EXISTS": .emailAlreadyInUse,
        "EMAIL_NOT_FOUND": .userNotFound,
        "INVALID_PASSWORD": .wrongPassword,
        "INVALID_LOGIN_CREDENTIALS": .invalidCredential,
        "INVALID_EMAIL": .invalidEmail,
        "MISSING_EMAIL": .missingEmail,
        "WEAK_PASSWORD": .weakPassword,
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": .passwordDoesNotMeetRequirements,
        "PASSWORD_LOGIN_DISABLED": .operationNotAllowed,
        "OPERATION_NOT_ALLOWED": .operationNotAllowed,
        "ADMIN_ONLY_OPERATION": .adminRestrictedOperation,
        "EMAIL_CHANGE_NEEDS_VERIFICATION": .emailChangeNeedsVerification,
        "USER_DISABLED": .userDisabled,
        "USER_NOT_FOUND": .userNotFound,
        "TOO_MANY_ATTEMPTS_TRY_LATER": .tooManyRequests,
        "INVALID_IDENTIFIER": .invalidEmail,
        "BLOCKING_FUNCTION_ERROR_RESPONSE": .blockingCloudFunctionError,
        // Session and tokens.
        "INVALID_ID_TOKEN": .invalidUserToken,
        "TOKEN_EXPIRED": .userTokenExpired,
        "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": .requiresRecentLogin,
        "INVALID_CUSTOM_TOKEN": .invalidCustomToken,
        "CREDENTIAL_MISMATCH": .customTokenMismatch,
        "TENANT_ID_MISMATCH": .tenantIDMismatch,
        "UNSUPPORTED_TENANT_OPERATION": .unsupportedTenantOperation,
        // Federation.
        "INVALID_IDP_RESPONSE": .invalidCredential,
        "INVALID_PENDING_TOKEN": .invalidCredential,
        "MISSING_OR_INVALID_NONCE": .missingOrInvalidNonce,
        "FEDERATED_USER_ID_ALREADY_LINKED": .credentialAlreadyInUse,
        "INVALID_PROVIDER_ID": .invalidProviderID,
        "REJECTED_CREDENTIAL": .rejectedCredential,
        // Email actions.
        "EXPIRED_OOB_CODE": .expiredActionCode,
        "INVALID_OOB_CODE": .invalidActionCode,
        "MISSING_CONTINUE_URI": .missingContinueURI,
        "INVALID_CONTINUE_URI": .invalidContinueURI,
        "UNAUTHORIZED_DOMAIN": .unauthorizedDomain,
        "MISSING_IOS_BUNDLE_ID": .missingIosBundleID,
        "MISSING_ANDROID_PACKAGE_NAME": .missingAndroidPackageName,
        "INVALID_MESSAGE_PAYLOAD": .invalidMessagePayload,
        "INVALID_SENDER": .invalidSender,
        "INVALID_RECIPIENT_EMAIL": .invalidRecipientEmail,
        "INVALID_HOSTING_LINK_DOMAIN": .invalidHostingLinkDomain,
        // Phone and app verification.
        "INVALID_PHONE_NUMBER": .invalidPhoneNumber,
        "INVALID_CODE": .invalidVerificationCode,
        "INVALID_SESSION_INFO": .invalidVerificationID,
        "SESSION_EXPIRED": .sessionExpired,
        "QUOTA_EXCEEDED": .quotaExceeded,
        "MISSING_APP_CREDENTIAL": .missingAppCredential,
        "INVALID_APP_CREDENTIAL": .invalidAppCredential,
        "MISSING_IOS_APP_TOKEN": .missingAppToken,
        "MISSING_CLIENT_IDENTIFIER": .missingClientIdentifier,
        "APP_NOT_VERIFIED": .appNotVerified,
        "CAPTCHA_CHECK_FAILED": .captchaCheckFailed,
        // Multi-factor.
        "MISSING_MFA_PENDING_CREDENTIAL": .missingMultiFactorSession,
        "INVALID_MFA_PENDING_CREDENTIAL": .invalidMultiFactorSession,
        "MISSING_MFA_ENROLLMENT_ID": .missingMultiFactorInfo,
        "MFA_ENROLLMENT_NOT_FOUND": .multiFactorInfoNotFound,
        "SECOND_FACTOR_EXISTS": .secondFactorAlreadyEnrolled,
        "SECOND_FACTOR_LIMIT_EXCEEDED": .maximumSecondFactorCountExceeded,
        "UNSUPPORTED_FIRST_FACTOR": .unsupportedFirstFactor,
        "UNVERIFIED_EMAIL": .unverifiedEmail,
    ]
}
