import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct APNsKeysTests {
    private static let project = ProjectID("demo-latchkey")
    private static let key = Notifier.APNsKey(
        id: APNsKeyID("90983b19f5945d9b49679f2453ec34fa"), project: project, bundleID: "com.example.shop",
        environment: .sandbox, keyID: "ABC123DEFG", teamID: "DEF123GHIJ",
        createdAt: Moment(milliseconds: 1_700_000_000_000))
    private static let document = """
        {"name":"projects/demo-latchkey/apnsKeys/90983b19f5945d9b49679f2453ec34fa","bundleId":"com.example.shop",
        "environment":"SANDBOX","keyId":"ABC123DEFG","teamId":"DEF123GHIJ","createTime":"2023-11-14T22:13:20.000Z"}
        """

    @Test func keyIsAddedAndItsPrivatePartIsNotReturned() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.AddAPNsKey.self) { request in
            #expect(request.project == Self.project && request.bundleID == "com.example.shop")
            return Self.key
        }
        let response = try await harness.admin(
            .post, "/apnsKeys",
            """
            {"bundleId":"com.example.shop","environment":"SANDBOX","keyId":"ABC123DEFG","teamId":"DEF123GHIJ",
            "privateKey":"the-key"}
            """, version: "v2")
        #expect(response.json == (try json(Self.document)))
        let request = try #require(harness.mesh.sent(Notifier.AddAPNsKey.self).first)
        #expect(request.keyID == "ABC123DEFG" && request.teamID == "DEF123GHIJ")
        #expect(request.privateKey.reveal() == "the-key")
        _ = try await harness.admin(.post, "/apnsKeys", #"{"bundleId":"com.example.shop"}"#, version: "v2")
        #expect(harness.mesh.sent(Notifier.AddAPNsKey.self).map(\.environment) == [.sandbox, .both])
    }

    @Test func keysAreListedAndRemoved() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ListAPNsKeys.self) { _ in .init(keys: [Self.key]) }
        harness.mesh.reply(to: Notifier.RemoveAPNsKey.self) { request in
            guard request.id == Self.key.id else { throw ServiceError(.apnsKeyNotFound) }
            return .init()
        }
        let list = try await harness.admin(.get, "/apnsKeys", version: "v2")
        #expect(list.json == (try json(#"{"apnsKeys":[\#(Self.document)]}"#)))
        harness.mesh.reply(to: Notifier.ListAPNsKeys.self) { _ in .init(keys: []) }
        #expect(try await harness.admin(.get, "/apnsKeys", version: "v2").json == (try json("{}")))
        let removed = try await harness.admin(.delete, "/apnsKeys/\(Self.key.id)", version: "v2")
        #expect(removed.json == (try json("{}")))
        let unknown = try await harness.admin(.delete, "/apnsKeys/other", version: "v2")
        #expect((unknown.status, unknown.message) == (404, "APNS_KEY_NOT_FOUND"))
    }
}
