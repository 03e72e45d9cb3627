import Contracts

extension APIError {
    /// The only map from service errors to REST errors. Status 400 unless the reference specifies another.
    ///
    /// - Parameters:
    ///   - access: some strings differ between clients and administrators.
    ///   - requestID: shown with failures, so that a user can report it to an operator.
    init(_ error: ServiceError, surface: ErrorFormat, access: Access, requestID: String) {
        self =
            switch error.code {
            // Bus and processes.
            case .invalidRequest: .invalidArgument()
            case .unavailable, .overloaded, .requestBlocked, .deadlineExceeded:
                .unavailable(retryAfterSeconds: error.retryAfterSeconds ?? 1)
            case .unknownOperation, .notImplemented: .notImplemented("this call")
            case .notPermitted, .idempotencyKeyReused, .internal: .internal(requestID: requestID)

            // Sessions and tokens.
            case .missingIDToken: .product("MISSING_ID_TOKEN")
            case .invalidIDToken: .product("INVALID_ID_TOKEN")
            case .sessionExpired: .product("TOKEN_EXPIRED")
            case .sessionNotFound: .product("SESSION_NOT_FOUND")
            case .missingRefreshToken: .product("MISSING_REFRESH_TOKEN")
            case .invalidRefreshToken: .product("INVALID_REFRESH_TOKEN")
            case .recentSignInRequired: .product("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
            case .missingCustomToken: .product("MISSING_CUSTOM_TOKEN")
            case .invalidCustomToken: .product("INVALID_CUSTOM_TOKEN", detail: error.message)
            case .credentialMismatch: .product("CREDENTIAL_MISMATCH")
            case .invalidDuration: .product("INVALID_DURATION")

            // Service accounts. Their registration is not part of the REST protocol.
            case .invalidServiceAccount, .serviceAccountConflict, .serviceAccountNotFound: .invalidArgument()
            case .invalidAssertion, .invalidScope, .invalidAccessToken: .invalidBearerToken

            // Accounts.
            case .accountNotFound: .product("USER_NOT_FOUND")
            case .accountDisabled: .product("USER_DISABLED")
            case .accountIDExists: .product("DUPLICATE_LOCAL_ID")
            case .invalidAccountID: .product("INVALID_LOCAL_ID")
            case .missingAccountID: .product("MISSING_LOCAL_ID")
            case .invalidPasswordHash: .product("INVALID_PASSWORD_HASH", detail: error.message)
            case .invalidPasswordHashAlgorithm: .product("INVALID_HASH_ALGORITHM", detail: error.message)
            case .accountMismatch:
                .product("INSUFFICIENT_PERMISSION", detail: "The ID token belongs to another account.")
            case .missingEmail: .product("MISSING_EMAIL")
            case .invalidEmail: .product("INVALID_EMAIL")
            case .emailExists: .product("EMAIL_EXISTS")
            case .emailNotFound: .product("EMAIL_NOT_FOUND")
            case .missingPassword: .product("MISSING_PASSWORD")
            case .invalidPassword: .product("INVALID_PASSWORD")
            case .invalidCredentials: .product("INVALID_LOGIN_CREDENTIALS")
            case .weakPassword:
                .product("WEAK_PASSWORD", detail: error.message ?? "Password should be at least 6 characters")
            case .passwordPolicyViolated: .product("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", detail: error.message)
            case .invalidPhoneNumber: .product("INVALID_PHONE_NUMBER", detail: "Invalid format.")
            case .phoneNumberExists: .product("PHONE_NUMBER_EXISTS")
            case .invalidCustomClaims: .product("INVALID_CLAIMS")
            case .customClaimsTooLarge: .product("CLAIMS_TOO_LARGE")
            case .reservedClaim: .product("FORBIDDEN_CLAIM", detail: error.message)
            case .missingProviderID: .product("MISSING_PROVIDER_ID")
            case .missingProviderAccountID: .product("MISSING_RAW_ID")
            case .providerAccountExists: .product("FEDERATED_USER_ID_ALREADY_LINKED")
            case .tooManyAttempts:
                .tooManyAttempts(
                    retryAfterSeconds: error.retryAfterSeconds, limit: error.limit, isClientCall: true)
            // Only the account page asks to keep it.
            case .onlyWayIn: .product("ONLY_SIGN_IN_METHOD")
            case .emailChangeNeedsVerification: .product("EMAIL_CHANGE_NEEDS_VERIFICATION")
            case .tooManyAccounts: .product("LOCAL_ID_LIST_EXCEEDS_LIMIT")
            case .invalidPageToken: .product("INVALID_PAGE_SELECTION")

            // Second factors.
            case .invalidFactorPhoneNumber: .product("INVALID_MFA_PHONE_NUMBER", detail: "Invalid format.")
            case .invalidFactorID: .product("INVALID_MFA_ENROLLMENT_ID")
            case .factorIDExists: .product("DUPLICATE_MFA_ENROLLMENT_ID")
            case .tooManyFactors:
                .product(
                    "SECOND_FACTOR_LIMIT_EXCEEDED", detail: "Too many second factors enrolled for this account.")
            case .unsupportedSecondFactor:
                .product("UNSUPPORTED_SECOND_FACTOR", detail: "attempting to add a new TOTP enrollment")
            case .unsupportedFirstFactor:
                .product(
                    "UNSUPPORTED_FIRST_FACTOR",
                    detail: "A phone number cannot be set as a first factor on an SMS based MFA user.")
            case .unverifiedEmail:
                .product("UNVERIFIED_EMAIL", detail: "Need to verify email first before enrolling second factors.")
            case .factorNotFound: .product("MFA_ENROLLMENT_NOT_FOUND")
            case .firstFactorNotEligible:
                .product("UNSUPPORTED_FIRST_FACTOR", detail: "MFA is not available for the given first factor.")
            case .factorExists:
                .product(
                    "SECOND_FACTOR_EXISTS",
                    detail: "Phone number already enrolled as second factor for this account.")
            case .tooManyTOTPFactors:
                .product(
                    "SECOND_FACTOR_LIMIT_EXCEEDED",
                    detail: "Too many TOTP based second factors enrolled for this account.")
            case .missingFactorID:
                .product("INVALID_MFA_ENROLLMENT_ID", detail: "mfaEnrollmentId must be defined.")
            case .missingFactorName: .product("MISSING_DISPLAY_NAME", detail: "display name cannot be empty")
            case .missingVerificationSession: .product("MISSING_SESSION_INFO")
            case .invalidVerificationSession: .product("INVALID_SESSION_INFO")
            case .verificationSessionExpired: .product("SESSION_EXPIRED")
            case .factorAlreadyEnrolled: .product("MFA_ENROLLMENT_ALREADY_COMPLETE")
            case .missingCode: .product("MISSING_CODE")
            case .invalidCode: .product("INVALID_CODE")
            case .tooManyEnrollmentAttempts:
                .product("TOO_MANY_ENROLLMENT_ATTEMPTS", detail: "restart enrollment")
            case .factorChallengeTimedOut:
                .product("TOTP_CHALLENGE_TIMEOUT", detail: "TOTP challenge timeout, provide first factor again.")
            case .secondFactorRequired: .product("SECOND_FACTOR_REQUIRED")
            case .invalidPendingCredential: .product("INVALID_PENDING_TOKEN")
            case .pendingCredentialExpired:
                .product("INVALID_MFA_PENDING_CREDENTIAL", detail: "MFA pending credential is expired.")

            // Passkeys.
            case .passkeysNotEnabled: .product("PASSKEY_NOT_ENABLED")
            case .passkeyNotFound: .product("PASSKEY_ENROLLMENT_NOT_FOUND")
            case .passkeyExists: .product("PASSKEY_EXISTS")
            case .passkeyLimitExceeded: .product("PASSKEY_LIMIT_EXCEEDED")
            case .passkeyChallengeTimedOut: .product("PASSKEY_CHALLENGE_TIMEOUT")
            case .missingAuthenticatorResponse: .product("MISSING_AUTHENTICATOR_RESPONSE")
            case .invalidAuthenticatorResponse: .product("INVALID_AUTHENTICATOR_RESPONSE")
            case .invalidCredentialID: .product("INVALID_CREDENTIAL_ID")

            // Identity providers.
            case .providerNotFound:
                switch access {
                case .administrator: APIError(.providerConfigurationNotFound)
                case .unauthenticated, .client, .developer, .operations, .console:
                    .product("OPERATION_NOT_ALLOWED", detail: "The identity provider configuration is not found.")
                }
            case .providerDisabled:
                .product("OPERATION_NOT_ALLOWED", detail: "The identity provider configuration is disabled.")
            case .providerUnavailable:
                .product("INVALID_IDP_RESPONSE", detail: error.message ?? "The provider cannot be reached.")
            case .invalidProviderResponse: .product("INVALID_IDP_RESPONSE", detail: error.message)
            case .invalidProviderCredential:
                .product("INVALID_CREDENTIAL_OR_PROVIDER_ID", detail: error.message)
            case .missingNonce:
                .product("MISSING_OR_INVALID_NONCE", detail: "Nonce is missing in the request.")
            case .nonceMismatch: .product("MISSING_OR_INVALID_NONCE", detail: error.message)
            case .duplicateProviderCredential:
                .product(
                    "MISSING_OR_INVALID_NONCE",
                    detail: "Duplicate credential received. Please try again with a new credential.")
            case .invalidPendingToken: .product("INVALID_PENDING_TOKEN")
            case .providerExists: .product("CONFIGURATION_EXISTS", status: 409)
            case .invalidProviderConfiguration: .product("INVALID_CONFIG", detail: error.message)
            case .invalidIssuer: .product("INVALID_ISSUER")

            // Phone numbers and app verification.
            case .missingPhoneNumber: .product("MISSING_PHONE_NUMBER")
            case .invalidTemporaryProof: .product("INVALID_TEMPORARY_PROOF")
            case .missingClientIdentifier: .product("MISSING_CLIENT_IDENTIFIER")
            case .missingAppCredential: .product("MISSING_APP_CREDENTIAL")
            case .invalidAppCredential: .product("INVALID_APP_CREDENTIAL")
            case .missingDeviceToken: .product("MISSING_IOS_APP_TOKEN")
            case .missingRecaptchaToken: .product("MISSING_RECAPTCHA_TOKEN")
            case .captchaCheckFailed: .product("CAPTCHA_CHECK_FAILED")
            case .appNotVerified: .product("APP_NOT_VERIFIED")

            // Action codes and their links.
            case .missingActionCode: .product("MISSING_OOB_CODE")
            case .invalidActionCode: .product("INVALID_OOB_CODE")
            case .expiredActionCode: .product("EXPIRED_OOB_CODE")
            case .missingNewEmail: .product("MISSING_NEW_EMAIL")
            case .invalidNewEmail: .product("INVALID_NEW_EMAIL")
            case .emailMismatch:
                .product("INVALID_EMAIL", detail: "The email provided does not match the sign-in email address.")
            case .missingIdentifier: .product("MISSING_IDENTIFIER")
            case .invalidIdentifier: .product("INVALID_IDENTIFIER")
            case .missingContinueURL: .product("MISSING_CONTINUE_URI")
            case .invalidContinueURL:
                .product("INVALID_CONTINUE_URI", detail: "((expected an absolute URI with valid scheme and host))")
            case .unauthorizedDomain:
                .product("UNAUTHORIZED_DOMAIN", detail: "The domain of the continue URL is not authorized.")
            case .invalidHostingLinkDomain: .product("INVALID_HOSTING_LINK_DOMAIN")
            case .invalidDynamicLinkDomain: .product("INVALID_DYNAMIC_LINK_DOMAIN")
            case .dynamicLinkNotActivated: .product("DYNAMIC_LINK_NOT_ACTIVATED")
            case .missingIOSBundleID: .product("MISSING_IOS_BUNDLE_ID")
            case .missingAndroidPackageName: .product("MISSING_ANDROID_PACKAGE_NAME")
            case .resetLimitExceeded:
                .product("RESET_PASSWORD_EXCEED_LIMIT", retryAfterSeconds: error.retryAfterSeconds)
            case .quotaExceeded: .product("QUOTA_EXCEEDED", retryAfterSeconds: error.retryAfterSeconds)

            // Projects and their configuration.
            case .passwordSignInDisabled: .product("PASSWORD_LOGIN_DISABLED")
            case .operationNotAllowed: .product("OPERATION_NOT_ALLOWED", detail: error.message)
            case .adminOnlyOperation: .product("ADMIN_ONLY_OPERATION")
            case .projectDisabled: .product("PROJECT_DISABLED")
            case .unknownAPIKey: .unknownAPIKey
            case .projectExists: .product("PROJECT_EXISTS")
            case .projectNotFound: .product("PROJECT_NOT_FOUND", status: surface == .v2 ? 404 : 400)
            case .tenantNotFound:
                switch (access, surface) {
                case (.administrator, .v2): .product("TENANT_NOT_FOUND", status: 404)
                case (.administrator, .v1), (.administrator, .page): .product("TENANT_NOT_FOUND")
                case (.unauthenticated, _), (.client, _), (.developer, _), (.operations, _), (.console, _):
                    .product("INVALID_TENANT_ID")
                }
            case .tenantMismatch: .product("TENANT_ID_MISMATCH")
            case .unsupportedTenantOperation: .product("UNSUPPORTED_TENANT_OPERATION")
            case .configurationConflict:
                .init(status: 409, message: "The configuration was changed in between. Try again.", rpcCode: .aborted)
            case .invalidConfiguration: .product("INVALID_CONFIG", detail: error.message)
            case .invalidAdjacentIntervalRange:
                .product(
                    "INVALID_ADJACENT_INTERVAL_RANGE",
                    detail: "Allowed number of adjacent intervals must be between 0 and 10, inclusive")
            case .invalidTestPhoneNumber: .product("INVALID_TESTING_PHONE_NUMBER", detail: error.message)
            case .invalidBlockingFunction: .product("INVALID_BLOCKING_FUNCTION", detail: error.message)
            case .blockingFunctionError: .product("BLOCKING_FUNCTION_ERROR_RESPONSE", detail: error.message)
            case .webhookNotFound: .product("WEBHOOK_NOT_FOUND", status: 404)
            case .invalidWebhook: .product("INVALID_WEBHOOK", detail: error.message)
            case .tooManyWebhooks: .product("WEBHOOK_LIMIT_EXCEEDED")
            case .apnsKeyNotFound: .product("APNS_KEY_NOT_FOUND", status: 404)
            case .invalidAPNsKey: .product("INVALID_APNS_KEY", detail: error.message)
            case .apnsKeyExists: .product("APNS_KEY_EXISTS")
            case .tooManyAPNsKeys: .product("APNS_KEY_LIMIT_EXCEEDED")
            case .applicationNotFound: .product("APPLICATION_NOT_FOUND", status: 404)
            case .invalidApplication: .product("INVALID_APPLICATION", detail: error.message)
            case .tooManyApplications: .product("APPLICATION_LIMIT_EXCEEDED")
            // The pages and the token endpoint of OAuth have errors of their own.
            case .invalidAuthorizationCode, .invalidRedirectURL: .invalidArgument()
            case .invalidEmailTemplate: .product("INVALID_MESSAGE_PAYLOAD", detail: error.message)
            case .missingDisplayName: .product("MISSING_DISPLAY_NAME")
            case .invalidDisplayName: .product("INVALID_DISPLAY_NAME")
            }
        limit = error.limit
    }
}

extension APIError {
    /// - Parameter error: of a request that no service has seen.
    init(_ error: RequestError) {
        self =
            switch error {
            case .invalidProjectID: .product("INVALID_PROJECT_ID")
            case .missingGrantType: .product("MISSING_GRANT_TYPE")
            case .invalidGrantType: .product("INVALID_GRANT_TYPE")
            case .unexpectedAccountID: .product("UNEXPECTED_PARAMETER", detail: "User ID")
            case .unsupportedUpdateParameters:
                .product("INVALID_REQ_TYPE", detail: "Unsupported request parameters.")
            case .disablingOwnAccount: .product("OPERATION_NOT_ALLOWED")
            case .invalidProviderID: .product("INVALID_PROVIDER_ID")
            case .missingRequestURL: .product("MISSING_REQUEST_URI")
            case .invalidRequestURL: .product("INVALID_REQUEST_URI")
            case .missingProviderConfiguration: .product("MISSING_CONFIG")
            case .missingProviderConfigurationID: .product("MISSING_CONFIG_ID")
            case .invalidProviderConfigurationID: .product("INVALID_CONFIG_ID")
            case .providerConfigurationNotFound: .product("CONFIGURATION_NOT_FOUND", status: 404)
            case .missingOAuthClientID: .product("MISSING_OAUTH_CLIENT_ID")
            case .missingOAuthClientSecret: .product("MISSING_OAUTH_CLIENT_SECRET")
            case .missingIssuer: .product("MISSING_ISSUER")
            case .missingSAMLRelyingParty: .product("MISSING_SAML_RELYING_PARTY_CONFIG")
            case .missingRequestType: .product("MISSING_REQ_TYPE")
            case .invalidRequestType: .product("INVALID_REQ_TYPE")
            case .invalidLink: .product("INVALID_LINK")
            case .missingPendingCredential:
                .product("MISSING_MFA_PENDING_CREDENTIAL", detail: "Request does not have MFA pending credential.")
            case .missingPendingCredentialOfSignIn:
                .product("MISSING_CREDENTIAL", detail: "Please set MFA Pending Credential.")
            case .missingFactorID:
                .product("MISSING_MFA_ENROLLMENT_ID", detail: "No second factor identifier is provided.")
            case .invalidOAuthClientID: .product("INVALID_OAUTH_CLIENT_ID")
            case .invalidAppID: .product("INVALID_APP_ID")
            case .invalidCertificateHash: .product("INVALID_CERT_HASH")
            case .missingClientType: .product("MISSING_CLIENT_TYPE")
            case .missingRecaptchaVersion: .product("MISSING_RECAPTCHA_VERSION")
            case .invalidRecaptchaVersion: .product("INVALID_RECAPTCHA_VERSION")
            case .invalidTenantType: .product("INVALID_TENANT_TYPE")
            case .invalidPageToken: .product("INVALID_PAGE_SELECTION")
            }
    }

    /// A path of the protocol whose work has not landed. `subject` names it: "phone sign-in". The code is one that client
    /// libraries know: they make an unreadable name of any other text.
    static func notImplemented(_ subject: String) -> APIError {
        .product("OPERATION_NOT_ALLOWED", detail: "Not available: \(subject).")
    }

    /// An administrators' field in the call of a client; `field` as the wire's documentation spells it, in snake case.
    static func adminOnlyField(_ field: String) -> APIError {
        .product("INSUFFICIENT_PERMISSION", detail: "Only authenticated requests can specify \(field).")
    }

    /// One of the protocol's own strings, status 400 unless the reference gives another.
    static func product(
        _ code: String, detail: String? = nil, status: Int = 400, retryAfterSeconds: Int? = nil
    ) -> APIError {
        // Clients split at exactly space, colon, space.
        .init(
            status: status, message: detail.map { "\(code) : \($0)" } ?? code, retryAfterSeconds: retryAfterSeconds)
    }
}
