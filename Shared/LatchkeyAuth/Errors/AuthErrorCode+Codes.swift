/// The codes and numbers of Firebase Authentication, which applications know.
extension AuthErrorCode: CaseIterable {
    /// The custom token is not valid.
    public static var invalidCustomToken: Self { Self(17000, "The custom token is not valid.") }
    /// The custom token belongs to another project.
    public static var customTokenMismatch: Self { Self(17002, "The custom token belongs to another project.") }
    /// The credential is not valid or has expired.
    public static var invalidCredential: Self { Self(17004, "The credential is not valid or has expired.") }
    /// An administrator has disabled the account.
    public static var userDisabled: Self { Self(17005, "An administrator has disabled the account.") }
    /// The project does not allow this operation.
    public static var operationNotAllowed: Self { Self(17006, "The project does not allow this operation.") }
    /// Another account uses the e-mail address.
    public static var emailAlreadyInUse: Self { Self(17007, "Another account uses the e-mail address.") }
    /// The e-mail address is malformed.
    public static var invalidEmail: Self { Self(17008, "The e-mail address is malformed.") }
    /// The password is wrong.
    public static var wrongPassword: Self { Self(17009, "The password is wrong.") }
    /// Too many attempts. Try again later.
    public static var tooManyRequests: Self { Self(17010, "Too many attempts. Try again later.") }
    /// No such account exists.
    public static var userNotFound: Self { Self(17011, "No such account exists.") }
    /// An account with this e-mail address uses another way to sign in.
    public static var accountExistsWithDifferentCredential: Self {
        Self(17012, "An account with this e-mail address uses another way to sign in.")
    }
    /// The operation requires a recent sign-in.
    public static var requiresRecentLogin: Self { Self(17014, "The operation requires a recent sign-in.") }
    /// The account has a credential of this provider already.
    public static var providerAlreadyLinked: Self {
        Self(17015, "The account has a credential of this provider already.")
    }
    /// The account has no credential of this provider.
    public static var noSuchProvider: Self { Self(17016, "The account has no credential of this provider.") }
    /// The session has ended. The user must sign in again.
    public static var invalidUserToken: Self { Self(17017, "The session has ended. The user must sign in again.") }
    /// The server cannot be reached.
    public static var networkError: Self { Self(17020, "The server cannot be reached.") }
    /// The session has ended. The user must sign in again.
    public static var userTokenExpired: Self { Self(17021, "The session has ended. The user must sign in again.") }
    /// The server does not accept the API key.
    public static var invalidAPIKey: Self { Self(17023, "The server does not accept the API key.") }
    /// The credential belongs to another user.
    public static var userMismatch: Self { Self(17024, "The credential belongs to another user.") }
    /// Another account uses this credential.
    public static var credentialAlreadyInUse: Self { Self(17025, "Another account uses this credential.") }
    /// The password is too weak.
    public static var weakPassword: Self { Self(17026, "The password is too weak.") }
    /// The API key is not valid for this application.
    public static var appNotAuthorized: Self { Self(17028, "The API key is not valid for this application.") }
    /// The code of the e-mail has expired.
    public static var expiredActionCode: Self { Self(17029, "The code of the e-mail has expired.") }
    /// The code of the e-mail is not valid or was used.
    public static var invalidActionCode: Self { Self(17030, "The code of the e-mail is not valid or was used.") }
    /// The server could not compose the message.
    public static var invalidMessagePayload: Self { Self(17031, "The server could not compose the message.") }
    /// The sender of the e-mail is not valid.
    public static var invalidSender: Self { Self(17032, "The sender of the e-mail is not valid.") }
    /// The recipient of the e-mail is not valid.
    public static var invalidRecipientEmail: Self { Self(17033, "The recipient of the e-mail is not valid.") }
    /// The e-mail address is missing.
    public static var missingEmail: Self { Self(17034, "The e-mail address is missing.") }
    /// The bundle ID is missing.
    public static var missingIosBundleID: Self { Self(17036, "The bundle ID is missing.") }
    /// The Android package name is missing.
    public static var missingAndroidPackageName: Self { Self(17037, "The Android package name is missing.") }
    /// The project does not list the domain of the continue URL.
    public static var unauthorizedDomain: Self {
        Self(17038, "The project does not list the domain of the continue URL.")
    }
    /// The continue URL is not valid.
    public static var invalidContinueURI: Self { Self(17039, "The continue URL is not valid.") }
    /// The continue URL is missing.
    public static var missingContinueURI: Self { Self(17040, "The continue URL is missing.") }
    /// The phone number is missing.
    public static var missingPhoneNumber: Self { Self(17041, "The phone number is missing.") }
    /// The phone number is not valid.
    public static var invalidPhoneNumber: Self { Self(17042, "The phone number is not valid.") }
    /// The verification code is missing.
    public static var missingVerificationCode: Self { Self(17043, "The verification code is missing.") }
    /// The verification code is wrong.
    public static var invalidVerificationCode: Self { Self(17044, "The verification code is wrong.") }
    /// The verification ID is missing.
    public static var missingVerificationID: Self { Self(17045, "The verification ID is missing.") }
    /// The verification ID is not valid or was used.
    public static var invalidVerificationID: Self { Self(17046, "The verification ID is not valid or was used.") }
    /// The credential of the application is missing.
    public static var missingAppCredential: Self { Self(17047, "The credential of the application is missing.") }
    /// The credential of the application is not valid.
    public static var invalidAppCredential: Self { Self(17048, "The credential of the application is not valid.") }
    /// The verification code has expired. Request a new one.
    public static var sessionExpired: Self { Self(17051, "The verification code has expired. Request a new one.") }
    /// A quota of the project is exhausted.
    public static var quotaExceeded: Self { Self(17052, "A quota of the project is exhausted.") }
    /// The push token of the device is missing.
    public static var missingAppToken: Self { Self(17053, "The push token of the device is missing.") }
    /// The application does not forward its remote notifications to this library.
    public static var notificationNotForwarded: Self {
        Self(17054, "The application does not forward its remote notifications to this library.")
    }
    /// The server could not verify the application.
    public static var appNotVerified: Self { Self(17055, "The server could not verify the application.") }
    /// The reCAPTCHA check failed.
    public static var captchaCheckFailed: Self { Self(17056, "The reCAPTCHA check failed.") }
    /// Another sign-in page is open.
    public static var webContextAlreadyPresented: Self { Self(17057, "Another sign-in page is open.") }
    /// The user closed the sign-in page.
    public static var webContextCancelled: Self { Self(17058, "The user closed the sign-in page.") }
    /// The verification of the application failed.
    public static var appVerificationUserInteractionFailure: Self {
        Self(17059, "The verification of the application failed.")
    }
    /// The client ID is not valid.
    public static var invalidClientID: Self { Self(17060, "The client ID is not valid.") }
    /// The sign-in page could not reach the server.
    public static var webNetworkRequestFailed: Self { Self(17061, "The sign-in page could not reach the server.") }
    /// The sign-in page failed.
    public static var webInternalError: Self { Self(17062, "The sign-in page failed.") }
    /// The sign-in at the identity provider failed.
    public static var webSignInUserInteractionFailure: Self {
        Self(17063, "The sign-in at the identity provider failed.")
    }
    /// The local player is not signed in to Game Center.
    public static var localPlayerNotAuthenticated: Self {
        Self(17066, "The local player is not signed in to Game Center.")
    }
    /// The user is missing.
    public static var nullUser: Self { Self(17067, "The user is missing.") }
    /// The provider ID is not valid.
    public static var invalidProviderID: Self { Self(17071, "The provider ID is not valid.") }
    /// The tenant is not that of the user or of the credential.
    public static var tenantIDMismatch: Self { Self(17072, "The tenant is not that of the user or of the credential.") }
    /// Tenants do not support this operation.
    public static var unsupportedTenantOperation: Self { Self(17073, "Tenants do not support this operation.") }
    /// The credential is malformed, or does not match the request.
    public static var rejectedCredential: Self {
        Self(17075, "The credential is malformed, or does not match the request.")
    }
    /// GameKit is not linked.
    public static var gameKitNotLinked: Self { Self(17076, "GameKit is not linked.") }
    /// The user must complete the sign-in with a second factor.
    public static var secondFactorRequired: Self {
        Self(17078, "The user must complete the sign-in with a second factor.")
    }
    /// The multi-factor session is missing.
    public static var missingMultiFactorSession: Self { Self(17081, "The multi-factor session is missing.") }
    /// The second factor is missing.
    public static var missingMultiFactorInfo: Self { Self(17082, "The second factor is missing.") }
    /// The multi-factor session is not valid or has expired.
    public static var invalidMultiFactorSession: Self {
        Self(17083, "The multi-factor session is not valid or has expired.")
    }
    /// The account has no such second factor.
    public static var multiFactorInfoNotFound: Self { Self(17084, "The account has no such second factor.") }
    /// Only an administrator may do this.
    public static var adminRestrictedOperation: Self { Self(17085, "Only an administrator may do this.") }
    /// The e-mail address must be verified first.
    public static var unverifiedEmail: Self { Self(17086, "The e-mail address must be verified first.") }
    /// The second factor is enrolled already.
    public static var secondFactorAlreadyEnrolled: Self { Self(17087, "The second factor is enrolled already.") }
    /// The account has the maximum number of second factors.
    public static var maximumSecondFactorCountExceeded: Self {
        Self(17088, "The account has the maximum number of second factors.")
    }
    /// This way to sign in does not support a second factor.
    public static var unsupportedFirstFactor: Self {
        Self(17089, "This way to sign in does not support a second factor.")
    }
    /// The new e-mail address must be verified first.
    public static var emailChangeNeedsVerification: Self {
        Self(17090, "The new e-mail address must be verified first.")
    }
    /// The request identifies no application.
    public static var missingClientIdentifier: Self { Self(17093, "The request identifies no application.") }
    /// The nonce is missing or does not match the token.
    public static var missingOrInvalidNonce: Self { Self(17094, "The nonce is missing or does not match the token.") }
    /// A blocking function refused the request.
    public static var blockingCloudFunctionError: Self { Self(17105, "A blocking function refused the request.") }
    /// reCAPTCHA is not enabled.
    public static var recaptchaNotEnabled: Self { Self(17200, "reCAPTCHA is not enabled.") }
    /// The reCAPTCHA token is missing.
    public static var missingRecaptchaToken: Self { Self(17201, "The reCAPTCHA token is missing.") }
    /// The reCAPTCHA token is not valid.
    public static var invalidRecaptchaToken: Self { Self(17202, "The reCAPTCHA token is not valid.") }
    /// The reCAPTCHA action is not valid.
    public static var invalidRecaptchaAction: Self { Self(17203, "The reCAPTCHA action is not valid.") }
    /// The client type is missing.
    public static var missingClientType: Self { Self(17204, "The client type is missing.") }
    /// The reCAPTCHA version is missing.
    public static var missingRecaptchaVersion: Self { Self(17205, "The reCAPTCHA version is missing.") }
    /// The reCAPTCHA version is not valid.
    public static var invalidRecaptchaVersion: Self { Self(17206, "The reCAPTCHA version is not valid.") }
    /// The request type is not valid.
    public static var invalidReqType: Self { Self(17207, "The request type is not valid.") }
    /// The reCAPTCHA library is not linked.
    public static var recaptchaSDKNotLinked: Self { Self(17208, "The reCAPTCHA library is not linked.") }
    /// The reCAPTCHA site key is missing.
    public static var recaptchaSiteKeyMissing: Self { Self(17209, "The reCAPTCHA site key is missing.") }
    /// The reCAPTCHA action could not be created.
    public static var recaptchaActionCreationFailed: Self { Self(17210, "The reCAPTCHA action could not be created.") }
    /// The password does not meet the requirements of the project.
    public static var passwordDoesNotMeetRequirements: Self {
        Self(17211, "The password does not meet the requirements of the project.")
    }
    /// The domain for links is not valid.
    public static var invalidHostingLinkDomain: Self { Self(17214, "The domain for links is not valid.") }
    /// The session could not be stored on the device.
    public static var keychainError: Self { Self(17995, "The session could not be stored on the device.") }
    /// An unexpected error occurred.
    public static var internalError: Self { Self(17999, "An unexpected error occurred.") }
    /// The token is malformed.
    public static var malformedJWT: Self { Self(18000, "The token is malformed.") }

    /// Every code.
    public static let allCases: [AuthErrorCode] = [
        .invalidCustomToken, .customTokenMismatch, .invalidCredential, .userDisabled, .operationNotAllowed,
        .emailAlreadyInUse, .invalidEmail, .wrongPassword, .tooManyRequests, .userNotFound,
        .accountExistsWithDifferentCredential, .requiresRecentLogin, .providerAlreadyLinked, .noSuchProvider,
        .invalidUserToken, .networkError, .userTokenExpired, .invalidAPIKey, .userMismatch, .credentialAlreadyInUse,
        .weakPassword, .appNotAuthorized, .expiredActionCode, .invalidActionCode, .invalidMessagePayload,
        .invalidSender, .invalidRecipientEmail, .missingEmail, .missingIosBundleID, .missingAndroidPackageName,
        .unauthorizedDomain, .invalidContinueURI, .missingContinueURI, .missingPhoneNumber, .invalidPhoneNumber,
        .missingVerificationCode, .invalidVerificationCode, .missingVerificationID, .invalidVerificationID,
        .missingAppCredential, .invalidAppCredential, .sessionExpired, .quotaExceeded, .missingAppToken,
        .notificationNotForwarded, .appNotVerified, .captchaCheckFailed, .webContextAlreadyPresented,
        .webContextCancelled, .appVerificationUserInteractionFailure, .invalidClientID, .webNetworkRequestFailed,
        .webInternalError, .webSignInUserInteractionFailure, .localPlayerNotAuthenticated, .nullUser,
        .invalidProviderID, .tenantIDMismatch, .unsupportedTenantOperation, .rejectedCredential,
        .gameKitNotLinked, .secondFactorRequired,
        .missingMultiFactorSession, .missingMultiFactorInfo, .invalidMultiFactorSession, .multiFactorInfoNotFound,
        .adminRestrictedOperation, .unverifiedEmail, .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded,
        .unsupportedFirstFactor, .emailChangeNeedsVerification, .missingClientIdentifier, .missingOrInvalidNonce,
        .blockingCloudFunctionError, .recaptchaNotEnabled, .missingRecaptchaToken, .invalidRecaptchaToken,
        .invalidRecaptchaAction, .missingClientType, .missingRecaptchaVersion, .invalidRecaptchaVersion,
        .invalidReqType, .recaptchaSDKNotLinked, .recaptchaSiteKeyMissing, .recaptchaActionCreationFailed,
        .passwordDoesNotMeetRequirements, .invalidHostingLinkDomain, .keychainError, .internalError, .malformedJWT,
    ]
}
