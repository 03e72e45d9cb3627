import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Security rule FE16.
@Suite struct AppleNotificationTests {
    private static let path = "/__/auth/apple/notifications"

    private func response(
        _ body: String, query: String? = "key=fake-api-key", error: ServiceError? = nil
    ) async throws -> (harness: GatewayHarness, status: Int, message: String?) {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.ReceiveAppleNotification.self) { _ in
            if let error { throw error }
            return EmptyReply()
        }
        let response = try await harness.send(.post, Self.path, query: query, body: body)
        return (harness, response.status, response.message)
    }

    @Test(arguments: [("key=fake-api-key", nil), ("key=fake-api-key&tid=t1", TenantID("t1"))])
    func notificationGoesToFederation(query: String, tenant: TenantID?) async throws {
        let (harness, status, _) = try await response(#"{"payload":"j"}"#, query: query)
        #expect(status == 200)
        let sent = harness.mesh.sent(Federation.ReceiveAppleNotification.self)
        #expect(sent.count == 1 && sent.first?.payload.reveal() == "j")
        #expect(sent.first?.realm == Realm(project: ProjectID("demo-latchkey"), tenant: tenant))
        #expect(sent.first?.client.ipAddress != nil)
    }

    @Test(arguments: ["{}", "", #"{"payload":""}"#, #"{"payload":null}"#, #"{"payload":7}"#, "[]", "payload=j"])
    func malformedBodyIsRefused(body: String) async throws {
        let (harness, status, _) = try await response(body)
        #expect(status == 400)
        #expect(harness.mesh.sent(Federation.ReceiveAppleNotification.self).isEmpty)
    }

    @Test func payloadLengthIsBounded() async throws {
        let maximum = Federation.ReceiveAppleNotification.maximumPayloadBytes
        for (length, expected) in [(maximum, 200), (maximum + 1, 400)] {
            let payload = String(repeating: "a", count: length)
            let (_, status, _) = try await response(#"{"payload":"\#(payload)"}"#)
            #expect(status == expected)
        }
    }

    @Test func keyIsRequired() async throws {
        let (harness, status, _) = try await response(#"{"payload":"j"}"#, query: nil)
        #expect(status == 403)
        #expect(harness.mesh.sent(Federation.ReceiveAppleNotification.self).isEmpty)
    }

    @Test(arguments: [
        (ServiceError(.invalidProviderResponse, "x"), 400, "INVALID_IDP_RESPONSE : x"),
        (ServiceError(.providerNotFound), 400, "OPERATION_NOT_ALLOWED"),
        (ServiceError(.unavailable), 503, ""),
    ])
    func errorsOfFederationAreReported(error: ServiceError, expected: Int, message: String) async throws {
        let (_, status, text) = try await response(#"{"payload":"j"}"#, error: error)
        #expect(status == expected && text?.hasPrefix(message) == true)
    }
}
