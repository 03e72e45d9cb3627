import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

private let project = ProjectID("demo-latchkey")

/// REST 2.1 and 4.1, for end users.
@Suite struct SignUpTests {
    @Test(arguments: ["v1/accounts:signUp", "v3"])
    func signUpCreatesPasswordAccount(operation: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignUp.self) { _ in .init(account: .example(), tokens: .example) }
        let body = #"{"email":"alice@example.com","password":"secret","display_name":"Alice","returnSecureToken":true}"#
        let response =
            operation == "v3"
            ? try await harness.send(
                .post, "/www.googleapis.com/identitytoolkit/v3/relyingparty/signupNewUser", query: "key=k",
                headers: ["User-Agent": "iOS"], body: body)
            : try await harness.client(operation, body, headers: ["User-Agent": "iOS"])
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#SignupNewUserResponse","localId":"alice","email":"alice@example.com","displayName":"Alice","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600"}"#
                )))
        let sent = try #require(harness.mesh.sent(Identity.SignUp.self).first)
        #expect(sent.realm == Realm(project: project))
        #expect((sent.email, sent.password?.reveal(), sent.displayName) == ("alice@example.com", "secret", "Alice"))
        #expect(sent.client == ClientContext(ipAddress: "127.0.0.1", userAgent: "iOS"))
        #expect(sent.linkIDToken == nil)
    }

    @Test(arguments: ["", "{}", #"{"email":null,"password":null,"idToken":"","tenantId":"","localId":""}"#])
    func signUpWithoutCredentialsCreatesAnonymousAccount(body: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignUp.self) { _ in .init(account: .example(), tokens: .example) }
        #expect(try await harness.client("v1/accounts:signUp", body).status == 200)
        let sent = try #require(harness.mesh.sent(Identity.SignUp.self).first)
        #expect(sent.email == nil && sent.password == nil && sent.linkIDToken == nil && sent.realm.tenant == nil)
    }

    @Test func signUpWithIDTokenLinksAccount() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignUp.self) { _ in .init(account: .example(), tokens: .example) }
        _ = try await harness.client(
            "v1/accounts:signUp", #"{"idToken":"t","email":"a@example.com","tenantId":"t-1"}"#,
            headers: ["X-Firebase-Locale": "pt-BR"])
        let sent = try #require(harness.mesh.sent(Identity.SignUp.self).first)
        #expect(sent.linkIDToken?.reveal() == "t" && sent.realm.tenant == TenantID("t-1") && sent.locale == "pt-BR")
    }

    @Test(arguments: [
        (#"{"localId":"mine"}"#, "UNEXPECTED_PARAMETER : User ID"),
        (
            #"{"targetProjectId":"p"}"#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        ),
        (
            #"{"emailVerified":true}"#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify email_verified."
        ),
        (#"{"phoneNumber":"+1"}"#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify phone_number."),
        (#"{"disabled":true}"#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify disabled."),
        (#"{"mfaInfo":[{}]}"#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify mfa_info."),
    ])
    func administratorFieldsAreRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.client("v1/accounts:signUp", body)
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    /// An empty e-mail address does not create an anonymous account.
    @Test(arguments: [
        (#"{"email":"","password":""}"#, "MISSING_EMAIL"), (#"{"email":""}"#, "MISSING_EMAIL"),
        (#"{"email":"","password":"secret"}"#, "MISSING_EMAIL"), (#"{"password":""}"#, "MISSING_PASSWORD"),
        (#"{"email":"a@example.com","password":""}"#, "MISSING_PASSWORD"),
        (#"{"email":null,"password":"","idToken":"t"}"#, "MISSING_PASSWORD"),
    ])
    func emptyEmailIsRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.client("v1/accounts:signUp", body)
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    @Test func unknownFieldsAreIgnored() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignUp.self) { _ in .init(account: .example(), tokens: .example) }
        let body = #"{"customAttributes":"{}","validSince":"1","createdAt":"1","favouriteColour":"red","mfaInfo":[]}"#
        #expect(try await harness.client("v1/accounts:signUp", body).status == 200)
    }

    @Test(arguments: ["/accounts", "client path"])
    func administratorCreatesAccount(path: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CreateAccount.self) { _ in
            .init(account: .example { $0.phoneNumber = PhoneNumber("+12025550117") })
        }
        let body =
            #"{"localId":"alice","email":"alice@example.com","password":"p","phoneNumber":"+12025550117","emailVerified":true,"disabled":true}"#
        let response =
            path == "/accounts"
            ? try await harness.admin(.post, path, body)
            : try await harness.send(
                .post, "/v1/accounts:signUp", headers: ["Authorization": "Bearer owner"], body: body)
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#SignupNewUserResponse","localId":"alice","email":"alice@example.com","displayName":"Alice","emailVerified":false,"phoneNumber":"+12025550117"}"#
                )))
        let sent = try #require(harness.mesh.sent(Identity.CreateAccount.self).first)
        #expect((sent.accountID, sent.phoneNumber) == (AccountID("alice"), "+12025550117"))
        #expect(sent.emailVerified && sent.disabled)
    }

    @Test func administratorCreatesAccountWithSecondFactors() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CreateAccount.self) { _ in .init(account: .example()) }
        let body = #"{"mfaInfo":[{"phoneInfo":"+12025550118","displayName":"work"}]}"#
        #expect(try await harness.admin(.post, "/accounts", body).status == 200)
        #expect(
            harness.mesh.sent(Identity.CreateAccount.self).first?.secondFactors
                == [.init(kind: .phone(number: "+12025550118"), displayName: "work")])
    }
}

/// REST 2.2.
@Suite struct PasswordSignInTests {
    @Test func emptyEmailIsInvalid() async throws {
        let harness = try GatewayHarness()
        let response = try await harness.client("v1/accounts:signInWithPassword", #"{"email":"","password":"secret"}"#)
        #expect((response.status, response.message) == (400, "INVALID_EMAIL"))
        #expect(harness.mesh.count == 0)
    }

    @Test func signInReturnsAccountAndTokens() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in
            .init(
                account: .example {
                    $0.displayName = nil; $0.photoURL = "p"
                }, tokens: .example)
        }
        let response = try await harness.client(
            "v1/accounts:signInWithPassword", #"{"email":"alice@example.com","password":"secret"}"#)
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#VerifyPasswordResponse","registered":true,"localId":"alice","email":"alice@example.com","displayName":"","photoUrl":"p","profilePicture":"p","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600"}"#
                )))
    }

    @Test func pendingSignInReturnsMaskedSecondFactor() async throws {
        let harness = try GatewayHarness()
        let phone = SecondFactor(
            id: FactorID("f"), kind: .phone(try #require(PhoneNumber("+4915700000102"))), displayName: "Work",
            enrolledAt: Moment(milliseconds: 1_700_000_000_123))
        let totp = SecondFactor(
            id: FactorID("t"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 1_700_000_000_123))
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in
            .init(
                account: .example { $0.secondFactors = [phone, totp] },
                secondFactor: PendingSecondFactor(pendingCredential: Secret("pending"), factors: [phone, totp]))
        }
        let response = try await harness.client(
            "v1/accounts:signInWithPassword", #"{"email":"alice@example.com","password":"secret"}"#)
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#VerifyPasswordResponse","registered":true,"localId":"alice","email":"alice@example.com","displayName":"Alice","mfaPendingCredential":"pending","mfaInfo":[{"mfaEnrollmentId":"f","displayName":"Work","enrolledAt":"2023-11-14T22:13:20.123Z","phoneInfo":"+*********0102"},{"mfaEnrollmentId":"t","enrolledAt":"2023-11-14T22:13:20.123Z","totpInfo":{}}]}"#
                )))
        #expect(!response.text.contains("49157"))
    }

    /// Security rule EN1: both refusals have the same bytes.
    @Test func unknownEmailAndWrongPasswordGetSameResponse() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.SignInWithPassword.self) { _ in throw ServiceError(.invalidCredentials) }
        let first = try await harness.client(
            "v1/accounts:signInWithPassword", #"{"email":"a@b.example","password":"x"}"#)
        let second = try await harness.client(
            "v1/accounts:signInWithPassword", #"{"email":"c@d.example","password":"y"}"#)
        #expect(first.message == "INVALID_LOGIN_CREDENTIALS")
        #expect((first.status, first.text) == (second.status, second.text))
    }
}

/// REST 2.13.
@Suite struct LookupTests {
    @Test func clientSeesOnlyItsOwnAccount() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in .init(account: .example()) }
        let response = try await harness.client(
            "v1/accounts:lookup", #"{"idToken":"t","localId":["bob"],"email":["bob@example.com"]}"#)
        #expect(response.json["kind"] == .string("identitytoolkit#GetAccountInfoResponse"))
        guard case .array(let users)? = response.json["users"] else {
            Issue.record("no users")
            return
        }
        #expect(users.map { $0["localId"] } == [.string("alice")])
        #expect(harness.mesh.count == 1)
    }

    @Test func missingIDTokenIsReportedByIdentity() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.LookUpOwnAccount.self) { request in
            #expect(request.idToken == nil)
            throw ServiceError(.missingIDToken)
        }
        #expect(try await harness.client("v1/accounts:lookup", #"{"localId":["bob"]}"#).message == "MISSING_ID_TOKEN")
    }

    @Test(arguments: ["/v1/projects/p1/tenants/t1/accounts:lookup", "/v1/accounts:lookup"])
    func administratorFindsAnyAccount(path: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.FindAccounts.self) { _ in .init(accounts: []) }
        let response = try await harness.send(
            .post, path, headers: ["Authorization": "Bearer owner"],
            body:
                #"{"localId":["a","b"],"email":["e"],"phoneNumber":["n"],"federatedUserId":[{"providerId":"google.com","rawId":"7"}],"initialEmail":["i"],"targetProjectId":"p1","tenantId":"t1"}"#
        )
        #expect(response.json == (try json(#"{"kind":"identitytoolkit#GetAccountInfoResponse"}"#)))
        let sent = try #require(harness.mesh.sent(Identity.FindAccounts.self).first)
        #expect(sent.realm == Realm(project: ProjectID("p1"), tenant: TenantID("t1")))
        #expect(
            sent.criteria == [
                .accountID(AccountID("a")), .accountID(AccountID("b")), .email("e"), .phoneNumber("n"),
                .provider(id: "google.com", accountID: "7"), .initialEmail("i"),
            ])
    }
}

/// How the realm of a request is determined (REST 1.3).
@Suite struct RealmTests {
    private func realm(_ path: String, _ body: String) async throws -> (Realm?, TestResponse) {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.FindAccounts.self) { _ in .init(accounts: []) }
        let response = try await harness.send(.post, path, headers: ["Authorization": "Bearer owner"], body: body)
        return (harness.mesh.sent(Identity.FindAccounts.self).first?.realm, response)
    }

    @Test(
        arguments: [
            ("/v1/projects/p1/accounts:lookup", "{}", "p1", nil),
            ("/v1/projects/p1/accounts:lookup", #"{"targetProjectId":"p2"}"#, "p1", nil),
            ("/v1/projects/p1/accounts:lookup", #"{"tenantId":"t1"}"#, "p1", "t1"),
            ("/v1/projects/p1/tenants/t1/accounts:lookup", "{}", "p1", "t1"),
            ("/v1/projects/p1/tenants/t1/accounts:lookup", #"{"tenant_id":"t1"}"#, "p1", "t1"),
            ("/v1/accounts:lookup", #"{"targetProjectId":"p2"}"#, "p2", nil),
            ("/v1/accounts:lookup", "{}", "demo-latchkey", nil),
        ] as [(String, String, String, String?)])
    func realmComesFromPathThenBodyThenCredential(
        path: String, body: String, project: String, tenant: String?
    ) async throws {
        let (realm, _) = try await realm(path, body)
        #expect(realm == Realm(project: ProjectID(project), tenant: tenant.map(TenantID.init)))
    }

    @Test(arguments: [
        ("/v1/projects/p1/tenants/t1/accounts:lookup", #"{"tenantId":"t2"}"#, "TENANT_ID_MISMATCH"),
        ("/v1/projects/p%2F1/accounts:lookup", "{}", "INVALID_PROJECT_ID"),
        ("/v1/projects/p%01/accounts:lookup", "{}", "INVALID_PROJECT_ID"),
        ("/v1/projects/\(String(repeating: "p", count: 129))/accounts:lookup", "{}", "INVALID_PROJECT_ID"),
        ("/v1/projects/p1/tenants/t%201/accounts:lookup", "{}", "TENANT_NOT_FOUND"),
    ])
    func contradictoryOrInvalidRealmIsRefused(path: String, body: String, message: String) async throws {
        let (realm, response) = try await realm(path, body)
        #expect(realm == nil)
        #expect((response.status, response.message) == (400, message))
    }
}

/// REST 2.14.
@Suite struct DeletionTests {
    @Test func idTokenDeletesItsAccount() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.DeleteOwnAccount.self) { _ in EmptyReply() }
        let response = try await harness.client("v1/accounts:delete", #"{"idToken":"t","localId":"alice"}"#)
        #expect(response.json == (try json(#"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)))
        let sent = try #require(harness.mesh.sent(Identity.DeleteOwnAccount.self).first)
        #expect((sent.idToken?.reveal(), sent.accountID) == ("t", AccountID("alice")))
    }

    @Test func administratorDeletesAnyAccount() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.DeleteAccount.self) { request in
            guard request.accountID != nil else { throw ServiceError(.missingAccountID) }
            return EmptyReply()
        }
        #expect(try await harness.admin(.post, "/accounts:delete", #"{"localId":"bob"}"#).status == 200)
        #expect(try await harness.admin(.post, "/accounts:delete").message == "MISSING_LOCAL_ID")
    }
}
