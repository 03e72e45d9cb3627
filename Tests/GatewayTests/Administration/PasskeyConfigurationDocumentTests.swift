import ConfigurationDocuments
import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import GatewayService

/// `passkeyConfig` in the documents of projects and tenants (REST 5.1, 5.2).
@Suite struct PasskeyConfigurationDocumentTests {
    private static let settings = #"""
        {"state":"ENABLED","relyingPartyId":"example.com","relyingPartyName":"Shop",\#
        "origins":["https://example.com","https://example.de"],"userVerification":"REQUIRED",\#
        "counterRegression":"REFUSE","attestation":{"conveyance":"DIRECT","requireTrusted":true,\#
        "allowedAaguids":["2fc0579f-8113-47ea-b116-bb5a8db9202a"],"deniedAaguids":[]},\#
        "appleApps":["ABCDE12345.org.example.app"],\#
        "androidApps":[{"packageName":"org.example.app","sha256CertFingerprints":["14:6D"]}],\#
        "enrollUrl":"https://example.com/add","manageUrl":"https://example.com/passkeys"}
        """#

    private func project(_ mask: String, _ body: String, _ before: ProjectConfiguration) throws -> ProjectConfiguration
    {
        try ConfigurationDocument.applying(
            FieldMask(mask), of: ConfigurationDocument.schema.read(json(body), root: "config"), to: before)
    }

    private func tenant(_ mask: String, _ body: String, _ before: TenantConfiguration) throws -> TenantConfiguration {
        try TenantDocument.applying(
            FieldMask(mask), of: TenantDocument.schema.read(json(body), root: "tenant"), to: before)
    }

    @Test func everySettingReadsBack() throws {
        let body = #"{"passkeyConfig":\#(Self.settings)}"#
        let configuration = try project("passkeyConfig", body, .init())
        let reply = Identity.ReadConfiguration.Reply(configuration: configuration, revision: 1, projectNumber: "42")
        #expect(try ConfigurationDocument.document(reply)["passkeyConfig"] == json(Self.settings))
        let changed = try tenant("passkeyConfig", body, .init())
        #expect(changed.passkeyConfig == configuration.passkeyConfig)
    }

    @Test(arguments: [
        (
            "passkeyConfig.origins", #"{"passkeyConfig":{"origins":["https://b.example"],"state":"DISABLED"}}"#,
            #"{"state":"ENABLED","relyingPartyId":"a.example","origins":["https://b.example"]}"#
        ),
        (
            "passkeyConfig.userVerification", #"{"passkeyConfig":{"userVerification":2}}"#,
            #"{"state":"ENABLED","relyingPartyId":"a.example","userVerification":"PREFERRED"}"#
        ),
        (
            "passkey_config.attestation.require_trusted",
            #"{"passkey_config":{"attestation":{"require_trusted":true}}}"#,
            #"{"state":"ENABLED","relyingPartyId":"a.example","attestation":{"requireTrusted":true}}"#
        ),
        // A masked path that the body lacks is cleared.
        ("passkeyConfig.state", "{}", #"{"relyingPartyId":"a.example"}"#),
        ("passkeyConfig", #"{"passkeyConfig":{"state":"DISABLED"}}"#, #"{"state":"DISABLED"}"#),
        ("passkeyConfig", #"{"passkeyConfig":{}}"#, "{}"),
        ("", #"{"passkeyConfig":{"state":"DISABLED"}}"#, #"{"state":"DISABLED","relyingPartyId":"a.example"}"#),
    ])
    func maskChangesOnlyNamedSettings(mask: String, body: String, after: String) throws {
        var passkeys = ProjectConfiguration.Passkeys()
        passkeys.state = .enabled
        passkeys.relyingPartyId = "a.example"
        let expected = try WireJSON.decode(ProjectConfiguration.Passkeys.self, from: Data(after.utf8))
        var configuration = ProjectConfiguration()
        configuration.passkeyConfig = passkeys
        #expect(try project(mask, body, configuration).passkeyConfig == expected)
        var tenantConfiguration = TenantConfiguration()
        tenantConfiguration.passkeyConfig = passkeys
        #expect(try tenant(mask, body, tenantConfiguration).passkeyConfig == expected)
    }

    /// The tenant has the settings of its project again.
    @Test func maskWithoutBodyRemovesSettings() throws {
        var before = TenantConfiguration()
        before.passkeyConfig = .init()
        #expect(try tenant("passkeyConfig", "{}", before).passkeyConfig == nil)
    }

    @Test(arguments: [
        (#"{"state":"SOMETIMES"}"#, "Invalid value at 'config.passkeyConfig.state' (TYPE_ENUM)"),
        (
            #"{"userVerification":"DISCOURAGED"}"#,
            "Invalid value at 'config.passkeyConfig.userVerification' (TYPE_ENUM)"
        ),
        (#"{"origins":"https://example.com"}"#, "Invalid value at 'config.passkeyConfig.origins' (TYPE_LIST)"),
        (#"{"appleApps":[7]}"#, "Invalid value at 'config.passkeyConfig.appleApps[0]' (TYPE_STRING)"),
        (
            #"{"rpId":"example.com"}"#,
            #"Invalid JSON payload received. Unknown name "rpId" at 'config.passkeyConfig': Cannot find field."#
        ),
    ])
    func malformedSettingIsRefused(settings: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(
            .patch, "/config", #"{"passkeyConfig":\#(settings)}"#, version: "v2", query: "updateMask=passkeyConfig")
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }
}
