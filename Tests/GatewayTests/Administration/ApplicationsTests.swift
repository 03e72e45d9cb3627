import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ApplicationsTests {
    private static let id = ApplicationID("90983b19f5945d9b49679f2453ec34fa")
    private static let path = "/apps/90983b19f5945d9b49679f2453ec34fa"
    private static let project = ProjectID("demo-latchkey")
    private static let application = Identity.Application(
        id: id, project: project,
        registration: .init(
            displayName: "Shop", kind: .web, redirectURLs: ["https://app.example.com/"],
            origins: ["https://app.example.com"]), apiKey: "the-key",
        createdAt: Moment(milliseconds: 1_700_000_000_000), revision: 3)
    private static let document = """
        {"name":"projects/demo-latchkey/apps/90983b19f5945d9b49679f2453ec34fa",
        "clientId":"90983b19f5945d9b49679f2453ec34fa","displayName":"Shop","kind":"WEB",
        "redirectUris":["https://app.example.com/"],"origins":["https://app.example.com"],"apiKey":"the-key",
        "createTime":"2023-11-14T22:13:20.000Z"}
        """

    @Test func applicationIsCreatedFromBody() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.CreateApplication.self) { request in
            #expect(request.project == Self.project && request.registration == Self.application.registration)
            return Self.application
        }
        let response = try await harness.admin(.post, "/apps", Self.document, version: "v2")
        #expect(response.json == (try json(Self.document)))
    }

    @Test func applicationsAreListedAndRead() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListApplications.self) { _ in .init(applications: [Self.application]) }
        harness.mesh.reply(to: Identity.ReadApplication.self) { _ in Self.application }
        let list = try await harness.admin(.get, "/apps", version: "v2")
        #expect(list.json == (try json(#"{"apps":[\#(Self.document)]}"#)))
        let read = try await harness.admin(.get, Self.path, version: "v2")
        #expect(read.json == (try json(Self.document)))
        harness.mesh.reply(to: Identity.ListApplications.self) { _ in .init(applications: []) }
        #expect(try await harness.admin(.get, "/apps", version: "v2").json == (try json("{}")))
    }

    @Test(arguments: [
        (#"{"colour":"red"}"#, #"Invalid JSON payload received. Unknown name "colour" at 'app': Cannot find field."#),
        (#"{"kind":"FRIDGE"}"#, "Invalid value at 'app.kind' (TYPE_ENUM)"),
        (#"{"redirectUris":"https://a.example/"}"#, "Invalid value at 'app.redirectUris' (TYPE_LIST)"),
        (#"{"displayName":7}"#, "Invalid value at 'app.displayName' (TYPE_STRING)"),
    ])
    func malformedBodyIsRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(.post, "/apps", body, version: "v2")
        #expect((response.status, response.message) == (400, message))
        let patched = try await harness.admin(.patch, Self.path, body, version: "v2")
        #expect((patched.status, patched.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    @Test func applicationNeedsAKind() async throws {
        let harness = try GatewayHarness()
        for body in ["{}", #"{"displayName":"Shop"}"#, #"{"kind":"KIND_UNSPECIFIED"}"#] {
            let response = try await harness.admin(.post, "/apps", body, version: "v2")
            #expect((response.status, response.message) == (400, "INVALID_APPLICATION : kind is missing"))
        }
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [
        (
            #"{"displayName":"Store"}"#, "",
            Identity.ApplicationRegistration(
                displayName: "Store", kind: .web, redirectURLs: ["https://app.example.com/"],
                origins: ["https://app.example.com"])
        ),
        (
            #"{"displayName":"Store","redirectUris":["https://b.example/"]}"#, "updateMask=redirectUris,origins",
            .init(displayName: "Shop", kind: .web, redirectURLs: ["https://b.example/"])
        ),
    ])
    func maskChangesOnlyNamedFields(
        body: String, query: String, expected: Identity.ApplicationRegistration
    ) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadApplication.self) { _ in Self.application }
        harness.mesh.reply(to: Identity.ReplaceApplication.self) { request in
            #expect(request.registration == expected && request.expectedRevision == 3 && request.id == Self.id)
            return Self.application
        }
        let response = try await harness.admin(.patch, Self.path, body, version: "v2", query: query)
        #expect(response.status == 200)
        #expect(harness.mesh.sent(Identity.ReplaceApplication.self).count == 1)
    }

    @Test func conflictWithAnotherAdministratorIsRetried() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ReadApplication.self) { _ in Self.application }
        harness.mesh.reply(to: Identity.ReplaceApplication.self) { [mesh = harness.mesh] _ in
            guard mesh.sent(Identity.ReplaceApplication.self).count > 1 else {
                throw ServiceError(.configurationConflict)
            }
            return Self.application
        }
        let response = try await harness.admin(.patch, Self.path, #"{"displayName":"Store"}"#, version: "v2")
        #expect(response.status == 200)
        #expect(harness.mesh.sent(Identity.ReadApplication.self).count == 2)
    }

    @Test func applicationIsDeleted() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.DeleteApplication.self) { request in
            #expect(request.id == Self.id)
            return .init()
        }
        let response = try await harness.admin(.delete, Self.path, version: "v2")
        #expect(response.json == (try json("{}")))
    }

    @Test func malformedIDIsUnknown() async throws {
        let harness = try GatewayHarness()
        let response = try await harness.admin(.get, "/apps/a%20b", version: "v2")
        #expect((response.status, response.message) == (404, "APPLICATION_NOT_FOUND"))
        #expect(harness.mesh.count == 0)
    }
}
