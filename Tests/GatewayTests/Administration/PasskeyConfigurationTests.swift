import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// `passkeyConfig` as a resource, which Google's libraries read and change (REST 5.4).
@Suite struct PasskeyConfigurationTests {
    private static func stored(_ json: String) throws -> ProjectConfiguration.Passkeys {
        try WireJSON.decode(ProjectConfiguration.Passkeys.self, from: Data(json.utf8))
    }

    private static func harness(_ stored: String) throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.passkeyConfig = try Self.stored(stored)
            return .init(configuration: configuration, revision: 3, projectNumber: "42")
        }
        harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { request in
            .init(configuration: request.configuration, revision: 4, projectNumber: "42")
        }
        harness.mesh.reply(to: Identity.ReadTenant.self) { request in
            var configuration = TenantConfiguration()
            configuration.passkeyConfig = try Self.stored(stored)
            return .init(id: request.tenant, configuration: configuration, revision: 3)
        }
        harness.mesh.reply(to: Identity.ReplaceTenant.self) { request in
            .init(id: request.tenant, configuration: request.configuration, revision: 4)
        }
        return harness
    }

    @Test(arguments: ["", "/tenants/t1"], ["v2", "admin/v2"])
    func relyingPartyIsRead(realm: String, version: String) async throws {
        let harness = try Self.harness(
            #"{"relyingPartyId":"example.com","origins":["https://example.com"],"state":"ENABLED"}"#)
        let response = try await harness.admin(.get, "\(realm)/passkeyConfig", version: version)
        #expect(
            try response.json
                == json(
                    #"""
                    {"name":"projects/demo-latchkey\#(realm)/passkeyConfig","rpId":"example.com",
                    "expectedOrigins":["https://example.com"]}
                    """#))
    }

    @Test(arguments: ["", "/tenants/t1"]) func namedFieldsAreChanged(realm: String) async throws {
        let harness = try Self.harness(#"{"relyingPartyId":"example.com","userVerification":"PREFERRED"}"#)
        let response = try await harness.admin(
            .patch, "\(realm)/passkeyConfig", #"{"rpId":"other.example","expectedOrigins":["https://example.com"]}"#,
            version: "v2", query: "updateMask=expectedOrigins")
        #expect(
            try response.json
                == json(
                    #"""
                    {"name":"projects/demo-latchkey\#(realm)/passkeyConfig","rpId":"example.com",
                    "expectedOrigins":["https://example.com"]}
                    """#))
        let expected = try Self.stored(
            #"{"relyingPartyId":"example.com","origins":["https://example.com"],"userVerification":"PREFERRED"}"#)
        if realm.isEmpty {
            let sent = try #require(harness.mesh.sent(Identity.ReplaceConfiguration.self).first)
            #expect(sent.configuration.passkeyConfig == expected && sent.expectedRevision == 3)
        } else {
            let sent = try #require(harness.mesh.sent(Identity.ReplaceTenant.self).first)
            #expect(sent.configuration.passkeyConfig == expected && sent.expectedRevision == 3)
        }
    }

    @Test(arguments: [
        (
            #"{"rpID":"x"}"#,
            #"Invalid JSON payload received. Unknown name "rpID" at 'passkey_config': Cannot find field."#
        ),
        (#"{"rpId":1}"#, "Invalid value at 'passkey_config.rpId' (TYPE_STRING)"),
        (#"{"expectedOrigins":"x"}"#, "Invalid value at 'passkey_config.expectedOrigins' (TYPE_LIST)"),
    ])
    func invalidBodyIsRefused(body: String, message: String) async throws {
        let harness = try Self.harness("{}")
        let response = try await harness.admin(.patch, "/passkeyConfig", body, version: "v2")
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }
}
