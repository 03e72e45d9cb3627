import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct DeliveryReceiptsTests {
    @Test func twilioReceiptIsForwarded() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Notifier.RecordReceipt.self) { request in
            #expect(
                request
                    == .init(
                        provider: .twilio, target: "/__/notify/receipts/twilio?message=m&a=%2F",
                        contentType: "application/x-www-form-urlencoded", signature: "sig", body: "A=b+c"))
            return .init()
        }
        let response = try await harness.send(
            .post, "/__/notify/receipts/twilio", query: "message=m&a=%2F",
            headers: [
                "X-Twilio-Signature": "sig", "Content-Type": "application/x-www-form-urlencoded",
                "X-Latchkey-Signature": "other",
            ], body: "A=b+c")
        #expect(response.status == 200 && response.text.isEmpty)
        #expect(harness.mesh.count == 1)
    }

    @Test func otherReceiptsAreForwarded() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Notifier.RecordReceipt.self) { request in
            #expect(request.signature == (request.provider == .webhook ? "w" : nil))
            return .init()
        }
        let headers = ["X-Twilio-Signature": "t", "X-Latchkey-Signature": "w"]
        #expect(
            try await harness.send(.get, "/__/notify/receipts/vonage", query: "a=b", headers: headers).status == 200)
        #expect(
            try await harness.send(.post, "/__/notify/receipts/webhook", headers: headers, body: "{}").status == 200)
        #expect(harness.mesh.sent(Notifier.RecordReceipt.self).map(\.target).first == "/__/notify/receipts/vonage?a=b")
    }

    @Test func receiptWithoutValidSignatureIsForbidden() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Notifier.RecordReceipt.self) { _ in throw ServiceError(.invalidRequest) }
        #expect(try await harness.send(.post, "/__/notify/receipts/twilio", body: "x").status == 403)
        harness.mesh.reply(to: Notifier.RecordReceipt.self) { _ in throw ServiceError(.unavailable) }
        #expect(try await harness.send(.post, "/__/notify/receipts/twilio", body: "x").status == 503)
    }

    @Test func invalidReceiptRequestIsRefused() async throws {
        let harness = try GatewayHarness.production()
        let long = String(repeating: "x", count: (16 << 10) + 1)
        #expect(try await harness.send(.post, "/__/notify/receipts/twilio", body: long).status == 413)
        #expect(
            try await harness.send(
                .post, "/__/notify/receipts/twilio",
                headers: ["X-Twilio-Signature": String(repeating: "x", count: 513)],
                body: "x"
            ).status == 413)
        #expect(try await harness.send(.post, "/__/notify/receipts/nobody", body: "x").status == 404)
        #expect(try await harness.send(.put, "/__/notify/receipts/twilio", body: "x").status == 405)
        #expect(harness.mesh.count == 0)
    }

    @Test func deliveriesRequireAdministrator() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Notifier.ListDeliveries.self) { request in
            #expect(request == .init(project: ProjectID("demo-latchkey"), limit: 5))
            return .init(deliveries: [
                .init(
                    messageID: MessageID("m"), realm: Realm(project: ProjectID("demo-latchkey")), channel: .sms,
                    purpose: "phoneSignIn", maskedRecipient: "•••0010",
                    acceptedAt: Moment(milliseconds: 1_795_214_173_806), state: .sent, attempts: 1, problem: nil,
                    finishedAt: nil, provider: "twilio", priceMicros: 7900, currency: "USD", receipt: .delivered)
            ])
        }
        let response = try await harness.admin(.get, "/deliveries", version: "v2", query: "pageSize=5")
        #expect(response.status == 200)
        #expect(
            response.text
                == #"{"deliveries":[{"messageId":"m","channel":"sms","purpose":"phoneSignIn","#
                + #""maskedRecipient":"•••0010","acceptTime":"2026-11-20T22:36:13.806Z","state":"sent","attempts":1,"#
                + #""provider":"twilio","priceMicros":"7900","currencyCode":"USD","receipt":"delivered"}]}"#)
        for size in ["0", "501", "x", "-1"] {
            #expect(
                try await harness.admin(.get, "/deliveries", version: "v2", query: "pageSize=\(size)").status == 400)
        }
        let path = "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey/deliveries"
        #expect(try await harness.send(.get, path).status == 401)
        #expect(try await GatewayHarness.production().send(.get, path).status == 404)
    }
}
