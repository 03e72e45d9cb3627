import Contracts
import FoundationEssentials
import JSON
import Testing

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
        for (name, value) in try #require(json(baseline).members) { #expect(seen[name] == value, "\(name)") }
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
