import Contracts
import FoundationEssentials
import JSON
import Testing
import Vocabulary

@testable import ConfigurationDocuments

/// REST 5.1.
@Suite struct ConfigurationDocumentTests {
    private func patched(
        _ mask: String, _ body: String, _ configuration: ProjectConfiguration = .init()
    ) throws -> ProjectConfiguration {
        try ConfigurationDocument.applying(
            FieldMask(mask), of: ConfigurationDocument.schema.read(json(body), root: "config"), to: configuration)
    }

    private func document(_ configuration: ProjectConfiguration) throws -> JSONValue {
        try ConfigurationDocument.document(.init(configuration: configuration, revision: 1, projectNumber: "42"))
    }

    @Test func documentOmitsPasswords() throws {
        var configuration = ProjectConfiguration()
        var sendEmail = ProjectConfiguration.Notification.SendEmail()
        sendEmail.smtp = .init()
        sendEmail.smtp?.host = "mail.example"
        sendEmail.smtp?.password = "secret"
        configuration.notification = .init()
        configuration.notification?.sendEmail = sendEmail
        let smtp = try document(configuration)["notification"]?["sendEmail"]?["smtp"]
        #expect(try smtp == json(#"{"host":"mail.example"}"#))
    }

    @Test func newProjectHasMinimalDocument() throws {
        #expect(
            try document(.init())
                == json(#"{"name":"projects/42/config","subtype":"IDENTITY_PLATFORM","mfa":{"state":"DISABLED"}}"#))
    }

    /// Every field of the schema reaches the typed configuration and comes back: none is accepted and dropped.
    @Test func everyFieldRoundTrips() throws {
        let body = Self.sample(of: ConfigurationDocument.schema)
        let changed = try ConfigurationDocument.applying(FieldMask(""), of: body, to: .init())
        let stored = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(changed))
        #expect(stored == body)
    }

    /// A document with every writable field.
    private static func sample(of schema: DocumentSchema) -> JSONValue {
        switch schema {
        case .string: .string("text")
        case .boolean: .bool(true)
        case .integer: .integer(3)
        case .number: .number(0.5)
        case .integerText: .string("12")
        case .enumeration(_, let names): .string(names[names.count - 1])
        case .list(let element): .array([sample(of: element)])
        case .map(let element): .object(["key": sample(of: element)])
        case .oneOf(let fields):
            .object(fields.min { $0.key < $1.key }.map { [$0.key: sample(of: $0.value)] } ?? [:])
        case .message(let fields):
            .object(
                fields.reduce(into: [:]) { members, field in
                    if case .output = field.value { return }
                    members[field.key] = sample(of: field.value)
                })
        case .output: .null
        }
    }

    /// The document that the conformance suite sets at its start reads back exactly.
    @Test func baselineRoundTrips() throws {
        let baseline = #"""
            {"signIn":{"email":{"enabled":true,"passwordRequired":false},"anonymous":{"enabled":true},"phoneNumber":{"enabled":true,"testPhoneNumbers":{"+12025550199":"424242"}},"allowDuplicateEmails":false},"mfa":{"state":"ENABLED","enabledProviders":["PHONE_SMS"],"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":5}}]},"emailPrivacyConfig":{"enableImprovedEmailPrivacy":false},"authorizedDomains":["localhost","app.example.com"],"passwordPolicyConfig":{"passwordPolicyEnforcementState":"OFF"},"blockingFunctions":{},"multiTenant":{"allowTenants":true}}
            """#
        let mask =
            "signIn.email,signIn.anonymous,signIn.phoneNumber,signIn.allowDuplicateEmails,mfa,"
            + "emailPrivacyConfig.enableImprovedEmailPrivacy,authorizedDomains,"
            + "passwordPolicyConfig.passwordPolicyEnforcementState,blockingFunctions,multiTenant"
        let seen = try #require(try document(patched(mask, baseline)).members)
        for (name, value) in try #require(json(baseline).members) where name != "emailPrivacyConfig" {
            #expect(seen[name] == value, "\(name)")
        }
        #expect(seen["emailPrivacyConfig"] == .object([:]))
    }

    /// The body, the switch that is stored, and the document.
    @Test(arguments: [
        (#"{"enableImprovedEmailPrivacy":true}"#, true, #"{"enableImprovedEmailPrivacy":true}"#),
        (#"{"enableImprovedEmailPrivacy":false}"#, false, "{}"), ("{}", false, "{}"),
    ])
    func emailPrivacyIsOmittedWhileOff(body: String, isOn: Bool, shown: String) throws {
        let project = try patched("emailPrivacyConfig", #"{"emailPrivacyConfig":\#(body)}"#)
        #expect(project.preventsEmailEnumeration == isOn)
        #expect(try document(project)["emailPrivacyConfig"] == json(shown))
        let tenant = try TenantDocument.applying(
            FieldMask("emailPrivacyConfig"),
            of: TenantDocument.schema.read(json(#"{"emailPrivacyConfig":\#(body)}"#), root: "tenant"), to: .init())
        #expect(ProjectConfiguration().applying(tenant).preventsEmailEnumeration == isOn)
        let shownTenant = try TenantDocument.document(
            .init(id: TenantID("t"), configuration: tenant, revision: 1), of: ProjectID("p"))
        #expect(try shownTenant["emailPrivacyConfig"] == json(shown))
        // What was read can be sent back.
        let again = try ConfigurationDocument.applying(
            FieldMask("*"), of: ConfigurationDocument.schema.read(document(project), root: "config"), to: project)
        #expect(again.emailPrivacyConfig == project.emailPrivacyConfig)
    }

    @Test func emailPrivacyOfEarlierVersionKeepsItsMeaning() throws {
        var stored = ProjectConfiguration()
        stored.emailPrivacyConfig = .init()
        #expect(stored.preventsEmailEnumeration)
        #expect(
            try document(stored)["emailPrivacyConfig"] == json(#"{"enableImprovedEmailPrivacy":true}"#))
        #expect(try patched("mfa.state", "{}", stored).emailPrivacyConfig == .init())
        #expect(try patched("emailPrivacyConfig", "{}", stored).emailPrivacyConfig == nil)
    }

    private static let allowed = #"{"allowlistOnly":{"allowedRegions":["DE"]}}"#
    private static let refused = #"{"allowByDefault":{"disallowedRegions":["AC"]}}"#

    /// Mask, body, and the regions afterwards; before, one region is allowed. As Google's libraries send it, with leaves.
    @Test(arguments: [
        ("smsRegionConfig.allowByDefault.disallowedRegions", refused, refused),
        ("smsRegionConfig.allowByDefault", refused, refused), ("smsRegionConfig", refused, refused),
        ("", refused, refused),
        (
            "smsRegionConfig.allowlistOnly.allowedRegions,smsRegionConfig.allowByDefault.disallowedRegions", refused,
            refused
        ),
        (
            "smsRegionConfig.allowByDefault.disallowedRegions,smsRegionConfig.allowlistOnly.allowedRegions", refused,
            refused
        ),
        ("smsRegionConfig.allowlistOnly.allowedRegions", refused, "{}"),
        ("smsRegionConfig.allowByDefault.disallowedRegions", "{}", allowed),
        ("mfa.state", refused, allowed),
    ])
    func regionsHaveOneMember(mask: String, regions: String, after: String) throws {
        let before = try patched("smsRegionConfig", #"{"smsRegionConfig":\#(Self.allowed)}"#)
        let changed = try patched(mask, #"{"smsRegionConfig":\#(regions)}"#, before)
        #expect(try document(changed)["smsRegionConfig"] == json(after))
    }

    // MARK: The view of passkeys

    private static let relyingParty = #"{"rpId":"example.com","expectedOrigins":["https://example.com"]}"#

    /// Mask, body, and what is set afterwards; before, an ID, an origin and the user verification are set.
    @Test(arguments: [
        (
            "rpId", #"{"rpId":"a.example","expectedOrigins":[]}"#,
            #"{"rpId":"a.example","expectedOrigins":["https://example.com"]}"#
        ),
        (
            "expectedOrigins", #"{"expectedOrigins":["https://b.example"]}"#,
            #"{"rpId":"example.com","expectedOrigins":["https://b.example"]}"#
        ),
        (
            "", #"{"expectedOrigins":["https://b.example"]}"#,
            #"{"rpId":"example.com","expectedOrigins":["https://b.example"]}"#
        ),
        ("rp_id,expected_origins", "{}", "{}"), ("*", #"{"rpId":"a.example"}"#, #"{"rpId":"a.example"}"#),
        ("", "{}", relyingParty), ("", #"{"name":"x"}"#, relyingParty),
    ])
    func passkeyViewChangesTwoSettings(mask: String, body: String, after: String) throws {
        var before = ProjectConfiguration.Passkeys()
        before.relyingPartyId = "example.com"
        before.origins = ["https://example.com"]
        before.userVerification = .preferred
        let changed = try PasskeyDocument.applying(
            FieldMask(mask), of: PasskeyDocument.schema.read(json(body), root: "passkey_config"), to: before)
        var expected = try #require(json(after).members)
        expected["name"] = .string("projects/p/passkeyConfig")
        #expect(PasskeyDocument.document(changed, name: "projects/p/passkeyConfig") == .object(expected))
        #expect(changed.userVerification == .preferred)
    }

    @Test func passkeyViewRequiresExistingFields() throws {
        #expect(throws: DocumentError.self) {
            try PasskeyDocument.applying(FieldMask("relyingPartyId"), of: .object([:]), to: nil)
        }
        #expect(throws: DocumentError.self) {
            try PasskeyDocument.schema.read(json(#"{"rpId":1}"#), root: "passkey_config")
        }
        #expect(PasskeyDocument.document(nil, name: "n") == .object(["name": .string("n")]))
    }

    /// The rows of "TOTP provider rules" that concern the document.
    @Test(arguments: [
        (#"{"state":"ENABLED","totpProviderConfig":{}}"#, #"[{"state":"ENABLED","totpProviderConfig":{}}]"#),
        (
            #"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":10}}"#,
            #"[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":10}}]"#
        ),
        (
            #"{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":0}}"#,
            #"[{"state":"ENABLED","totpProviderConfig":{}}]"#
        ),
        (#"{"state":"ENABLED"}"#, "[]"),
    ])
    func totpProviderReadsBackInServerForm(provider: String, seen: String) throws {
        let configuration = try patched("mfa", #"{"mfa":{"providerConfigs":[\#(provider)]}}"#)
        let mfa = try document(configuration)["mfa"]
        #expect(mfa?["providerConfigs"] == (try json(seen)))
        #expect(mfa?["state"] == .string("DISABLED"))
    }

    @Test func zeroIntervalDiffersFromNone() throws {
        let zero = try patched(
            "mfa", #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":0}}]}}"#)
        #expect(zero.mfa?.providerConfigs?.first?.totpProviderConfig?.adjacentIntervals == 0)
    }

    /// `updateMask=mfa` without a state turns SMS off without an error (REST 5.1, "consequence").
    @Test func parentPathReplacesSubtree() throws {
        var before = ProjectConfiguration()
        before.mfa = .init()
        before.mfa?.state = .enabled
        before.mfa?.enabledProviders = [.phoneSMS]
        let after = try patched("mfa", #"{"mfa":{"providerConfigs":[]}}"#, before)
        #expect(after.mfa?.state == nil && after.mfa?.enabledProviders == nil)
    }

    @Test func apiKeyIsReadOnly() throws {
        var before = ProjectConfiguration()
        before.client = .init()
        before.client?.apiKey = "key"
        let after = try patched(
            "client", #"{"client":{"apiKey":"stolen","permissions":{"disabledUserSignup":true}}}"#, before)
        #expect(after.client?.apiKey == "key")
        #expect(after.client?.permissions?.disabledUserSignup == true)
    }

    @Test func passwordPolicyVersionIsReturned() throws {
        let configuration = try patched(
            "passwordPolicyConfig",
            #"{"passwordPolicyConfig":{"passwordPolicyVersions":[{"schemaVersion":1,"customStrengthOptions":{"minPasswordLength":8}}]}}"#
        )
        #expect(
            try document(configuration)["passwordPolicyConfig"]
                == json(
                    #"{"passwordPolicyVersions":[{"schemaVersion":1,"customStrengthOptions":{"minPasswordLength":8}}]}"#
                ))
    }

    /// A document that was read can be sent back unchanged.
    @Test func documentReadBackIsAccepted() throws {
        let configuration = try patched("", #"{"mfa":{"state":"MANDATORY"},"signIn":{"email":{"enabled":true}}}"#)
        let readBack = try ConfigurationDocument.schema.read(document(configuration), root: "config")
        #expect(try ConfigurationDocument.applying(FieldMask("*"), of: readBack, to: configuration) == configuration)
    }
}
