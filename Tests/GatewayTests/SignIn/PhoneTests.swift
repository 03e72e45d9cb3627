import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.7, 2.8, 2.15 and the codes of section 6 as requests.
@Suite struct PhoneTests {
    private static let number = PhoneNumber("+12025550101")!
    private static let session = Identity.PhoneSignInReply(
        session: .init(
            account: .example { $0.phoneNumber = number }, tokens: .example, isNewAccount: true))
    private static let sessionJSON = """
        {"idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600","localId":"alice",
        "isNewUser":true,"phoneNumber":"+12025550101"}
        """

    private func harness() throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: MFASMS.StartPhoneSignIn.self) { _ in .init(sessionInfo: Secret("si")) }
        harness.mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in Self.session }
        harness.mesh.reply(to: Identity.SignInWithTemporaryProof.self) { _ in Self.session }
        harness.mesh.reply(to: MFASMS.StartPushVerification.self) { _ in .init(receipt: "r", timeoutSeconds: 5) }
        return harness
    }

    // MARK: The second factor

    /// Client libraries check for this key after any first factor.
    @Test func secondFactorReturnsPendingCredential() async throws {
        let harness = try harness()
        let factor = SecondFactor(
            id: FactorID("app"), kind: .totp, displayName: "my phone", enrolledAt: Moment(milliseconds: 0))
        harness.mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in
            .init(
                pending: .init(
                    account: .example { $0.phoneNumber = Self.number },
                    secondFactor: .init(pendingCredential: Secret("PC"), factors: [factor], remainingRecoveryCodes: 9)))
        }
        let response = try await harness.client("v1/accounts:signInWithPhoneNumber", #"{"sessionInfo":"s","code":"1"}"#)
        #expect(
            response.json
                == (try json(
                    """
                    {"localId":"alice","phoneNumber":"+12025550101","mfaPendingCredential":"PC","mfaInfo":[
                    {"mfaEnrollmentId":"app","displayName":"my phone","enrolledAt":"1970-01-01T00:00:00.000Z",
                    "totpInfo":{}}],"recoveryCodesInfo":{"left":9}}
                    """)))
    }

    // MARK: accounts:sendVerificationCode

    @Test(arguments: [
        "v1/accounts:sendVerificationCode",
        "../www.googleapis.com/identitytoolkit/v3/relyingparty/sendVerificationCode",
    ])
    func everySendFieldReachesMFASMS(path: String) async throws {
        let harness = try harness()
        let response = try await harness.legacyOrClient(
            path,
            """
            {"phoneNumber":"+12025550101","iosReceipt":"r","iosSecret":"s","recaptchaToken":"t",
            "captchaResponse":"NO_RECAPTCHA","playIntegrityToken":"p","safetyNetToken":"n",
            "clientType":"CLIENT_TYPE_IOS","recaptchaVersion":"RECAPTCHA_ENTERPRISE",
            "autoRetrievalInfo":{"appSignatureHash":"x"}}
            """, headers: ["X-Ios-Bundle-Identifier": "org.example.app-1", "X-Firebase-Locale": "de_CH"])
        #expect(response.status == 200)
        #expect(response.json == (try json(#"{"sessionInfo":"si"}"#)))
        let request = try #require(harness.mesh.sent(MFASMS.StartPhoneSignIn.self).first)
        #expect(request.phoneNumber == "+12025550101" && request.locale == "de-CH")
        #expect(request.realm.tenant == nil && request.client.ipAddress == "127.0.0.1")
        #expect(
            request.appCredential
                == .init(
                    deviceReceipt: "r", deviceSecret: Secret("s"), recaptchaToken: Secret("t"),
                    captchaResponse: Secret("NO_RECAPTCHA"), playIntegrityToken: Secret("p"),
                    safetyNetToken: Secret("n"), clientType: .ios, bundleID: "org.example.app-1"))
    }

    @Test func snakeCaseNamesAreReadAndEmptyValuesDropped() async throws {
        let harness = try harness()
        _ = try await harness.client(
            "v1/accounts:sendVerificationCode",
            #"{"phone_number":"call me","ios_receipt":"r","ios_secret":"","recaptcha_token":"","client_type":3}"#)
        _ = try await harness.client("v1/accounts:sendVerificationCode", #"{"phoneNumber":""}"#)
        let sent = harness.mesh.sent(MFASMS.StartPhoneSignIn.self)
        #expect(sent.map(\.phoneNumber) == ["call me", nil])
        #expect(sent.map(\.appCredential) == [.init(deviceReceipt: "r", clientType: .ios), .init()])
    }

    @Test(
        arguments: [
            ("1", .web), ("\"2\"", .android), ("\"CLIENT_TYPE_IOS\"", .ios), ("0", nil), ("\"\"", nil), ("null", nil),
            ("\"CLIENT_TYPE_UNSPECIFIED\"", nil),
        ] as [(String, MFASMS.AppCredential.ClientType?)])
    func clientTypeIsReadByNameOrNumber(text: String, type: MFASMS.AppCredential.ClientType?) async throws {
        let harness = try harness()
        _ = try await harness.client("v1/accounts:sendVerificationCode", #"{"clientType":\#(text)}"#)
        #expect(harness.mesh.sent(MFASMS.StartPhoneSignIn.self).map(\.appCredential.clientType) == [type])
    }

    @Test(arguments: ["", "a b", "<x>", "b\u{e9}", String(repeating: "a", count: 156)])
    func invalidBundleIDIsDropped(header: String) async throws {
        let harness = try harness()
        _ = try await harness.client(
            "v1/accounts:verifyIosClient", #"{"appToken":"AB"}"#, headers: ["X-Ios-Bundle-Identifier": header])
        #expect(harness.mesh.sent(MFASMS.StartPushVerification.self).map(\.bundleID) == [nil])
    }

    // MARK: accounts:signInWithPhoneNumber

    @Test(arguments: [
        "v1/accounts:signInWithPhoneNumber", "../www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPhoneNumber",
    ])
    func codeIsForwardedToMFASMS(path: String) async throws {
        let harness = try harness()
        let response = try await harness.legacyOrClient(
            path, #"{"sessionInfo":"si","code":"012345","idToken":"i","operation":"LINK"}"#)
        #expect(response.status == 200)
        #expect(response.json == (try json(Self.sessionJSON)))
        let sent = try #require(harness.mesh.sent(MFASMS.FinishPhoneSignIn.self).first)
        #expect(sent.sessionInfo == Secret("si") && sent.code == Secret("012345"))
        #expect(sent.intent == .link && sent.idToken == Secret("i") && harness.mesh.count == 1)
    }

    /// mfa-sms names the missing field.
    @Test func missingFieldsStayMissing() async throws {
        let harness = try harness()
        harness.mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in throw ServiceError(.missingVerificationSession) }
        let response = try await harness.client("v1/accounts:signInWithPhoneNumber", #"{"code":"","sessionInfo":null}"#)
        #expect((response.status, response.message) == (400, "MISSING_SESSION_INFO"))
        let sent = try #require(harness.mesh.sent(MFASMS.FinishPhoneSignIn.self).first)
        #expect(sent.sessionInfo == nil && sent.code == nil && sent.idToken == nil && sent.intent == .signUpOrIn)
    }

    @Test func temporaryProofIsForwardedToIdentity() async throws {
        let harness = try harness()
        let response = try await harness.client(
            "v1/accounts:signInWithPhoneNumber",
            #"{"temporaryProof":"t","phoneNumber":"+12025550101","idToken":"i","operation":3,"sessionInfo":"x"}"#)
        #expect(response.json == (try json(Self.sessionJSON)))
        let sent = try #require(harness.mesh.sent(Identity.SignInWithTemporaryProof.self).first)
        #expect(sent.temporaryProof == Secret("t") && sent.phoneNumber == "+12025550101")
        #expect(sent.intent == .update && sent.idToken == Secret("i") && harness.mesh.count == 1)
    }

    @Test(
        arguments: [
            ("\"SIGN_UP_OR_IN\"", .signUpOrIn), ("1", .signUpOrIn), ("\"2\"", .reauthenticate),
            ("\"REAUTH\"", .reauthenticate), ("3", .update), ("\"UPDATE\"", .update), ("4", .link),
            ("\"LINK\"", .link), ("0", .signUpOrIn), ("null", .signUpOrIn), ("\"\"", .signUpOrIn),
            ("\"VERIFY_OP_UNSPECIFIED\"", .signUpOrIn),
        ] as [(String, Identity.PhoneIntent)])
    func operationIsReadByNameOrNumber(text: String, intent: Identity.PhoneIntent) async throws {
        let harness = try harness()
        _ = try await harness.client("v1/accounts:signInWithPhoneNumber", #"{"operation":\#(text)}"#)
        #expect(harness.mesh.sent(MFASMS.FinishPhoneSignIn.self).map(\.intent) == [intent])
    }

    @Test(arguments: [#"{"operation":"SING_UP"}"#, #"{"operation":5}"#, #"{"operation":[]}"#, #"{"code":123456}"#])
    func invalidValueIsRefused(body: String) async throws {
        let harness = try harness()
        let response = try await harness.client("v1/accounts:signInWithPhoneNumber", body)
        #expect((response.status, response.error?["status"]) == (400, .string("INVALID_ARGUMENT")))
        #expect(harness.mesh.count == 0)
    }

    /// The response has status 200 and no keys of a session.
    @Test func conflictReturnsTemporaryProof() async throws {
        let harness = try harness()
        harness.mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in
            .init(conflict: .init(phoneNumber: Self.number, temporaryProof: Secret("t"), expiresInSeconds: 3600))
        }
        let response = try await harness.client(
            "v1/accounts:signInWithPhoneNumber", #"{"sessionInfo":"si","code":"012345","idToken":"i"}"#)
        #expect(response.status == 200)
        #expect(
            response.json
                == (try json(
                    #"{"phoneNumber":"+12025550101","temporaryProof":"t","temporaryProofExpiresIn":"3600"}"#)))
    }

    @Test(arguments: ["sendVerificationCode", "signInWithPhoneNumber"])
    func phoneSignInIsUnsupportedInTenants(operation: String) async throws {
        let harness = try harness()
        let response = try await harness.client("v1/accounts:\(operation)", #"{"tenantId":"t1","temporaryProof":"t"}"#)
        #expect((response.status, response.message) == (400, "UNSUPPORTED_TENANT_OPERATION") && harness.mesh.count == 0)
    }

    // MARK: accounts:verifyIosClient

    @Test(
        arguments: [
            ("v1/accounts:verifyIosClient", #"{"appToken":"9F86","isSandbox":true}"#, true),
            (
                "../www.googleapis.com/identitytoolkit/v3/relyingparty/verifyClient", #"{"app_token":"9F86"}"#, false
            ),
        ])
    func verifyIosClientStartsPushVerification(path: String, body: String, isSandbox: Bool) async throws {
        let harness = try harness()
        let response = try await harness.legacyOrClient(
            path, body, headers: ["X-Ios-Bundle-Identifier": "org.example.app"])
        #expect(response.json == (try json(#"{"receipt":"r","suggestedTimeout":"5"}"#)))
        let sent = try #require(harness.mesh.sent(MFASMS.StartPushVerification.self).first)
        #expect(sent.deviceToken == Secret("9F86") && sent.isSandbox == isSandbox)
        #expect(sent.bundleID == "org.example.app")
    }

    // MARK: verificationCodes

    @Test(arguments: ["", "/tenants/t1"]) func emulatorListsVerificationCodes(tenant: String) async throws {
        let harness = try harness()
        harness.mesh.reply(to: MFASMS.ListCodes.self) { _ in
            .init(codes: [.init(phoneNumber: Self.number, code: Secret("012345"), sessionInfo: Secret("si"))])
        }
        let response = try await harness.send(.get, "/emulator/v1/projects/demo\(tenant)/verificationCodes")
        #expect(
            response.json
                == (try json(
                    #"{"verificationCodes":[{"phoneNumber":"+12025550101","code":"012345","sessionInfo":"si"}]}"#)))
        let sent = try #require(harness.mesh.sent(MFASMS.ListCodes.self).first)
        #expect(sent.realm == Realm(project: ProjectID("demo"), tenant: tenant.isEmpty ? nil : TenantID("t1")))
    }

    @Test func emptyCodeListIsReturned() async throws {
        let harness = try harness()
        harness.mesh.reply(to: MFASMS.ListCodes.self) { _ in .init(codes: []) }
        let response = try await harness.send(.get, "/emulator/v1/projects/demo/verificationCodes")
        #expect(response.json == (try json(#"{"verificationCodes":[]}"#)))
    }

    @Test func codeListIsAbsentInProduction() async throws {
        let harness = try GatewayHarness.production()
        let response = try await harness.send(.get, "/emulator/v1/projects/demo/verificationCodes")
        #expect(response.status == 404 && harness.mesh.count == 0)
    }
}

extension GatewayHarness {
    /// Calls a path with the name of another API, or one of the application operations.
    fileprivate func legacyOrClient(
        _ path: String, _ body: String, headers: [String: String] = [:]
    ) async throws -> TestResponse {
        guard path.hasPrefix("../") else { return try await client(path, body, headers: headers) }
        return try await send(.post, String(path.dropFirst(2)), query: "key=fake-api-key", headers: headers, body: body)
    }
}
