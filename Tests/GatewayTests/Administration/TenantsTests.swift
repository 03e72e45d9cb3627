import ConfigurationDocuments
import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 5.2 as requests.
@Suite struct TenantsTests {
    private static func made(_ id: String = "acme-x1y2z", revision: Int64 = 1, _ json: String = "{}") throws
        -> Identity.Tenant
    {
        Identity.Tenant(
            id: TenantID(id),
            configuration: try WireJSON.decode(TenantConfiguration.self, from: Data(json.utf8)), revision: revision)
    }

    @Test(arguments: ["v2", "admin/v2"]) func tenantIsCreatedFromBody(version: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CreateTenant.self) { request in
            Identity.Tenant(id: TenantID("acme-x1y2z"), configuration: request.configuration, revision: 1)
        }
        let response = try await harness.admin(
            .post, "/tenants",
            #"{"display_name":"Acme","allowPasswordSignup":true,"type":"FULL_SERVICE","name":"ignored","mfaConfig":{"state":1}}"#,
            version: version)
        #expect(
            response.json
                == (try json(
                    #"{"name":"projects/demo-latchkey/tenants/acme-x1y2z","tenantId":"acme-x1y2z","displayName":"Acme","allowPasswordSignup":true,"mfaConfig":{"state":"DISABLED"}}"#
                )))
    }

    @Test(arguments: [
        (#"{"type":"GALACTIC"}"#, "INVALID_TENANT_TYPE"), (#"{"type":7}"#, "INVALID_TENANT_TYPE"),
        (
            #"{"colour":"red"}"#,
            #"Invalid JSON payload received. Unknown name "colour" at 'tenant': Cannot find field."#
        ),
        (#"{"disableAuth":"yes"}"#, "Invalid value at 'tenant.disableAuth' (TYPE_BOOL)"),
        (#"{"mfaConfig":{"state":"SOMETIMES"}}"#, "Invalid value at 'tenant.mfaConfig.state' (TYPE_ENUM)"),
    ])
    func invalidTenantIsRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(.post, "/tenants", body, version: "v2")
        #expect((response.status, response.message) == (400, message))
        let patched = try await harness.admin(
            .patch, "/tenants/t", body, version: "v2", query: "updateMask=displayName")
        #expect((patched.status, patched.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    @Test func maskChangesOnlyNamedFields() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadTenant.self) { _ in
            try Self.made(revision: 7, #"{"displayName":"Acme","allowPasswordSignup":true,"disableAuth":true}"#)
        }
        harness.mesh.reply(to: Identity.ReplaceTenant.self) { request in
            Identity.Tenant(
                id: request.tenant, configuration: request.configuration, revision: request.expectedRevision + 1)
        }
        let response = try await harness.admin(
            .patch, "/tenants/acme-x1y2z", #"{"allowPasswordSignup":false,"displayName":"Ignored"}"#, version: "v2",
            query: "updateMask=allowPasswordSignup,disable_auth")
        #expect(
            response.json
                == (try json(
                    #"{"name":"projects/demo-latchkey/tenants/acme-x1y2z","tenantId":"acme-x1y2z","displayName":"Acme","allowPasswordSignup":false}"#
                )))
        #expect(harness.mesh.sent(Identity.ReplaceTenant.self).map(\.expectedRevision) == [7])
    }

    @Test func tenantsAreListedInPages() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListTenants.self) { request in
            .init(tenants: [try Self.made("b-\(request.limit)")], hasMore: request.after == nil)
        }
        let first = try await harness.admin(.get, "/tenants", version: "v2")
        guard case .string(let token)? = first.json["nextPageToken"] else {
            Issue.record("no next page")
            return
        }
        let last = try await harness.admin(.get, "/tenants", version: "v2", query: "pageSize=5000&pageToken=\(token)")
        #expect(
            last.json
                == (try json(#"{"tenants":[{"name":"projects/demo-latchkey/tenants/b-1000","tenantId":"b-1000"}]}"#)))
        #expect(harness.mesh.sent(Identity.ListTenants.self).map(\.after) == [nil, TenantID("b-20")])
    }

    /// As in production, a full page has a token even if it is the last.
    @Test(arguments: [(1, true), (2, false)]) func fullPageHasToken(size: Int, hasToken: Bool) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListTenants.self) { _ in
            .init(tenants: [try Self.made()], hasMore: false)
        }
        let page = try await harness.admin(.get, "/tenants", version: "v2", query: "pageSize=\(size)")
        #expect((page.json["nextPageToken"] != nil) == hasToken)
    }

    /// The field of the Firebase emulator.
    @Test func onlyDevModeRepeatsTheID() throws {
        let tenant = try Self.made()
        let production = try TenantDocument.document(tenant, of: ProjectID("p"))
        #expect(production["tenantId"] == nil)
        #expect(
            try TenantDocument.document(tenant, of: ProjectID("p"), includesID: true)["tenantId"]
                == .string("acme-x1y2z"))
    }

    @Test func emptyListOmitsMembers() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListTenants.self) { _ in .init(tenants: [], hasMore: false) }
        #expect(try await harness.admin(.get, "/tenants", version: "v2").json == .object([:]))
    }

    @Test(arguments: [
        ("pageToken=%25", "INVALID_PAGE_SELECTION"), ("pageToken=a", "INVALID_PAGE_SELECTION"),
        ("pageSize=many", "Invalid value at 'page_size' (TYPE_INT32)"),
        ("pageSize=-1", "Invalid value at 'page_size' (TYPE_INT32)"),
    ])
    func invalidPageIsRefused(query: String, message: String) async throws {
        let response = try await GatewayHarness().admin(.get, "/tenants", version: "v2", query: query)
        #expect((response.status, response.message) == (400, message))
    }

    @Test func deletionReturnsEmptyObject() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.DeleteTenant.self) { _ in EmptyReply() }
        let response = try await harness.admin(.delete, "/tenants/t", "{}", version: "v2")
        #expect(response.status == 200 && response.json == .object([:]))
    }

    @Test func phoneSignInIsUnsupportedInTenants() async throws {
        let response = try await GatewayHarness().client(
            "v1/accounts:sendVerificationCode", #"{"phoneNumber":"+12025550180","tenantId":"t"}"#)
        #expect((response.status, response.message) == (400, "UNSUPPORTED_TENANT_OPERATION"))
    }
}
