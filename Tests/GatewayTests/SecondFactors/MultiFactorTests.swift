import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 3.1 to 3.5.
@Suite struct MultiFactorTests {
    private let harness: GatewayHarness

    init() throws { harness = try GatewayHarness() }

    private func call(_ operation: String, _ body: String, headers: [String: String] = [:]) async throws -> TestResponse
    {
        try await harness.client("v2/accounts/\(operation)", body, headers: headers)
    }

    private static let invalidArgument = "Request contains an invalid argument."
    private static let bothKinds = "Invalid JSON payload received. Invalid value (oneof), oneof field '"

    // MARK: Enrollment

    @Test func startEnrollmentReturnsTOTPSecret() async throws {
        harness.mesh.reply(to: MFATOTP.StartEnrollment.self) { request in
            .init(
                sharedSecretKey: Secret("MZXW6YTB"), digits: 6, hashingAlgorithm: "SHA1", periodSeconds: 30,
                sessionInfo: Secret("TS-1"), expiresAt: Moment(milliseconds: 1_772_443_900_551),
                keyURI: Secret("otpauth://totp/a"), qrCode: request.qrCode.map { Secret($0.rawValue) })
        }
        let response = try await call("mfaEnrollment:start", #"{"idToken":"i","totpEnrollmentInfo":{}}"#)
        #expect(
            response.json
                == (try json(
                    #"{"totpSessionInfo":{"sharedSecretKey":"MZXW6YTB","verificationCodeLength":6,"hashingAlgorithm":"SHA1","periodSec":30,"sessionInfo":"TS-1","finalizeEnrollmentTime":"2026-03-02T09:31:40.551000Z","keyUri":"otpauth://totp/a"}}"#
                )))
        // The secret is returned once, and no cache may store it.
        #expect(response.header("cache-control") == "no-store")
        for (form, shown) in [("SVG", "svg"), ("TEXT", "text")] {
            let body = #"{"id_token":"i","tenantId":"t","totp_enrollment_info":{"qr_code":"\#(form)"}}"#
            #expect(try await call("mfaEnrollment:start", body).json["totpSessionInfo"]?["qrCode"] == .string(shown))
        }
        let sent = harness.mesh.sent(MFATOTP.StartEnrollment.self)
        #expect(sent.map(\.realm.tenant?.rawValue) == [nil, "t", "t"])
        #expect(sent.map { $0.idToken?.reveal() } == ["i", "i", "i"])
        #expect(try await call("mfaEnrollment:start", #"{"totpEnrollmentInfo":{"qrCode":"GIF"}}"#).status == 400)
    }

    @Test func startEnrollmentSendsSMS() async throws {
        harness.mesh.reply(to: MFASMS.StartEnrollment.self) { _ in .init(sessionInfo: Secret("SI-1")) }
        let response = try await call(
            "mfaEnrollment:start",
            #"{"idToken":"i","phoneEnrollmentInfo":{"phoneNumber":"+4915700000102","iosReceipt":"r","iosSecret":"s","recaptchaToken":"t","captchaResponse":"c","playIntegrityToken":"p","safetyNetToken":"n","clientType":"CLIENT_TYPE_IOS","recaptchaVersion":"RECAPTCHA_ENTERPRISE"}}"#,
            headers: ["X-Firebase-Locale": "de", "X-Ios-Bundle-Identifier": "com.example.app"])
        #expect(response.json == (try json(#"{"phoneSessionInfo":{"sessionInfo":"SI-1"}}"#)))
        let sent = try #require(harness.mesh.sent(MFASMS.StartEnrollment.self).first)
        #expect((sent.phoneNumber, sent.locale, sent.idToken?.reveal()) == ("+4915700000102", "de", "i"))
        #expect(
            sent.appCredential
                == MFASMS.AppCredential(
                    deviceReceipt: "r", deviceSecret: Secret("s"), recaptchaToken: Secret("t"),
                    captchaResponse: Secret("c"), playIntegrityToken: Secret("p"), safetyNetToken: Secret("n"),
                    clientType: .ios, bundleID: "com.example.app"))
    }

    @Test(arguments: [
        (
            "mfaEnrollment:start", #"{"idToken":"i","totpEnrollmentInfo":{},"phoneEnrollmentInfo":{}}"#,
            "enrollment_info"
        ),
        (
            "mfaEnrollment:finalize", #"{"idToken":"i","totpVerificationInfo":{},"phoneVerificationInfo":{}}"#,
            "verification_info"
        ), ("mfaSignIn:finalize", #"{"totpVerificationInfo":{},"phoneVerificationInfo":{}}"#, "verification_info"),
    ])
    func twoFactorKindsAreRefused(operation: String, body: String, field: String) async throws {
        let response = try await call(operation, body)
        #expect((response.status, response.message) == (400, Self.bothKinds + "\(field)' is already set."))
        #expect(response.error?["status"] == .string("INVALID_ARGUMENT"))
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [
        (#""tenantId":"?""#, "INVALID_TENANT_ID"), (#""mfaEnrollmentId":7,"idToken":7"#, "Invalid value at "),
    ])
    func otherErrorsPrecedeTwoFactorKinds(member: String, message: String) async throws {
        for (operation, info) in [
            ("mfaEnrollment:start", "EnrollmentInfo"), ("mfaEnrollment:finalize", "VerificationInfo"),
            ("mfaSignIn:finalize", "VerificationInfo"),
        ] {
            let response = try await call(operation, #"{"totp\#(info)":{},"phone\#(info)":{},\#(member)}"#)
            #expect(response.message?.contains(message) == true, "\(operation): \(response.message ?? "")")
        }
    }

    /// The caller is verified before the request is checked.
    @Test(arguments: ["mfaEnrollment:start", "mfaEnrollment:finalize"])
    func idTokenIsCheckedBeforeMissingKind(operation: String) async throws {
        harness.mesh.reply(to: Identity.VerifyIDToken.self) { request in
            guard request.idToken?.reveal() == "good" else {
                throw ServiceError(request.idToken == nil ? .missingIDToken : .invalidIDToken)
            }
            let zero = Timestamp(seconds: 0)
            return .init(
                principal: Principal(
                    accountID: AccountID("a"), realm: request.realm, issuedAt: zero, authenticatedAt: zero,
                    signInProvider: "password"))
        }
        #expect(try await call(operation, "{}").message == "MISSING_ID_TOKEN")
        #expect(try await call(operation, #"{"idToken":"bad"}"#).message == "INVALID_ID_TOKEN")
        #expect(try await call(operation, #"{"idToken":"good"}"#).message == Self.invalidArgument)
    }

    @Test func totpCodeFinishesEnrollment() async throws {
        harness.mesh.reply(to: MFATOTP.FinishEnrollment.self) { _ in .init(account: .example(), tokens: .example) }
        let response = try await call(
            "mfaEnrollment:finalize",
            #"{"idToken":"i","displayName":"app","totpVerificationInfo":{"sessionInfo":"TS-1","verificationCode":"492039"}}"#,
            headers: ["X-Firebase-Locale": "fr", "User-Agent": "iOS"])
        #expect(
            response.json
                == (try json(#"{"idToken":"header.payload.signature","refreshToken":"opaque","totpAuthInfo":{}}"#)))
        #expect(
            harness.mesh.sent(MFATOTP.FinishEnrollment.self) == [
                .init(
                    realm: Realm(project: ProjectID("demo-latchkey")), idToken: Secret("i"),
                    sessionInfo: Secret("TS-1"), code: Secret("492039"), displayName: "app", locale: "fr",
                    client: ClientContext(ipAddress: "127.0.0.1", userAgent: "iOS", locale: "fr"))
            ])
        // An empty value counts as absent.
        let empty =
            #"{"idToken":"","displayName":null,"totpVerificationInfo":{"verificationCode":"","sessionInfo":""}}"#
        _ = try await call("mfaEnrollment:finalize", empty)
        let sent = try #require(harness.mesh.sent(MFATOTP.FinishEnrollment.self).last)
        #expect(sent.idToken == nil && sent.sessionInfo == nil && sent.code == nil && sent.displayName == nil)
    }

    @Test func smsCodeFinishesEnrollment() async throws {
        let number = try #require(PhoneNumber("+4915700000102"))
        harness.mesh.reply(to: MFASMS.FinishEnrollment.self) { _ in
            .init(account: .example(), tokens: .example, phoneNumber: number)
        }
        let response = try await call(
            "mfaEnrollment:finalize",
            #"{"idToken":"i","phoneVerificationInfo":{"sessionInfo":"SI-1","code":"604118","phoneNumber":"ignored"}}"#)
        #expect(
            response.json
                == (try json(
                    #"{"idToken":"header.payload.signature","refreshToken":"opaque","phoneAuthInfo":{"phoneNumber":"+4915700000102"}}"#
                )))
        let sent = try #require(harness.mesh.sent(MFASMS.FinishEnrollment.self).first)
        #expect((sent.sessionInfo?.reveal(), sent.code?.reveal(), sent.displayName) == ("SI-1", "604118", nil))
    }

    @Test(arguments: [
        (
            ServiceError(.operationNotAllowed, "TOTP based MFA not enabled."),
            "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled."
        ),
        (ServiceError(.invalidVerificationSession), "INVALID_SESSION_INFO"),
        (ServiceError(.verificationSessionExpired), "SESSION_EXPIRED"),
        (ServiceError(.missingFactorName), "MISSING_DISPLAY_NAME : display name cannot be empty"),
        (ServiceError(.tooManyEnrollmentAttempts), "TOO_MANY_ENROLLMENT_ATTEMPTS : restart enrollment"),
        (ServiceError(.factorAlreadyEnrolled), "MFA_ENROLLMENT_ALREADY_COMPLETE"),
        (ServiceError(.invalidCode), "INVALID_CODE"),
        (ServiceError(.missingCode), "MISSING_CODE"),
    ])
    func enrollmentErrorsAreReturned(refusal: ServiceError, message: String) async throws {
        harness.mesh.reply(to: MFATOTP.FinishEnrollment.self) { _ in throw refusal }
        let response = try await call("mfaEnrollment:finalize", #"{"totpVerificationInfo":{}}"#)
        #expect(
            response.json == (try json(#"{"error":{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#)))
    }

    @Test(arguments: [true, false])
    func withdrawalRemovesFactor(sessionGoesOn: Bool) async throws {
        harness.mesh.reply(to: Identity.WithdrawFactor.self) { _ in
            .init(account: .example(), tokens: sessionGoesOn ? .example : nil)
        }
        let response = try await call("mfaEnrollment:withdraw", #"{"idToken":"i","mfaEnrollmentId":"f"}"#)
        #expect(
            response.json
                == (try json(sessionGoesOn ? #"{"idToken":"header.payload.signature","refreshToken":"opaque"}"# : "{}"))
        )
        let sent = try #require(harness.mesh.sent(Identity.WithdrawFactor.self).first)
        #expect((sent.idToken?.reveal(), sent.factorID) == ("i", FactorID("f")))
    }

    // MARK: Sign-in

    @Test func startSignInSendsSMSToChosenFactor() async throws {
        harness.mesh.reply(to: MFASMS.StartSignIn.self) { _ in .init(sessionInfo: Secret("SI-2")) }
        let response = try await call(
            "mfaSignIn:start",
            #"{"mfaPendingCredential":"PC","mfaEnrollmentId":"f","phoneSignInInfo":{"iosReceipt":"r","iosSecret":"s"}}"#
        )
        #expect(response.json == (try json(#"{"phoneResponseInfo":{"sessionInfo":"SI-2"}}"#)))
        let sent = try #require(harness.mesh.sent(MFASMS.StartSignIn.self).first)
        #expect((sent.pendingCredential?.reveal(), sent.factorID) == ("PC", FactorID("f")))
        #expect(sent.appCredential == MFASMS.AppCredential(deviceReceipt: "r", deviceSecret: Secret("s")))
    }

    @Test(arguments: [
        ("mfaSignIn:start", #"{"mfaEnrollmentId":"f","phoneSignInInfo":{}}"#, "MISSING_MFA_PENDING_CREDENTIAL"),
        ("mfaSignIn:start", #"{"mfaPendingCredential":"c","phoneSignInInfo":{}}"#, "MISSING_MFA_ENROLLMENT_ID"),
        ("mfaSignIn:finalize", "{}", "MISSING_CREDENTIAL"),
        ("mfaSignIn:finalize", #"{"totpVerificationInfo":{}}"#, "MISSING_CREDENTIAL"),
        ("mfaSignIn:finalize", #"{"phoneVerificationInfo":{}}"#, "MISSING_CREDENTIAL"),
        ("mfaSignIn:finalize", #"{"mfaPendingCredential":"c"}"#, invalidArgument),
    ])
    func missingFieldIsNamed(operation: String, body: String, code: String) async throws {
        let message = try await call(operation, body).message ?? ""
        #expect(message == code || message.hasPrefix(code + " : "), "\(message)")
        #expect(harness.mesh.count == 0)
    }

    /// The services compare it with the tenant of the credential.
    @Test(arguments: ["t-1", nil] as [String?]) func tenantIsForwarded(tenant: String?) async throws {
        let refusal = ServiceError(.tenantMismatch)
        harness.mesh.reply(to: MFASMS.StartSignIn.self) { _ in throw refusal }
        harness.mesh.reply(to: MFASMS.FinishSignIn.self) { _ in throw refusal }
        harness.mesh.reply(to: MFATOTP.FinishSignIn.self) { _ in throw refusal }
        let member = tenant.map { #","tenantId":"\#($0)""# } ?? ""
        for (operation, info) in [
            ("start", #""phoneSignInInfo":{}"#), ("finalize", #""phoneVerificationInfo":{"sessionInfo":"SI"}"#),
            ("finalize", #""totpVerificationInfo":{"verificationCode":"810274"}"#),
        ] {
            let response = try await call(
                "mfaSignIn:\(operation)", #"{"mfaPendingCredential":"PC","mfaEnrollmentId":"f",\#(info)\#(member)}"#)
            #expect(response.message == "TENANT_ID_MISMATCH")
        }
        let expected = tenant.map { TenantID($0) }
        #expect(harness.mesh.sent(MFASMS.StartSignIn.self).map(\.tenant) == [expected])
        #expect(harness.mesh.sent(MFASMS.FinishSignIn.self).map(\.tenant) == [expected])
        #expect(harness.mesh.sent(MFATOTP.FinishSignIn.self).map(\.tenant) == [expected])
    }

    @Test func totpCodeFinishesSignIn() async throws {
        harness.mesh.reply(to: MFATOTP.FinishSignIn.self) { _ in .init(account: .example(), tokens: .example) }
        let response = try await call(
            "mfaSignIn:finalize",
            #"{"mfaPendingCredential":"PC","mfaEnrollmentId":"f","totpVerificationInfo":{"verificationCode":"810274"}}"#
        )
        #expect(response.json == (try json(#"{"idToken":"header.payload.signature","refreshToken":"opaque"}"#)))
        let sent = try #require(harness.mesh.sent(MFATOTP.FinishSignIn.self).first)
        #expect((sent.pendingCredential?.reveal(), sent.code?.reveal()) == ("PC", "810274"))
        #expect((sent.project, sent.factorID) == (ProjectID("demo-latchkey"), FactorID("f")))
    }

    @Test(
        arguments: [
            (ServiceError(.missingFactorID), "INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined.", nil),
            (
                ServiceError(.factorChallengeTimedOut),
                "TOTP_CHALLENGE_TIMEOUT : TOTP challenge timeout, provide first factor again.", nil
            ), (ServiceError(.quotaExceeded, retry: .afterSeconds(12)), "QUOTA_EXCEEDED", "12"),
            (ServiceError(.factorNotFound), "MFA_ENROLLMENT_NOT_FOUND", nil),
        ] as [(ServiceError, String, String?)])
    func signInErrorsAreReturned(refusal: ServiceError, message: String, retryAfter: String?) async throws {
        harness.mesh.reply(to: MFATOTP.FinishSignIn.self) { _ in throw refusal }
        let response = try await call(
            "mfaSignIn:finalize", #"{"mfaPendingCredential":"PC","totpVerificationInfo":{}}"#)
        #expect((response.status, response.message) == (400, message))
        #expect(response.header("retry-after") == retryAfter)
    }

    /// Only Android clients read the phone number.
    @Test(arguments: [nil, "com.example.app"])
    func smsCodeFinishesSignIn(package: String?) async throws {
        let number = try #require(PhoneNumber("+4915700000102"))
        harness.mesh.reply(to: MFASMS.FinishSignIn.self) { _ in
            .init(account: .example(), tokens: .example, phoneNumber: number)
        }
        let response = try await call(
            "mfaSignIn:finalize",
            #"{"mfaPendingCredential":"PC","phoneVerificationInfo":{"sessionInfo":"SI","code":"118220"}}"#,
            headers: package.map { ["X-Android-Package": $0] } ?? [:])
        #expect(response.json["idToken"] == .string("header.payload.signature"))
        #expect(
            response.json["phoneAuthInfo"]?["phoneNumber"] == (package == nil ? nil : .string("+4915700000102")))
        let sent = try #require(harness.mesh.sent(MFASMS.FinishSignIn.self).first)
        #expect((sent.pendingCredential?.reveal(), sent.sessionInfo?.reveal()) == ("PC", "SI"))
    }
}
