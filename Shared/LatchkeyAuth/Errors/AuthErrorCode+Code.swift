extension AuthErrorCode {
    /// The codes and numbers of Firebase Authentication, which applications know.
    public enum Code: Int, Sendable, CaseIterable {
        /// The custom token is not valid.
        case invalidCustomToken = 17000
        /// The custom token belongs to another project.
        case customTokenMismatch = 17002
        /// The credential is not valid or has expired.
        case invalidCredential = 17004
        /// An administrator has disabled the account.
        case userDisabled = 17005
        /// The project does not allow this operation.
        case operationNotAllowed = 17006
        /// Another account uses the e-mail address.
        case emailAlreadyInUse = 17007
        /// The e-mail address is malformed.
        case invalidEmail = 17008
        /// The password is wrong.
        case wrongPassword = 17009
        /// Too many attempts. Try again later.
        case tooManyRequests = 17010
        /// No such account exists.
        case userNotFound = 17011
        /// An account with this e-mail address uses another way to sign in.
        case accountExistsWithDifferentCredential = 17012
        /// The operation requires a recent sign-in.
        case requiresRecentLogin = 17014
        /// The account has a credential of this provider already.
        case providerAlreadyLinked = 17015
        /// The account has no credential of this provider.
        case noSuchProvider = 17016
        /// The session has ended. The user must sign in again.
        case invalidUserToken = 17017
        /// The server cannot be reached.
        case networkError = 17020
        /// The session has ended. The user must sign in again.
        case userTokenExpired = 17021
        /// The server does not accept the API key.
        case invalidAPIKey = 17023
        /// The credential belongs to another user.
        case userMismatch = 17024
        /// Another account uses this credential.
        case credentialAlreadyInUse = 17025
        /// The password is too weak.
        case weakPassword = 17026
        /// The API key is not valid for this application.
        case appNotAuthorized = 17028
        /// The code of the e-mail has expired.
        case expiredActionCode = 17029
        /// The code of the e-mail is not valid or was used.
        case invalidActionCode = 17030
        /// The server could not compose the message.
        case invalidMessagePayload = 17031
        /// The sender of the e-mail is not valid.
        case invalidSender = 17032
        /// The recipient of the e-mail is not valid.
        case invalidRecipientEmail = 17033
        /// The e-mail address is missing.
        case missingEmail = 17034
        /// The bundle ID is missing.
        case missingIosBundleID = 17036
        /// The Android package name is missing.
        case missingAndroidPackageName = 17037
        /// The project does not list the domain of the continue URL.
        case unauthorizedDomain = 17038
        /// The continue URL is not valid.
        case invalidContinueURI = 17039
        /// The continue URL is missing.
        case missingContinueURI = 17040
        /// The phone number is missing.
        case missingPhoneNumber = 17041
        /// The phone number is not valid.
        case invalidPhoneNumber = 17042
        /// The verification code is missing.
        case missingVerificationCode = 17043
        /// The verification code is wrong.
        case invalidVerificationCode = 17044
        /// The verification ID is missing.
        case missingVerificationID = 17045
        /// The verification ID is not valid or was used.
        case invalidVerificationID = 17046
        /// The credential of the application is missing.
        case missingAppCredential = 17047
        /// The credential of the application is not valid.
        case invalidAppCredential = 17048
        /// The verification code has expired. Request a new one.
        case sessionExpired = 17051
        /// A quota of the project is exhausted.
        case quotaExceeded = 17052
        /// The push token of the device is missing.
        case missingAppToken = 17053
        /// The application does not forward its remote notifications to this library.
        case notificationNotForwarded = 17054
        /// The server could not verify the application.
        case appNotVerified = 17055
        /// The reCAPTCHA check failed.
        case captchaCheckFailed = 17056
        /// Another sign-in page is open.
        case webContextAlreadyPresented = 17057
        /// The user closed the sign-in page.
        case webContextCancelled = 17058
        /// The verification of the application failed.
        case appVerificationUserInteractionFailure = 17059
        /// The client ID is not valid.
        case invalidClientID = 17060
        /// The sign-in page could not reach the server.
        case webNetworkRequestFailed = 17061
        /// The sign-in page failed.
        case webInternalError = 17062
        /// The sign-in at the identity provider failed.
        case webSignInUserInteractionFailure = 17063
        /// The local player is not signed in to Game Center.
        case localPlayerNotAuthenticated = 17066
        /// The user is missing.
        case nullUser = 17067
        /// The provider ID is not valid.
        case invalidProviderID = 17071
        /// The tenant is not that of the user or of the credential.
        case tenantIDMismatch = 17072
        /// Tenants do not support this operation.
        case unsupportedTenantOperation = 17073
        /// GameKit is not linked.
        case gameKitNotLinked = 17076
        /// The user must complete the sign-in with a second factor.
        case secondFactorRequired = 17078
        /// The multi-factor session is missing.
        case missingMultiFactorSession = 17081
        /// The second factor is missing.
        case missingMultiFactorInfo = 17082
        /// The multi-factor session is not valid or has expired.
        case invalidMultiFactorSession = 17083
        /// The account has no such second factor.
        case multiFactorInfoNotFound = 17084
        /// Only an administrator may do this.
        case adminRestrictedOperation = 17085
        /// The e-mail address must be verified first.
        case unverifiedEmail = 17086
        /// The second factor is enrolled already.
        case secondFactorAlreadyEnrolled = 17087
        /// The account has the maximum number of second factors.
        case maximumSecondFactorCountExceeded = 17088
        /// This way to sign in does not support a second factor.
        case unsupportedFirstFactor = 17089
        /// The new e-mail address must be verified first.
        case emailChangeNeedsVerification = 17090
        /// The request identifies no application.
        case missingClientIdentifier = 17093
        /// The nonce is missing or does not match the token.
        case missingOrInvalidNonce = 17094
        /// A blocking function refused the request.
        case blockingCloudFunctionError = 17105
        /// reCAPTCHA is not enabled.
        case recaptchaNotEnabled = 17200
        /// The reCAPTCHA token is missing.
        case missingRecaptchaToken = 17201
        /// The reCAPTCHA token is not valid.
        case invalidRecaptchaToken = 17202
        /// The reCAPTCHA action is not valid.
        case invalidRecaptchaAction = 17203
        /// The client type is missing.
        case missingClientType = 17204
        /// The reCAPTCHA version is missing.
        case missingRecaptchaVersion = 17205
        /// The reCAPTCHA version is not valid.
        case invalidRecaptchaVersion = 17206
        /// The request type is not valid.
        case invalidReqType = 17207
        /// The reCAPTCHA library is not linked.
        case recaptchaSDKNotLinked = 17208
        /// The reCAPTCHA site key is missing.
        case recaptchaSiteKeyMissing = 17209
        /// The reCAPTCHA action could not be created.
        case recaptchaActionCreationFailed = 17210
        /// The password does not meet the requirements of the project.
        case passwordDoesNotMeetRequirements = 17211
        /// The domain for links is not valid.
        case invalidHostingLinkDomain = 17214
        /// The session could not be stored on the device.
        case keychainError = 17995
        /// An unexpected error occurred.
        case internalError = 17999
        /// The token is malformed.
        case malformedJWT = 18000
    }
}
