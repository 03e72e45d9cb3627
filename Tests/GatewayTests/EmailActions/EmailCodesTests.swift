import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct EmailCodesTests {
    private static let email = EmailAddress("ada@example.com")!

    private func harness() throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SendEmailCode.self) { _ in .init(sessionInfo: Secret("s")) }
        harness.mesh.reply(to: Identity.SignInWithEmailCode.self) { _ in
            .init(account: .example(), isNewAccount: true, tokens: .example)
        }
        harness.mesh.reply(to: Identity.VerifyEmailWithCode.self) { _ in .init(account: .example()) }
        return harness
    }

    @Test(
        arguments: [
            (
                #"{"purpose":"SIGN_IN","email":"a@example.com","tenantId":"t1"}"#,
                Identity.EmailCodePurpose.signIn, "a@example.com", nil
            ), (#"{"purpose":"VERIFY_EMAIL","idToken":"t","tenantId":"t1"}"#, .verifyEmail, nil, "t"),
        ] as [(String, Identity.EmailCodePurpose, String?, String?)])
    func everyFieldReachesIdentity(
        body: String, purpose: Identity.EmailCodePurpose, email: String?, idToken: String?
    ) async throws {
        let harness = try harness()
        let response = try await harness.client(
            "v1/accounts:sendEmailCode", body, headers: ["X-Firebase-Locale": "de-CH"])
        #expect(response.json == (try json(#"{"sessionInfo":"s"}"#)))
        let request = try #require(harness.mesh.sent(Identity.SendEmailCode.self).first)
        #expect(request.purpose == purpose && request.email == email && request.idToken?.reveal() == idToken)
        #expect(request.realm.tenant == TenantID("t1") && request.locale == "de-CH")
    }

    @Test(arguments: [
        ("{}", "MISSING_REQ_TYPE"), (#"{"purpose":""}"#, "MISSING_REQ_TYPE"),
        (#"{"purpose":"PASSWORD_RESET"}"#, "INVALID_REQ_TYPE"), (#"{"purpose":"signIn"}"#, "INVALID_REQ_TYPE"),
    ])
    func invalidPurposeIsRefusedBeforeBusCall(body: String, message: String) async throws {
        let harness = try harness()
        let response = try await harness.client("v1/accounts:sendEmailCode", body)
        #expect(response.status == 400 && response.message == message && harness.mesh.count == 0)
    }

    @Test func signInReturnsSession() async throws {
        let harness = try harness()
        let response = try await harness.client(
            "v1/accounts:signInWithEmailCode", #"{"sessionInfo":"s","code":"012345","idToken":"t"}"#)
        #expect(
            response.json
                == (try json(
                    """
                    {"localId":"alice","email":"alice@example.com","isNewUser":true,
                    "idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600"}
                    """)))
        let request = try #require(harness.mesh.sent(Identity.SignInWithEmailCode.self).first)
        #expect(request.sessionInfo == Secret("s") && request.code == Secret("012345"))
        #expect(request.linkIDToken == Secret("t"))
    }

    @Test func signInCanRequireSecondFactor() async throws {
        let harness = try harness()
        harness.mesh.reply(to: Identity.SignInWithEmailCode.self) { _ in
            .init(account: .example(), secondFactor: .init(pendingCredential: Secret("pending"), factors: []))
        }
        let response = try await harness.client(
            "v1/accounts:signInWithEmailCode", #"{"sessionInfo":"s","code":"012345"}"#)
        #expect(response.json["mfaPendingCredential"] == .string("pending") && response.json["idToken"] == nil)
        #expect(response.json["isNewUser"] == nil)
    }

    @Test func verificationReturnsAddress() async throws {
        let harness = try harness()
        let response = try await harness.client(
            "v1/accounts:verifyEmailWithCode", #"{"sessionInfo":"s","code":"012345"}"#)
        #expect(response.json["localId"] == .string("alice") && response.json["email"] == .string("alice@example.com"))
        #expect(response.json["emailVerified"] == .bool(Account.example().emailVerified))
        #expect(harness.mesh.sent(Identity.VerifyEmailWithCode.self).first?.code == Secret("012345"))
    }

    /// Strings that client libraries know.
    @Test(arguments: [
        (ServiceError(.invalidCode), "INVALID_CODE"), (ServiceError(.verificationSessionExpired), "SESSION_EXPIRED"),
        (ServiceError(.invalidVerificationSession), "INVALID_SESSION_INFO"),
        (ServiceError(.missingVerificationSession), "MISSING_SESSION_INFO"),
        (ServiceError(.missingCode), "MISSING_CODE"),
        (.limited(by: .emailCodeAttempts, until: nil), "TOO_MANY_ATTEMPTS_TRY_LATER"),
        (ServiceError(.operationNotAllowed), "OPERATION_NOT_ALLOWED"),
    ])
    func refusalHasStringOfProtocol(error: ServiceError, message: String) async throws {
        let harness = try harness()
        harness.mesh.reply(to: Identity.SignInWithEmailCode.self) { _ in throw error }
        let response = try await harness.client(
            "v1/accounts:signInWithEmailCode", #"{"sessionInfo":"s","code":"012345"}"#)
        #expect(response.status == 400 && response.message?.hasPrefix(message) == true)
        #expect((response.header("x-latchkey-limit") == "email-code-attempts") == (error.limit != nil))
    }

    @Test func emulatorListsCodes() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListEmailCodes.self) { _ in
            .init(codes: [
                .init(purpose: .signIn, email: Self.email, code: Secret("012345"), sessionInfo: Secret("s"))
            ])
        }
        let response = try await harness.send(.get, "/emulator/v1/projects/demo-latchkey/tenants/t1/emailCodes")
        #expect(
            response.json
                == (try json(
                    """
                    {"emailCodes":[{"email":"ada@example.com","code":"012345","sessionInfo":"s","purpose":"SIGN_IN"}]}
                    """)))
        #expect(harness.mesh.sent(Identity.ListEmailCodes.self).first?.realm.tenant == TenantID("t1"))
    }
}
