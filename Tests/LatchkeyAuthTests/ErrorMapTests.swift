import Foundation
import Testing

@testable import LatchkeyAuth

/// The codes of the server and their numbers in applications.
struct ErrorMapTests {
    static let table: [(String, Int)] = [
        // Account and password.
        ("EMAIL_EXISTS", 17007), ("EMAIL_NOT_FOUND", 17011), ("INVALID_PASSWORD", 17009),
        ("INVALID_LOGIN_CREDENTIALS", 17004), ("INVALID_EMAIL", 17008), ("MISSING_EMAIL", 17034),
        ("MISSING_PASSWORD", 17999), ("WEAK_PASSWORD", 17026), ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", 17211),
        ("PASSWORD_LOGIN_DISABLED", 17006), ("OPERATION_NOT_ALLOWED", 17006), ("ADMIN_ONLY_OPERATION", 17085),
        ("EMAIL_CHANGE_NEEDS_VERIFICATION", 17090), ("USER_DISABLED", 17005), ("USER_NOT_FOUND", 17011),
        ("TOO_MANY_ATTEMPTS_TRY_LATER", 17010), ("RESET_PASSWORD_EXCEED_LIMIT", 17999),
        ("UNEXPECTED_PARAMETER", 17999), ("INVALID_IDENTIFIER", 17008), ("MISSING_IDENTIFIER", 17999),
        ("INVALID_REQ_TYPE", 17999), ("MISSING_REQ_TYPE", 17999), ("MISSING_LOCAL_ID", 17999),
        ("INSUFFICIENT_PERMISSION", 17999), ("PROJECT_DISABLED", 17999), ("BLOCKING_FUNCTION_ERROR_RESPONSE", 17105),
        // Session and tokens.
        ("INVALID_ID_TOKEN", 17017), ("MISSING_ID_TOKEN", 17999), ("TOKEN_EXPIRED", 17021),
        ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", 17014), ("INVALID_REFRESH_TOKEN", 17999), ("MISSING_REFRESH_TOKEN", 17999),
        ("MISSING_GRANT_TYPE", 17999), ("INVALID_GRANT_TYPE", 17999), ("INVALID_CUSTOM_TOKEN", 17000),
        ("MISSING_CUSTOM_TOKEN", 17999), ("CREDENTIAL_MISMATCH", 17002), ("TENANT_ID_MISMATCH", 17072),
        ("INVALID_TENANT_ID", 17999), ("UNSUPPORTED_TENANT_OPERATION", 17073), ("FORBIDDEN_CLAIM", 17999),
        ("INVALID_CLAIMS", 17999), ("CLAIMS_TOO_LARGE", 17999), ("INVALID_DURATION", 17999),
        // Federation.
        ("INVALID_IDP_RESPONSE", 17004), ("INVALID_CREDENTIAL_OR_PROVIDER_ID", 17999), ("INVALID_PENDING_TOKEN", 17004),
        ("MISSING_OR_INVALID_NONCE", 17094), ("FEDERATED_USER_ID_ALREADY_LINKED", 17025),
        ("INVALID_PROVIDER_ID", 17071), ("INVALID_OAUTH_CLIENT_ID", 17999), ("MISSING_REQUEST_URI", 17999),
        ("INVALID_REQUEST_URI", 17999), ("REJECTED_CREDENTIAL", 17075), ("USER_CANCELLED", 17999),
        // E-mail actions.
        ("EXPIRED_OOB_CODE", 17029), ("INVALID_OOB_CODE", 17030), ("MISSING_OOB_CODE", 17999),
        ("MISSING_CONTINUE_URI", 17040), ("INVALID_CONTINUE_URI", 17039), ("UNAUTHORIZED_DOMAIN", 17038),
        ("MISSING_IOS_BUNDLE_ID", 17036), ("MISSING_ANDROID_PACKAGE_NAME", 17037), ("INVALID_MESSAGE_PAYLOAD", 17031),
        ("INVALID_SENDER", 17032), ("INVALID_RECIPIENT_EMAIL", 17033), ("INVALID_HOSTING_LINK_DOMAIN", 17214),
        ("INVALID_DYNAMIC_LINK_DOMAIN", 17999), ("DYNAMIC_LINK_NOT_ACTIVATED", 17999), ("MISSING_NEW_EMAIL", 17999),
        ("INVALID_NEW_EMAIL", 17999),
        // Phone and app verification.
        ("INVALID_PHONE_NUMBER", 17042), ("MISSING_PHONE_NUMBER", 17999), ("PHONE_NUMBER_EXISTS", 17999),
        ("INVALID_CODE", 17044), ("MISSING_CODE", 17999), ("INVALID_SESSION_INFO", 17046),
        ("MISSING_SESSION_INFO", 17999), ("SESSION_EXPIRED", 17051), ("INVALID_TEMPORARY_PROOF", 17999),
        ("QUOTA_EXCEEDED", 17052), ("MISSING_APP_CREDENTIAL", 17047), ("INVALID_APP_CREDENTIAL", 17048),
        ("MISSING_IOS_APP_TOKEN", 17053), ("MISSING_CLIENT_IDENTIFIER", 17093), ("APP_NOT_VERIFIED", 17055),
        ("CAPTCHA_CHECK_FAILED", 17056), ("INVALID_APP_ID", 17999), ("INVALID_CERT_HASH", 17999),
        ("RECAPTCHA_NOT_ENABLED", 17999), ("MISSING_RECAPTCHA_TOKEN", 17999), ("INVALID_RECAPTCHA_TOKEN", 17999),
        ("INVALID_RECAPTCHA_ACTION", 17999), ("MISSING_CLIENT_TYPE", 17999), ("MISSING_RECAPTCHA_VERSION", 17999),
        ("INVALID_RECAPTCHA_VERSION", 17999),
        // Second factors.
        ("MISSING_MFA_PENDING_CREDENTIAL", 17081), ("INVALID_MFA_PENDING_CREDENTIAL", 17083),
        ("MISSING_MFA_ENROLLMENT_ID", 17082), ("INVALID_MFA_ENROLLMENT_ID", 17999), ("MFA_ENROLLMENT_NOT_FOUND", 17084),
        ("MISSING_CREDENTIAL", 17999), ("SECOND_FACTOR_EXISTS", 17087), ("SECOND_FACTOR_LIMIT_EXCEEDED", 17088),
        ("UNSUPPORTED_FIRST_FACTOR", 17089), ("UNVERIFIED_EMAIL", 17086), ("TOTP_CHALLENGE_TIMEOUT", 17999),
        ("TOO_MANY_ENROLLMENT_ATTEMPTS", 17999), ("MFA_ENROLLMENT_ALREADY_COMPLETE", 17999),
        ("MISSING_DISPLAY_NAME", 17999), ("UNSUPPORTED_SECOND_FACTOR", 17999), ("INVALID_MFA_PHONE_NUMBER", 17999),
        ("DUPLICATE_MFA_ENROLLMENT_ID", 17999), ("INVALID_PROJECT_ID", 17999),
        // Passkeys.
        ("PASSKEY_ENROLLMENT_NOT_FOUND", 17999), ("INVALID_AUTHENTICATOR_RESPONSE", 17999),
        ("PASSKEY_CREDENTIAL_NOT_FOUND", 17999), ("MISSING_AUTHENTICATOR_RESPONSE", 17999),
        ("INVALID_CREDENTIAL_ID", 17999), ("CREDENTIAL_ALREADY_IN_USE", 17999), ("PASSKEY_LIMIT_EXCEEDED", 17999),
        ("PASSKEY_NOT_ENABLED", 17999), ("PASSKEY_EXISTS", 17999), ("PASSKEY_CHALLENGE_TIMEOUT", 17999),
    ]

    @Test(arguments: table)
    func serverCodeHasNumber(server: String, number: Int) {
        let body = Data(#"{"error":{"code":400,"message":"\#(server) : some detail"}}"#.utf8)
        let error = AuthErrorCode(serverResponse: body, status: 400, retryAfterSeconds: nil)
        #expect(error.code.rawValue == number)
        #expect(error.userInfo[AuthErrorUserInfoServerCodeKey] as? String == server)
        #expect(error.userInfo[AuthErrorUserInfoServerDetailKey] as? String == "some detail")
    }

    /// No code of the map is missing in the table.
    @Test func tableIsComplete() {
        let known = Set(Self.table.filter { $0.1 != 17999 }.map(\.0))
        #expect(known == Set(AuthErrorCode.serverCodes.keys))
    }

    @Test func namesAndNumbersAreUnique() {
        let codes = AuthErrorCode.allCases
        #expect(Set(codes.map(\.rawValue)).count == codes.count)
        #expect(Set(codes.map(\.name)).count == codes.count)
        #expect(codes.allSatisfy { $0.explanation.hasSuffix(".") })
        #expect(codes.allSatisfy { AuthErrorCode(rawValue: $0.rawValue) == $0 })
        #expect(AuthErrorCode(rawValue: 17001) == nil)
    }

    /// The names that applications log.
    @Test func nameIsThatOfTheMember() {
        let codes: [AuthErrorCode] = [
            .wrongPassword, .invalidAPIKey, .missingIosBundleID, .tenantIDMismatch, .recaptchaSDKNotLinked,
            .malformedJWT,
            .webSignInUserInteractionFailure,
        ]
        #expect(
            codes.map(\.name) == [
                "ERROR_WRONG_PASSWORD", "ERROR_INVALID_API_KEY", "ERROR_MISSING_IOS_BUNDLE_ID",
                "ERROR_TENANT_ID_MISMATCH", "ERROR_RECAPTCHA_SDK_NOT_LINKED", "ERROR_MALFORMED_JWT",
                "ERROR_WEB_SIGN_IN_USER_INTERACTION_FAILURE",
            ])
    }

    /// Unusual responses: of proxies, of the check of the API key, and with members of other types.
    @Test(arguments: [
        ("<html>502</html>", 502, 17999), ("", 500, 17999), ("", 503, 17020), ("[]", 400, 17999), ("{}", 400, 17999),
        (#"{"error":{}}"#, 400, 17999), (#"{"error":"invalid_grant"}"#, 400, 17999),
        (#"{"error":{"message":"UNAVAILABLE"}}"#, 503, 17020), (#"{"error":{"message":7}}"#, 400, 17999),
        (#"{"error":{"message":"API key not valid.","errors":[{"reason":"keyInvalid"}]}}"#, 400, 17023),
        (#"{"error":{"message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}"#, 400, 17023),
        (#"{"error":{"message":"Blocked.","errors":[{"reason":"ipRefererBlocked"}]}}"#, 403, 17028),
        (#"{"error":{"message":"INVALID_CODE","errors":{},"details":[1]}}"#, 400, 17044),
        (#"{"error":{"message":" INVALID_CODE "}}"#, 400, 17044),
        (#"{"error":{"message":"INVALID_CODE:x:y"}}"#, 400, 17044),
        (#"{"error":{"message":""}}"#, 400, 17999), (#"{"error":{"message":" : INVALID_CODE"}}"#, 400, 17999),
    ])
    func unusualResponseHasNumber(body: String, status: Int, number: Int) {
        let error = AuthErrorCode(serverResponse: Data(body.utf8), status: status, retryAfterSeconds: nil)
        #expect(error.code.rawValue == number)
    }

    @Test func errorIsAnNSError() {
        let error = AuthErrorCode(.secondFactorRequired, userInfo: ["key": "value"]) as any Error as NSError
        #expect(error.domain == AuthErrorDomain)
        #expect(error.code == 17078)
        #expect(error.userInfo["key"] as? String == "value")
        #expect(error.userInfo[AuthErrorUserInfoNameKey] as? String == "ERROR_SECOND_FACTOR_REQUIRED")
        #expect(error.localizedDescription == AuthErrorCode.secondFactorRequired.explanation)
    }

    @Test func errorIsCaughtByItsCode() {
        do {
            throw AuthErrorCode(.secondFactorRequired)
        } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
            #expect(error == AuthErrorCode(.secondFactorRequired))
        } catch {
            Issue.record(error)
        }
        do {
            throw AuthErrorCode(.wrongPassword, userInfo: ["key": "value"])
        } catch AuthErrorCode.userNotFound {
            Issue.record("another code")
        } catch AuthErrorCode.wrongPassword {
        } catch {
            Issue.record(error)
        }
        let error = AuthErrorCode(.secondFactorRequired, userInfo: ["key": "value"])
        #expect((error as any Error as NSError).code == AuthErrorCode.secondFactorRequired.rawValue)
        #expect(AuthErrorCode.Code(rawValue: 17078) == .secondFactorRequired)
        #expect(error.code.userInfo["key"] == nil)
    }

    @Test func detailOfTheServerIsTheDescription() {
        let error = AuthErrorCode(serverMessage: "WEAK_PASSWORD : At least 8 characters.")
        #expect(error.errorDescription == "At least 8 characters.")
        #expect(AuthErrorCode(serverMessage: "WEAK_PASSWORD").errorDescription == "The password is too weak.")
    }

    @Test func sessionEndsAfterFourCodesOnly() {
        let ending = AuthErrorCode.allCases.filter { AuthErrorCode($0).endsSession }
        #expect(Set(ending) == [.userDisabled, .userNotFound, .invalidUserToken, .userTokenExpired])
    }
}
