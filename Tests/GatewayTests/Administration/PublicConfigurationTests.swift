import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.16.
@Suite struct PublicConfigurationTests {
    private func get(
        _ path: String, _ query: String = "", of configuration: String = "{}", dev: Bool = true
    ) async throws -> (response: TestResponse, sent: Realm?) {
        let harness = dev ? try GatewayHarness() : try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("demo-latchkey")) }
        harness.mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(
                configuration: try WireJSON.decode(ProjectConfiguration.self, from: Data(configuration.utf8)),
                projectNumber: "42", isDisabled: false)
        }
        let response = try await harness.send(.get, path, query: "key=k" + query)
        return (response, harness.mesh.sent(Identity.ResolveConfiguration.self).first?.realm)
    }

    @Test(arguments: ["/v1/projects", "/www.googleapis.com/identitytoolkit/v3/relyingparty/getProjectConfig"])
    func authorizedDomainsAreReturned(path: String) async throws {
        let domains = #"{"authorizedDomains":["localhost","app.example.com"]}"#
        let known = try await get(path, of: domains).response
        #expect(
            known.json == (try json(#"{"projectId":"42","authorizedDomains":["localhost","app.example.com"]}"#)))
        #expect(try await get(path).response.json == (try json(#"{"projectId":"42","authorizedDomains":[]}"#)))
    }

    @Test(arguments: [
        ("&clientId=a%20b", "INVALID_OAUTH_CLIENT_ID"), ("&firebaseAppId=nonsense", "INVALID_APP_ID"),
        ("&firebaseAppId=1:42:toaster:abc", "INVALID_APP_ID"), ("&sha1Cert=abc", "INVALID_CERT_HASH"),
        ("&sha1Cert=zz39a3ee5e6b4b0d3255bfef95601890afd80709", "INVALID_CERT_HASH"),
    ])
    func invalidApplicationIsRefused(query: String, message: String) async throws {
        let response = try await get("/v1/projects", query).response
        #expect((response.status, response.message) == (400, message))
    }

    @Test(arguments: [
        "&clientId=1-x.apps.googleusercontent.com", "&firebaseAppId=1:42:ios:0a1b", "&returnDynamicLink=true",
        "&sha1Cert=da39a3ee5e6b4b0d3255bfef95601890afd80709&androidPackageName=x.y", "&iosBundleId=x.y",
    ])
    func wellFormedApplicationIsAccepted(query: String) async throws {
        #expect(try await get("/v1/projects", query).response.status == 200)
    }

    @Test func recaptchaWebKeyIsReturned() async throws {
        let none = try await get("/v1/recaptchaParams").response
        #expect(none.json["kind"] == .string("identitytoolkit#GetRecaptchaParamResponse"))
        #expect(none.json["producerProjectNumber"] == .string("42"))
        let set = try await get(
            "/v1/recaptchaParams", of: #"{"recaptchaConfig":{"recaptchaKeys":[{"key":"k1","type":"WEB"}]}}"#
        ).response
        #expect(set.json["recaptchaSiteKey"] == .string("k1"))
    }

    private static let enforced = """
        {"recaptchaConfig":{"emailPasswordEnforcementState":"ENFORCE","phoneEnforcementState":"AUDIT",\
        "recaptchaKeys":[{"key":"projects/p/keys/k2","type":"IOS"}]}}
        """

    @Test(arguments: [
        ("CLIENT_TYPE_IOS", enforced, #""recaptchaKey":"projects/42/keys/k2","#, "ENFORCE", "AUDIT"),
        ("3", enforced, #""recaptchaKey":"projects/42/keys/k2","#, "ENFORCE", "AUDIT"),
        // Without a key for the platform, clients cannot send a token.
        ("CLIENT_TYPE_WEB", enforced, "", "OFF", "OFF"), ("CLIENT_TYPE_ANDROID", "{}", "", "OFF", "OFF"),
    ])
    func recaptchaEnforcementIsReturned(
        platform: String, configuration: String, key: String, email: String, phone: String
    ) async throws {
        let response = try await get(
            "/v2/recaptchaConfig", "&clientType=\(platform)&version=RECAPTCHA_ENTERPRISE&tenantId=t",
            of: configuration)
        #expect(
            response.response.json
                == (try json(
                    #"{\#(key)"recaptchaEnforcementState":[{"provider":"EMAIL_PASSWORD_PROVIDER","enforcementState":"\#(email)"},{"provider":"PHONE_PROVIDER","enforcementState":"\#(phone)"}]}"#
                )))
        #expect(response.sent?.tenant == TenantID("t"))
    }

    @Test(arguments: [
        ("", "MISSING_CLIENT_TYPE"), ("&clientType=CLIENT_TYPE_WEB", "MISSING_RECAPTCHA_VERSION"),
        ("&clientType=CLIENT_TYPE_WEB&version=V1", "INVALID_RECAPTCHA_VERSION"),
        ("&clientType=FRIDGE&version=RECAPTCHA_ENTERPRISE", "Invalid value at 'client_type' (TYPE_ENUM)"),
    ])
    func invalidRecaptchaRequestIsRefused(query: String, message: String) async throws {
        let response = try await get("/v2/recaptchaConfig", query).response
        #expect((response.status, response.message) == (400, message))
    }

    private static let strict = """
        {"passwordPolicyConfig":{"passwordPolicyEnforcementState":"ENFORCE","forceUpgradeOnSignin":true,\
        "passwordPolicyVersions":[{"customStrengthOptions":{"minPasswordLength":10,"maxPasswordLength":64,\
        "containsNumericCharacter":true,"containsLowercaseCharacter":false}}]}}
        """

    @Test func passwordPolicyIsReturned() async throws {
        let (response, sent) = try await get("/v2/passwordPolicy", "&tenantId=t", of: Self.strict)
        #expect(sent == Realm(project: ProjectID("demo-latchkey"), tenant: TenantID("t")))
        #expect(
            response.json["customStrengthOptions"]
                == (try json(#"{"minPasswordLength":10,"maxPasswordLength":64,"containsNumericCharacter":true}"#)))
        #expect(response.json["enforcementState"] == .string("ENFORCE"))
        #expect(response.json["forceUpgradeOnSignin"] == .bool(true) && response.json["schemaVersion"] == .integer(1))
        guard case .array(let characters)? = response.json["allowedNonAlphanumericCharacters"] else {
            Issue.record("no characters")
            return
        }
        #expect(characters.contains(.string("~")) && characters.count == 28)
    }

    /// The response also states the minimum that applies without a policy.
    @Test(
        arguments: [
            (true, "{}", 6), (false, "{}", 15), (false, #"{"mfa":{"state":"MANDATORY"}}"#, 8),
            (false, #"{"passwordPolicyConfig":{"passwordPolicyEnforcementState":"ENFORCE"}}"#, 6),
        ] as [(Bool, String, Int64)])
    func minimumPasswordLengthIsReturned(dev: Bool, configuration: String, length: Int64) async throws {
        let response = try await get("/v2/passwordPolicy", of: configuration, dev: dev).response
        #expect(response.json["customStrengthOptions"]?["minPasswordLength"] == .integer(length))
    }

    @Test func requestWithoutAPIKeyIsForbidden() async throws {
        let response = try await GatewayHarness().send(.get, "/v1/projects")
        #expect(response.status == 403)
    }
}

/// The two settings that test tools change (REST 6), and the deletion of all accounts.
@Suite struct EmulatorToolsTests {
    @Test func twoSettingsAreReadAndChanged() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadConfiguration.self) { _ in
            .init(configuration: .init(), revision: 1, projectNumber: "42")
        }
        harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { request in
            .init(configuration: request.configuration, revision: 2, projectNumber: "42")
        }
        let read = try await harness.send(.get, "/emulator/v1/projects/p/config")
        #expect(
            read.json
                == (try json(
                    #"{"signIn":{"allowDuplicateEmails":false},"emailPrivacyConfig":{"enableImprovedEmailPrivacy":true}}"#
                )))
        let changed = try await harness.send(
            .patch, "/emulator/v1/projects/p/config", body: #"{"signIn":{"allowDuplicateEmails":true}}"#)
        #expect(changed.json["signIn"]?["allowDuplicateEmails"] == .bool(true))
        let foreign = try await harness.send(
            .patch, "/emulator/v1/projects/p/config", body: #"{"authorizedDomains":[]}"#)
        #expect(foreign.status == 400)
    }

    @Test(arguments: [("", nil), ("/tenants/t", "t")] as [(String, String?)])
    func allAccountsAreDeletedInBatches(path: String, tenant: String?) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ClearAccounts.self) { [mesh = harness.mesh] _ in
            .init(hasMore: mesh.sent(Identity.ClearAccounts.self).count < 3)
        }
        let response = try await harness.send(.delete, "/emulator/v1/projects/p\(path)/accounts")
        #expect(response.status == 200 && response.json == .object([:]))
        let sent = harness.mesh.sent(Identity.ClearAccounts.self)
        #expect(sent.count == 3 && sent[0].realm.tenant?.rawValue == tenant)
    }
}
