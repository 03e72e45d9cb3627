import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct EmailActionsTests {
    static let email = EmailAddress("ada@example.com")!

    private func harness() throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SendActionCode.self) { request in
            .init(
                email: Self.email, code: request.returnsLink ? Secret("c") : nil,
                link: request.returnsLink ? Secret("http://l/?oobCode=c") : nil)
        }
        return harness
    }

    // MARK: accounts:sendOobCode

    @Test func everyFieldReachesIdentity() async throws {
        let harness = try harness()
        let response = try await harness.client(
            "v1/accounts:sendOobCode",
            """
            {"requestType":"VERIFY_AND_CHANGE_EMAIL","newEmail":"n@example.com","idToken":"t","tenantId":"t1",
            "continueUrl":"https://a.example/","canHandleCodeInApp":true,"iOSBundleId":"b","iOSAppStoreId":"1",
            "androidPackageName":"p","androidInstallApp":true,"androidMinimumVersion":"12","dynamicLinkDomain":"d",
            "linkDomain":"l","clientType":"CLIENT_TYPE_WEB","captchaResp":"x"}
            """, headers: ["X-Firebase-Locale": "de-CH"])
        #expect(
            response.json
                == (try json(#"{"kind":"identitytoolkit#GetOobConfirmationCodeResponse","email":"ada@example.com"}"#)))
        let request = try #require(harness.mesh.sent(Identity.SendActionCode.self).first)
        #expect(request.purpose == .verifyAndChangeEmail && request.newEmail == "n@example.com")
        #expect(request.idToken == Secret("t") && request.realm.tenant == TenantID("t1") && request.locale == "de-CH")
        #expect(!request.isByAdministrator && !request.returnsLink)
        #expect(
            request.settings
                == .init(
                    continueURL: "https://a.example/", isHandledInApp: true, linkDomain: "l", dynamicLinkDomain: "d",
                    iOSBundleID: "b", iOSAppStoreID: "1", androidPackageName: "p", androidMinimumVersion: "12",
                    androidInstallsApp: true))
    }

    @Test func administratorGetsCodeAlsoForIDToken() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SendActionCode.self) { request in
            .init(
                email: try #require(EmailAddress("ada@example.com")),
                code: request.isByAdministrator ? Secret("c") : nil,
                link: request.isByAdministrator ? Secret("https://a.example/?oobCode=c") : nil)
        }
        let response = try await harness.send(
            .post, "/v1/accounts:sendOobCode", headers: ["Authorization": "Bearer owner"],
            body: #"{"requestType":"VERIFY_EMAIL","idToken":"t","returnOobLink":true,"targetProjectId":"p"}"#)
        #expect(response.json["oobCode"] == .string("c"))
        #expect(response.json["oobLink"] == .string("https://a.example/?oobCode=c"))
        let request = try #require(harness.mesh.sent(Identity.SendActionCode.self).first)
        #expect(request.isByAdministrator && request.returnsLink && request.idToken == Secret("t"))
    }

    @Test(arguments: [
        ("{}", "MISSING_REQ_TYPE"), (#"{"requestType":null}"#, "MISSING_REQ_TYPE"),
        (#"{"requestType":0}"#, "MISSING_REQ_TYPE"),
        (#"{"requestType":"OOB_REQ_TYPE_UNSPECIFIED"}"#, "MISSING_REQ_TYPE"),
        (#"{"requestType":"NONSENSE"}"#, "INVALID_REQ_TYPE"), (#"{"requestType":99}"#, "INVALID_REQ_TYPE"),
        (#"{"requestType":"RECOVER_EMAIL"}"#, "INVALID_REQ_TYPE"), (#"{"requestType":5}"#, "INVALID_REQ_TYPE"),
        (#"{"requestType":"REVERT_SECOND_FACTOR_ADDITION"}"#, "INVALID_REQ_TYPE"),
        (#"{"requestType":"REVERT_PASSKEY_ADDITION"}"#, "INVALID_REQ_TYPE"),
        (#"{"requestType":"OLD_EMAIL_AGREE"}"#, "INVALID_REQ_TYPE"),
        (
            #"{"requestType":"PASSWORD_RESET","email":"a@example.com","returnOobLink":true}"#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify return_oob_link."
        ),
        (
            #"{"requestType":"PASSWORD_RESET","email":"a@example.com","targetProjectId":"x"}"#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        ),
    ])
    func invalidRequestIsRefusedBeforeBusCall(body: String, message: String) async throws {
        let harness = try harness()
        let response = try await harness.client("v1/accounts:sendOobCode", body)
        #expect(response.status == 400 && response.message == message && harness.mesh.count == 0)
    }

    @Test(arguments: [
        ("\"PASSWORD_RESET\"", Identity.ActionPurpose.passwordReset), ("1", .passwordReset), ("\"1\"", .passwordReset),
        ("4", .verifyEmail), ("6", .emailSignIn), ("\"VERIFY_AND_CHANGE_EMAIL\"", .verifyAndChangeEmail),
        ("7", .verifyAndChangeEmail),
    ])
    func requestTypeIsReadByNameOrNumber(type: String, purpose: Identity.ActionPurpose) async throws {
        let harness = try harness()
        _ = try await harness.client("v1/accounts:sendOobCode", #"{"requestType":\#(type),"email":"a@example.com"}"#)
        #expect(harness.mesh.sent(Identity.SendActionCode.self).map(\.purpose) == [purpose])
    }

    @Test func administratorGetsLink() async throws {
        let harness = try harness()
        let response = try await harness.admin(
            .post, "/accounts:sendOobCode",
            #"{"requestType":"VERIFY_EMAIL","email":"ada@example.com","returnOobLink":true}"#)
        #expect(response.json["oobCode"] == .string("c") && response.json["oobLink"] == .string("http://l/?oobCode=c"))
        let request = try #require(harness.mesh.sent(Identity.SendActionCode.self).first)
        #expect(request.isByAdministrator && request.returnsLink)
    }

    @Test(arguments: ["", "<script>", "de\u{7f}", String(repeating: "a", count: 36), "d e"])
    func invalidLanguageTagIsDropped(header: String) async throws {
        let harness = try harness()
        _ = try await harness.client(
            "v1/accounts:sendOobCode", #"{"requestType":"EMAIL_SIGNIN","email":"a@example.com"}"#,
            headers: ["X-Firebase-Locale": header])
        #expect(harness.mesh.sent(Identity.SendActionCode.self).first?.locale == nil)
    }

    // MARK: accounts:resetPassword

    @Test(arguments: [
        (
            Identity.InspectActionCode.Reply(purpose: .passwordReset, email: email),
            #"{"kind":"identitytoolkit#ResetPasswordResponse","requestType":"PASSWORD_RESET","email":"ada@example.com"}"#
        ),
        (
            .init(purpose: .emailSignIn, email: email),
            #"{"kind":"identitytoolkit#ResetPasswordResponse","requestType":"EMAIL_SIGNIN"}"#
        ),
        (
            .init(purpose: .recoverEmail, email: email, newEmail: EmailAddress("n@example.com")),
            """
            {"kind":"identitytoolkit#ResetPasswordResponse","requestType":"RECOVER_EMAIL","email":"ada@example.com",
            "newEmail":"n@example.com"}
            """
        ),
        (
            .init(
                purpose: .revertSecondFactorAddition, email: email,
                secondFactor: SecondFactor(
                    id: FactorID("f"), kind: .phone(PhoneNumber("+41790000102")!), displayName: "mine",
                    enrolledAt: Moment(milliseconds: 1_700_000_000_123))),
            """
            {"kind":"identitytoolkit#ResetPasswordResponse","requestType":"REVERT_SECOND_FACTOR_ADDITION",
            "email":"ada@example.com","mfaInfo":{"mfaEnrollmentId":"f","displayName":"mine","phoneInfo":"+*******0102",
            "enrolledAt":"2023-11-14T22:13:20.123Z"}}
            """
        ),
        (
            .init(
                purpose: .revertPasskeyAddition, email: email,
                passkeys: [.init(name: "mine", createdAt: Moment(milliseconds: 1_700_000_000_123))]),
            """
            {"kind":"identitytoolkit#ResetPasswordResponse","requestType":"REVERT_PASSKEY_ADDITION",
            "email":"ada@example.com"}
            """
        ),
    ])
    func requestWithoutPasswordInspectsCode(reply: Identity.InspectActionCode.Reply, body: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.InspectActionCode.self) { _ in reply }
        let response = try await harness.client("v1/accounts:resetPassword", #"{"oobCode":"c"}"#)
        #expect(response.json == (try json(body)))
    }

    @Test func requestWithPasswordResetsIt() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ResetPassword.self) { _ in .init(email: Self.email) }
        let response = try await harness.client("v1/accounts:resetPassword", #"{"oobCode":"c","newPassword":"s"}"#)
        #expect(response.json["requestType"] == .string("PASSWORD_RESET"))
        #expect(response.json["email"] == .string("ada@example.com"))
        #expect(harness.mesh.sent(Identity.ResetPassword.self).first?.newPassword == Secret("s"))
    }

    // MARK: Other operations

    @Test(arguments: [true, false]) func emailLinkSignInReportsNewAccount(isNew: Bool) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithEmailLink.self) { _ in
            .init(account: .example(), isNewAccount: isNew, tokens: .example)
        }
        let response = try await harness.client(
            "v1/accounts:signInWithEmailLink", #"{"email":"a@example.com","oobCode":"c","idToken":"t"}"#)
        #expect(
            response.json
                == (try json(
                    """
                    {"kind":"identitytoolkit#EmailLinkSigninResponse","localId":"alice","email":"alice@example.com",
                    "isNewUser":\(isNew),"idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600"}
                    """)))
        #expect(harness.mesh.sent(Identity.SignInWithEmailLink.self).first?.linkIDToken == Secret("t"))
    }

    @Test func emailLinkSignInCanRequireSecondFactor() async throws {
        let harness = try GatewayHarness()
        let phone = SecondFactor(
            id: FactorID("f"), kind: .phone(try #require(PhoneNumber("+12025550102"))), displayName: nil,
            enrolledAt: Moment(milliseconds: 1_700_000_000_123))
        harness.mesh.reply(to: Identity.SignInWithEmailLink.self) { _ in
            .init(account: .example(), secondFactor: .init(pendingCredential: Secret("pending"), factors: [phone]))
        }
        let response = try await harness.client(
            "v1/accounts:signInWithEmailLink", #"{"email":"a@b.example","oobCode":"c"}"#)
        #expect(
            response.json
                == (try json(
                    """
                    {"kind":"identitytoolkit#EmailLinkSigninResponse","localId":"alice","email":"alice@example.com",
                    "mfaPendingCredential":"pending","mfaInfo":[{"mfaEnrollmentId":"f",
                    "enrolledAt":"2023-11-14T22:13:20.123Z","phoneInfo":"+*******0102"}]}
                    """)))
    }

    @Test func updateWithCodeAppliesIt() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ApplyActionCode.self) { _ in
            .init(purpose: .verifyAndChangeEmail, account: .example(), newEmail: EmailAddress("alice@example.com"))
        }
        let response = try await harness.client("v1/accounts:update", #"{"oobCode":"c"}"#)
        #expect(response.json["kind"] == .string("identitytoolkit#SetAccountInfoResponse"))
        #expect(
            response.json["newEmail"] == .string("alice@example.com") && response.json["localId"] == .string("alice"))
        #expect(response.json["idToken"] == nil)
    }

    @Test(arguments: [
        ("{}", "MISSING_IDENTIFIER"), (#"{"continueUri":"http://localhost/"}"#, "MISSING_IDENTIFIER"),
        (#"{"identifier":"a@example.com"}"#, "MISSING_CONTINUE_URI"),
        (
            #"{"identifier":"a@example.com","continueUri":"no-scheme"}"#,
            "INVALID_CONTINUE_URI : ((expected an absolute URI with valid scheme and host))"
        ),
        (#"{"providerId":"nonsense","continueUri":"http://localhost/"}"#, "INVALID_PROVIDER_ID"),
    ])
    func createAuthUriRefusesInvalidRequests(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        #expect(try await harness.client("v1/accounts:createAuthUri", body).message == message)
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [
        (
            Identity.FindSignInMethods.Methods?.none,
            #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"s"}"#
        ),
        (
            .init(isRegistered: false, hasPassword: false, hasEmailLink: false, providers: []),
            #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"s","registered":false,"allProviders":[],"signinMethods":[]}"#
        ),
        (
            .init(isRegistered: true, hasPassword: true, hasEmailLink: true, providers: ["google.com"]),
            """
            {"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"s","registered":true,
            "allProviders":["password","google.com"],"signinMethods":["password","emailLink","google.com"]}
            """
        ),
    ])
    func createAuthUriReturnsSignInMethods(methods: Identity.FindSignInMethods.Methods?, body: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.FindSignInMethods.self) { _ in .init(sessionID: "s", methods: methods) }
        let response = try await harness.client(
            "v1/accounts:createAuthUri", #"{"identifier":"a@example.com","continueUri":"http://www.google.com"}"#)
        #expect(response.json == (try json(body)))
    }

    // MARK: Dev mode

    private func emulator(_ reply: Identity.InspectActionCode.Reply) throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("demo-latchkey")) }
        harness.mesh.reply(to: Identity.InspectActionCode.self) { _ in reply }
        harness.mesh.reply(to: Identity.ResetPassword.self) { _ in .init(email: Self.email) }
        harness.mesh.reply(to: Identity.ApplyActionCode.self) { _ in .init(purpose: reply.purpose, account: .example())
        }
        return harness
    }

    @Test func emulatorListsCodesWithLinks() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListActionCodes.self) { _ in
            .init(codes: [
                .init(
                    purpose: .verifyAndChangeEmail, email: Self.email, newEmail: EmailAddress("n@example.com"),
                    code: Secret("c"), link: Secret("http://l/")),
                .init(
                    purpose: .revertPasskeyAddition, email: Self.email, newEmail: nil, code: Secret("d"),
                    link: Secret("http://m/")),
            ])
        }
        let response = try await harness.send(.get, "/emulator/v1/projects/demo-latchkey/tenants/t1/oobCodes")
        #expect(
            response.json
                == (try json(
                    """
                    {"oobCodes":[{"email":"ada@example.com","newEmail":"n@example.com","oobCode":"c",
                    "oobLink":"http://l/","requestType":"VERIFY_AND_CHANGE_EMAIL"},
                    {"email":"ada@example.com","oobCode":"d","oobLink":"http://m/",
                    "requestType":"REVERT_PASSKEY_ADDITION"}]}
                    """)))
        #expect(harness.mesh.sent(Identity.ListActionCodes.self).first?.realm.tenant == TenantID("t1"))
    }

    @Test(arguments: [
        (Identity.ActionPurpose.verifyEmail, "mode=verifyEmail&oobCode=c&apiKey=k", 200),
        (.recoverEmail, "mode=recoverEmail&oobCode=c&apiKey=k", 200),
        (.revertPasskeyAddition, "mode=revertPasskeyAddition&oobCode=c&apiKey=k", 200),
        (.passwordReset, "mode=resetPassword&oobCode=c&apiKey=k&newPassword=s", 200),
        (.passwordReset, "mode=resetPassword&oobCode=c&apiKey=k", 400),
        (.verifyEmail, "mode=resetPassword&oobCode=c&apiKey=k&newPassword=s", 400),
        (.emailSignIn, "mode=signIn&oobCode=c&apiKey=k", 400),
        (.verifyEmail, "mode=verifyEmail&apiKey=k", 400), (.verifyEmail, "mode=verifyEmail&oobCode=c", 400),
    ])
    func emulatorLinkRedeemsCode(purpose: Identity.ActionPurpose, query: String, status: Int) async throws {
        let harness = try emulator(.init(purpose: purpose, email: Self.email))
        let response = try await harness.send(.get, "/emulator/action", query: query)
        #expect(response.status == status)
        #expect(response.json["authEmulator"]?[status == 200 ? "success" : "error"] != nil)
    }

    /// A test tool sends the new password with the link. A person does not.
    @Test func emulatorLinkOfResetLeadsBrowsersToThePage() async throws {
        let harness = try emulator(.init(purpose: .passwordReset, email: Self.email))
        let query = "mode=resetPassword&oobCode=c&apiKey=k&lang=de"
        let response = try await harness.send(
            .get, "/emulator/action", query: query, headers: ["accept": "text/html,*/*;q=0.8"])
        #expect(response.status == 303 && response.header("location") == "/__/auth/action?\(query)")
        #expect(harness.mesh.sent(Identity.ResetPassword.self).isEmpty)
    }

    @Test func emulatorLinkRedirectsToContinueURL() async throws {
        let harness = try emulator(
            .init(purpose: .verifyEmail, email: Self.email, continueURL: "http://localhost/next"))
        let response = try await harness.send(
            .get, "/emulator/action",
            query: "mode=verifyEmail&oobCode=c&apiKey=k&continueUrl=http%3A%2F%2Flocalhost%2Fnext")
        #expect(response.status == 303 && response.header("location") == "http://localhost/next")
        let signIn = try emulator(
            .init(purpose: .emailSignIn, email: Self.email, continueURL: "http://localhost/next?a=1"))
        let handed = try await signIn.send(
            .get, "/emulator/action", query: "mode=signIn&oobCode=c&apiKey=k&lang=de&continueUrl=x")
        #expect(handed.header("location") == "http://localhost/next?a=1&mode=signIn&oobCode=c&apiKey=k&lang=de")
    }

    @Test func emulatorLinksAreAbsentInProduction() async throws {
        let harness = try GatewayHarness.production()
        for path in [
            "/emulator/action", "/emulator/v1/projects/p/oobCodes", "/emulator/v1/projects/p/emailCodes",
        ] {
            #expect(try await harness.send(.get, path, query: "mode=verifyEmail&oobCode=c&apiKey=k").status == 404)
        }
    }
}
