extension AuthErrorCode {
    /// ``Code/invalidCustomToken``
    public static var invalidCustomToken: Code { .invalidCustomToken }
    /// ``Code/customTokenMismatch``
    public static var customTokenMismatch: Code { .customTokenMismatch }
    /// ``Code/invalidCredential``
    public static var invalidCredential: Code { .invalidCredential }
    /// ``Code/userDisabled``
    public static var userDisabled: Code { .userDisabled }
    /// ``Code/operationNotAllowed``
    public static var operationNotAllowed: Code { .operationNotAllowed }
    /// ``Code/emailAlreadyInUse``
    public static var emailAlreadyInUse: Code { .emailAlreadyInUse }
    /// ``Code/invalidEmail``
    public static var invalidEmail: Code { .invalidEmail }
    /// ``Code/wrongPassword``
    public static var wrongPassword: Code { .wrongPassword }
    /// ``Code/tooManyRequests``
    public static var tooManyRequests: Code { .tooManyRequests }
    /// ``Code/userNotFound``
    public static var userNotFound: Code { .userNotFound }
    /// ``Code/accountExistsWithDifferentCredential``
    public static var accountExistsWithDifferentCredential: Code { .accountExistsWithDifferentCredential }
    /// ``Code/requiresRecentLogin``
    public static var requiresRecentLogin: Code { .requiresRecentLogin }
    /// ``Code/providerAlreadyLinked``
    public static var providerAlreadyLinked: Code { .providerAlreadyLinked }
    /// ``Code/noSuchProvider``
    public static var noSuchProvider: Code { .noSuchProvider }
    /// ``Code/invalidUserToken``
    public static var invalidUserToken: Code { .invalidUserToken }
    /// ``Code/networkError``
    public static var networkError: Code { .networkError }
    /// ``Code/userTokenExpired``
    public static var userTokenExpired: Code { .userTokenExpired }
    /// ``Code/invalidAPIKey``
    public static var invalidAPIKey: Code { .invalidAPIKey }
    /// ``Code/userMismatch``
    public static var userMismatch: Code { .userMismatch }
    /// ``Code/credentialAlreadyInUse``
    public static var credentialAlreadyInUse: Code { .credentialAlreadyInUse }
    /// ``Code/weakPassword``
    public static var weakPassword: Code { .weakPassword }
    /// ``Code/appNotAuthorized``
    public static var appNotAuthorized: Code { .appNotAuthorized }
    /// ``Code/expiredActionCode``
    public static var expiredActionCode: Code { .expiredActionCode }
    /// ``Code/invalidActionCode``
    public static var invalidActionCode: Code { .invalidActionCode }
    /// ``Code/invalidMessagePayload``
    public static var invalidMessagePayload: Code { .invalidMessagePayload }
    /// ``Code/invalidSender``
    public static var invalidSender: Code { .invalidSender }
    /// ``Code/invalidRecipientEmail``
    public static var invalidRecipientEmail: Code { .invalidRecipientEmail }
    /// ``Code/missingEmail``
    public static var missingEmail: Code { .missingEmail }
    /// ``Code/missingIosBundleID``
    public static var missingIosBundleID: Code { .missingIosBundleID }
    /// ``Code/missingAndroidPackageName``
    public static var missingAndroidPackageName: Code { .missingAndroidPackageName }
    /// ``Code/unauthorizedDomain``
    public static var unauthorizedDomain: Code { .unauthorizedDomain }
    /// ``Code/invalidContinueURI``
    public static var invalidContinueURI: Code { .invalidContinueURI }
    /// ``Code/missingContinueURI``
    public static var missingContinueURI: Code { .missingContinueURI }
    /// ``Code/missingPhoneNumber``
    public static var missingPhoneNumber: Code { .missingPhoneNumber }
    /// ``Code/invalidPhoneNumber``
    public static var invalidPhoneNumber: Code { .invalidPhoneNumber }
    /// ``Code/missingVerificationCode``
    public static var missingVerificationCode: Code { .missingVerificationCode }
    /// ``Code/invalidVerificationCode``
    public static var invalidVerificationCode: Code { .invalidVerificationCode }
    /// ``Code/missingVerificationID``
    public static var missingVerificationID: Code { .missingVerificationID }
    /// ``Code/invalidVerificationID``
    public static var invalidVerificationID: Code { .invalidVerificationID }
    /// ``Code/missingAppCredential``
    public static var missingAppCredential: Code { .missingAppCredential }
    /// ``Code/invalidAppCredential``
    public static var invalidAppCredential: Code { .invalidAppCredential }
    /// ``Code/sessionExpired``
    public static var sessionExpired: Code { .sessionExpired }
    /// ``Code/quotaExceeded``
    public static var quotaExceeded: Code { .quotaExceeded }
    /// ``Code/missingAppToken``
    public static var missingAppToken: Code { .missingAppToken }
    /// ``Code/notificationNotForwarded``
    public static var notificationNotForwarded: Code { .notificationNotForwarded }
    /// ``Code/appNotVerified``
    public static var appNotVerified: Code { .appNotVerified }
    /// ``Code/captchaCheckFailed``
    public static var captchaCheckFailed: Code { .captchaCheckFailed }
    /// ``Code/webContextAlreadyPresented``
    public static var webContextAlreadyPresented: Code { .webContextAlreadyPresented }
    /// ``Code/webContextCancelled``
    public static var webContextCancelled: Code { .webContextCancelled }
    /// ``Code/appVerificationUserInteractionFailure``
    public static var appVerificationUserInteractionFailure: Code { .appVerificationUserInteractionFailure }
    /// ``Code/invalidClientID``
    public static var invalidClientID: Code { .invalidClientID }
    /// ``Code/webNetworkRequestFailed``
    public static var webNetworkRequestFailed: Code { .webNetworkRequestFailed }
    /// ``Code/webInternalError``
    public static var webInternalError: Code { .webInternalError }
    /// ``Code/webSignInUserInteractionFailure``
    public static var webSignInUserInteractionFailure: Code { .webSignInUserInteractionFailure }
    /// ``Code/localPlayerNotAuthenticated``
    public static var localPlayerNotAuthenticated: Code { .localPlayerNotAuthenticated }
    /// ``Code/nullUser``
    public static var nullUser: Code { .nullUser }
    /// ``Code/invalidProviderID``
    public static var invalidProviderID: Code { .invalidProviderID }
    /// ``Code/tenantIDMismatch``
    public static var tenantIDMismatch: Code { .tenantIDMismatch }
    /// ``Code/unsupportedTenantOperation``
    public static var unsupportedTenantOperation: Code { .unsupportedTenantOperation }
    /// ``Code/gameKitNotLinked``
    public static var gameKitNotLinked: Code { .gameKitNotLinked }
    /// ``Code/secondFactorRequired``
    public static var secondFactorRequired: Code { .secondFactorRequired }
    /// ``Code/missingMultiFactorSession``
    public static var missingMultiFactorSession: Code { .missingMultiFactorSession }
    /// ``Code/missingMultiFactorInfo``
    public static var missingMultiFactorInfo: Code { .missingMultiFactorInfo }
    /// ``Code/invalidMultiFactorSession``
    public static var invalidMultiFactorSession: Code { .invalidMultiFactorSession }
    /// ``Code/multiFactorInfoNotFound``
    public static var multiFactorInfoNotFound: Code { .multiFactorInfoNotFound }
    /// ``Code/adminRestrictedOperation``
    public static var adminRestrictedOperation: Code { .adminRestrictedOperation }
    /// ``Code/unverifiedEmail``
    public static var unverifiedEmail: Code { .unverifiedEmail }
    /// ``Code/secondFactorAlreadyEnrolled``
    public static var secondFactorAlreadyEnrolled: Code { .secondFactorAlreadyEnrolled }
    /// ``Code/maximumSecondFactorCountExceeded``
    public static var maximumSecondFactorCountExceeded: Code { .maximumSecondFactorCountExceeded }
    /// ``Code/unsupportedFirstFactor``
    public static var unsupportedFirstFactor: Code { .unsupportedFirstFactor }
    /// ``Code/emailChangeNeedsVerification``
    public static var emailChangeNeedsVerification: Code { .emailChangeNeedsVerification }
    /// ``Code/missingClientIdentifier``
    public static var missingClientIdentifier: Code { .missingClientIdentifier }
    /// ``Code/missingOrInvalidNonce``
    public static var missingOrInvalidNonce: Code { .missingOrInvalidNonce }
    /// ``Code/blockingCloudFunctionError``
    public static var blockingCloudFunctionError: Code { .blockingCloudFunctionError }
    /// ``Code/recaptchaNotEnabled``
    public static var recaptchaNotEnabled: Code { .recaptchaNotEnabled }
    /// ``Code/missingRecaptchaToken``
    public static var missingRecaptchaToken: Code { .missingRecaptchaToken }
    /// ``Code/invalidRecaptchaToken``
    public static var invalidRecaptchaToken: Code { .invalidRecaptchaToken }
    /// ``Code/invalidRecaptchaAction``
    public static var invalidRecaptchaAction: Code { .invalidRecaptchaAction }
    /// ``Code/missingClientType``
    public static var missingClientType: Code { .missingClientType }
    /// ``Code/missingRecaptchaVersion``
    public static var missingRecaptchaVersion: Code { .missingRecaptchaVersion }
    /// ``Code/invalidRecaptchaVersion``
    public static var invalidRecaptchaVersion: Code { .invalidRecaptchaVersion }
    /// ``Code/invalidReqType``
    public static var invalidReqType: Code { .invalidReqType }
    /// ``Code/recaptchaSDKNotLinked``
    public static var recaptchaSDKNotLinked: Code { .recaptchaSDKNotLinked }
    /// ``Code/recaptchaSiteKeyMissing``
    public static var recaptchaSiteKeyMissing: Code { .recaptchaSiteKeyMissing }
    /// ``Code/recaptchaActionCreationFailed``
    public static var recaptchaActionCreationFailed: Code { .recaptchaActionCreationFailed }
    /// ``Code/passwordDoesNotMeetRequirements``
    public static var passwordDoesNotMeetRequirements: Code { .passwordDoesNotMeetRequirements }
    /// ``Code/invalidHostingLinkDomain``
    public static var invalidHostingLinkDomain: Code { .invalidHostingLinkDomain }
    /// ``Code/keychainError``
    public static var keychainError: Code { .keychainError }
    /// ``Code/internalError``
    public static var internalError: Code { .internalError }
    /// ``Code/malformedJWT``
    public static var malformedJWT: Code { .malformedJWT }
}
