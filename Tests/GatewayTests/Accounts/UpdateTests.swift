import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.12, the column "User".
@Suite struct OwnUpdateTests {
    private func change(_ body: String) async throws -> (Identity.UpdateOwnAccount?, TestResponse) {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.UpdateOwnAccount.self) { _ in .init(account: .example(), tokens: .example) }
        let response = try await harness.client(
            "v1/accounts:update", body, headers: ["X-Firebase-Locale": "de", "User-Agent": "iOS"])
        return (harness.mesh.sent(Identity.UpdateOwnAccount.self).first, response)
    }

    @Test func namedFieldsAreChangedAndTokensReturned() async throws {
        let (sent, response) = try await change(
            #"""
            {"idToken":"t","localId":"alice","email":"e","password":"p","displayName":"","photoUrl":"u","tenantId":"t1",
             "deleteAttribute":["DISPLAY_NAME"],"deleteProvider":["password","phone","google.com"],"deletePasskey":["+w==","-w"],
             "renamePasskey":{"credentialId":"AQEBAQ==","name":"phone"},
             "renameFactor":{"mfaEnrollmentId":"f","displayName":"app"}}
            """#)
        #expect((sent?.idToken?.reveal(), sent?.accountID, sent?.locale) == ("t", AccountID("alice"), "de"))
        #expect(sent?.realm.tenant == TenantID("t1") && sent?.client.userAgent == "iOS")
        #expect(
            sent?.changes
                == .init(
                    email: "e", password: Secret("p"), displayName: "", photoURL: "u",
                    removals: [.displayName, .emailSignIn, .phoneNumber, .provider("google.com")]
                        + Array(repeating: .passkey(CredentialID([0xfb])!), count: 2),
                    renamedPasskey: .init(credentialID: .example(1), name: "phone"),
                    renamedFactor: .init(id: FactorID("f"), name: "app")))
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#SetAccountInfoResponse","localId":"alice","email":"alice@example.com","emailVerified":false,"displayName":"Alice","passwordHash":"UkVEQUNURUQ=","providerUserInfo":[{"providerId":"password","rawId":"alice@example.com","federatedId":"alice@example.com","email":"alice@example.com","displayName":"Alice"}],"idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600"}"#
                )))
    }

    /// A page updates the password manager of the user after each change.
    @Test func ownerWithPasskeysGetsSignals() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.UpdateOwnAccount.self) { _ in
            .init(account: .example { $0.passkeys = [.example(1)] }, tokens: .example)
        }
        let response = try await harness.client("v1/accounts:update", #"{"idToken":"t","deletePasskey":["Ag"]}"#)
        #expect(
            response.json["signals"]
                == (try json(
                    #"""
                    {"rpId":"auth.example.com","userHandle":"-w","name":"alice@example.com","displayName":"Alice",
                     "allAcceptedCredentialIds":["AQEBAQ"]}
                    """#)))
    }

    @Test(arguments: [
        #""deletePasskey":[""]"#, #""deletePasskey":["AQ","A"]"#, #""renamePasskey":{}"#,
        #""renamePasskey":{"credentialId":"!","name":"n"}"#,
        #""deletePasskey":["\#(String(repeating: "A", count: 1366))"]"#,
    ])
    func malformedCredentialIDIsRefused(field: String) async throws {
        let (sent, response) = try await change(#"{"idToken":"t",\#(field)}"#)
        #expect((response.status, response.message) == (400, "INVALID_CREDENTIAL_ID"))
        #expect(sent == nil)
    }

    @Test(arguments: [
        #"{"idToken":"t","provider":["password"],"upgradeToFederatedLogin":true,"captchaChallenge":"c"}"#,
        #"{"idToken":"t","validSince":"1700000000","captchaResponse":"r","returnSecureToken":true}"#,
        #"{"idToken":"t","emailVerified":false,"phoneNumber":"","customAttributes":"","email":"","password":""}"#,
        #"{"idToken":"t","mfa":null,"disableUser":null,"deleteAttribute":["RAW_USER_INFO"]}"#,
    ])
    func irrelevantFieldsAreIgnored(body: String) async throws {
        let (sent, response) = try await change(body)
        #expect(response.status == 200 && sent?.changes == .init())
    }

    @Test(arguments: [
        (#""disableUser":true"#, "OPERATION_NOT_ALLOWED"), (#""disableUser":false"#, "OPERATION_NOT_ALLOWED"),
        (
            #""customAttributes":"{}""#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify custom_attributes."
        ),
        (#""emailVerified":true"#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify email_verified."),
        (#""phoneNumber":"+1""#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify phone_number."),
        (#""mfa":{}"#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify mfa."),
        (
            #""linkProviderUserInfo":{}"#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify link_provider_user_info."
        ),
        (#""createdAt":"1""#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify created_at."),
        (#""lastLoginAt":1"#, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify last_login_at."),
        (
            #""targetProjectId":"p""#,
            "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        ),
    ])
    func administratorFieldsAreRefused(field: String, message: String) async throws {
        let (sent, response) = try await change(#"{"idToken":"t",\#(field)}"#)
        #expect((response.status, response.message) == (400, message))
        #expect(sent == nil)
    }

    /// An ID token determines the account, also beside a bearer token.
    @Test func idTokenTakesPrecedenceOverBearer() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.UpdateOwnAccount.self) { _ in .init(account: .example(), tokens: .example) }
        let response = try await harness.send(
            .post, "/v1/accounts:update", headers: ["Authorization": "Bearer owner"],
            body: #"{"idToken":"t","displayName":"X"}"#)
        #expect(response.status == 200 && harness.mesh.sent(Identity.UpdateOwnAccount.self).count == 1)
    }

    @Test func updateRequiresTokenCodeOrAdministrator() async throws {
        let harness = try GatewayHarness()
        for body in [#"{"localId":"alice","displayName":"X"}"#, "{}", #"{"idToken":""}"#] {
            let response = try await harness.client("v1/accounts:update", body)
            #expect(response.message == "INVALID_REQ_TYPE : Unsupported request parameters.")
        }
        #expect(harness.mesh.count == 0)
    }

    @Test(
        arguments: [
            ("de", "de"), ("zh-Hant-TW", "zh-Hant-TW"), ("pt_BR", "pt-BR"), ("", nil), ("de\"><script>", nil),
            (String(repeating: "x", count: 35), String(repeating: "x", count: 35)),
            (String(repeating: "x", count: 36), nil),
        ] as [(String, String?)])
    func onlyValidLanguageTagIsForwarded(header: String, locale: String?) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.UpdateOwnAccount.self) { _ in .init(account: .example(), tokens: .example) }
        _ = try await harness.client(
            "v1/accounts:update", #"{"idToken":"t"}"#, headers: ["X-Firebase-Locale": header])
        #expect(harness.mesh.sent(Identity.UpdateOwnAccount.self).map(\.locale) == [locale])
    }
}

/// REST 2.12, the column "Admin".
@Suite struct AdministratorUpdateTests {
    private func changes(_ body: String) async throws -> (Identity.UpdateAccount?, TestResponse) {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.UpdateAccount.self) { _ in .init(account: .example()) }
        let response = try await harness.admin(.post, "/accounts:update", body)
        return (harness.mesh.sent(Identity.UpdateAccount.self).first, response)
    }

    @Test func namedFieldsAreChanged() async throws {
        let (sent, response) = try await changes(
            #"""
            {"localId":"alice","email":"e","emailVerified":true,"password":"p","displayName":"","photoUrl":"u",
             "phoneNumber":"n","disableUser":false,"customAttributes":"{}","validSince":"1700000000",
             "createdAt":1500000000000,"lastLoginAt":"1500000000001",
             "linkProviderUserInfo":{"providerId":"google.com","rawId":"7","email":"g"}}
            """#)
        #expect(sent?.accountID == AccountID("alice"))
        #expect(
            sent?.changes
                == Identity.AccountChanges(
                    email: "e", emailVerified: true, password: Secret("p"), displayName: "", photoURL: "u",
                    phoneNumber: "n", disabled: false, customClaims: "{}",
                    validSince: Timestamp(seconds: 1_700_000_000),
                    createdAt: Moment(milliseconds: 1_500_000_000_000),
                    lastSignInAt: Moment(milliseconds: 1_500_000_000_001),
                    link: ProviderLink(providerID: "google.com", providerAccountID: "7", email: "g")))
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#SetAccountInfoResponse","localId":"alice","email":"alice@example.com","emailVerified":false,"displayName":"Alice","passwordHash":"UkVEQUNURUQ=","providerUserInfo":[{"providerId":"password","rawId":"alice@example.com","federatedId":"alice@example.com","email":"alice@example.com","displayName":"Alice"}]}"#
                )))
    }

    @Test(
        arguments: [
            (
                #"{"deleteAttribute":["EMAIL","DISPLAY_NAME",4,"5","PROVIDER","RAW_USER_INFO"]}"#,
                [.email, .displayName, .photoURL, .password, .providers]
            ),
            (
                #"{"deleteProvider":["password","phone","google.com"]}"#,
                [.emailSignIn, .phoneNumber, .provider("google.com")]
            ), (#"{"deletePasskey":["AQEBAQ"]}"#, [.passkey(.example(1))]),
            (#"{"deleteAttribute":[],"deleteProvider":null,"deletePasskey":[]}"#, []),
        ] as [(String, [Identity.AccountChanges.Removal])])
    func attributesAreRemoved(body: String, removals: [Identity.AccountChanges.Removal]) async throws {
        #expect(try await changes(body).0?.changes == Identity.AccountChanges(removals: removals))
    }

    @Test(
        arguments: [
            ("{}", nil), (#"{"mfa":null}"#, nil), (#"{"mfa":{}}"#, []), (#"{"mfa":{"enrollments":[]}}"#, []),
            (
                #"{"mfa":{"enrollments":[{"mfaEnrollmentId":"a","phoneInfo":"+1","displayName":"A"},{"phoneInfo":"x"}]}}"#,
                [
                    .init(id: FactorID("a"), kind: .phone(number: "+1"), displayName: "A"),
                    .init(kind: .phone(number: "x")),
                ]
            ),
            (
                #"{"mfa":{"enrollments":[{"mfa_enrollment_id":"t","totpInfo":{}},{"mfaEnrollmentId":"u"}]}}"#,
                [.init(id: FactorID("t"), kind: .totp), .init(id: FactorID("u"))]
            ),
            (
                #"{"mfa":{"enrollments":[{"phoneInfo":"+1","totpInfo":{}},{"phoneInfo":"","totpInfo":{}}]}}"#,
                [.init(kind: .phone(number: "+1")), .init(kind: .totp)]
            ),
            (
                #"{"mfa":{"enrollments":[{"enrolledAt":"2023-11-14T22:13:20Z"},{"enrolledAt":"2023-11-14T22:13:20.123456Z"}]}}"#,
                [
                    .init(enrolledAt: Moment(milliseconds: 1_700_000_000_000)),
                    .init(enrolledAt: Moment(milliseconds: 1_700_000_000_123)),
                ]
            ),
        ] as [(String, [Identity.FactorEntry]?)])
    func secondFactorsAreReplaced(body: String, entries: [Identity.FactorEntry]?) async throws {
        let (sent, response) = try await changes(body)
        #expect(response.status == 200 && sent?.changes.secondFactors == entries)
    }

    @Test(arguments: [
        #"{"deleteAttribute":["SHOE_SIZE"]}"#, #"{"mfa":{"enrollments":[{"enrolledAt":"yesterday"}]}}"#,
        #"{"mfa":{"enrollments":{}}}"#, #"{"validSince":"soon"}"#, #"{"disableUser":"yes"}"#, #"{"email":7}"#,
    ])
    func invalidValueIsRefused(body: String) async throws {
        let (sent, response) = try await changes(body)
        #expect((response.status, sent == nil) == (400, true))
    }

    @Test(arguments: [
        (#"{"deletePasskey":["x"]}"#, "INVALID_CREDENTIAL_ID"),
        (#"{"renamePasskey":{"credentialId":"AQ","name":"n"}}"#, "INVALID_REQ_TYPE : Unsupported request parameters."),
        (#"{"renameFactor":{}}"#, "INVALID_REQ_TYPE : Unsupported request parameters."),
    ])
    func unsupportedPasskeyChangeIsRefused(body: String, message: String) async throws {
        let (sent, response) = try await changes(body)
        #expect((response.status, response.message) == (400, message))
        #expect(sent == nil)
    }

    @Test func invalidTimeIsNamedWithItsPath() async throws {
        let (_, response) = try await changes(
            #"{"mfa":{"enrollments":[{},{"enrolledAt":"2023-13-14T22:13:20Z"}]}}"#)
        #expect(response.message?.contains("mfa.enrollments[1].enrolledAt") == true)
    }
}

/// REST 2.11, the form with the old password.
@Suite struct PasswordChangeRouteTests {
    @Test func oldPasswordAuthorizesChange() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ChangePassword.self) { _ in .init(account: .example()) }
        let response = try await harness.client(
            "v1/accounts:resetPassword",
            #"{"email":"alice@example.com","oldPassword":"o","newPassword":"n","tenantId":"t1"}"#)
        #expect(
            response.json
                == (try json(
                    #"{"kind":"identitytoolkit#ResetPasswordResponse","email":"alice@example.com","requestType":"PASSWORD_RESET"}"#
                )))
        let sent = try #require(harness.mesh.sent(Identity.ChangePassword.self).first)
        #expect((sent.oldPassword?.reveal(), sent.newPassword?.reveal()) == ("o", "n"))
        #expect(sent.realm.tenant == TenantID("t1"))
    }

    @Test func requestRequiresCodeOrEmail() async throws {
        let harness = try GatewayHarness()
        #expect(try await harness.client("v1/accounts:resetPassword", "{}").message == "MISSING_OOB_CODE")
    }
}
