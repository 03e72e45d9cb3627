import Contracts
import Crypto
import Delivery
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

private let now = Moment(milliseconds: 1_700_000_000_000)

private let receipts = DeliveryReceiptVerifier(
    publicURL: "https://auth.example.com", twilioAuthToken: Secret("12345"), vonageSignatureSecret: Secret("vsecret"),
    webhookSecret: Secret("wsecret"))

/// Receipts signed as each provider signs them.
enum SignedReceipt {
    static func twilio(_ id: String, _ status: String, to: String = "+15005550010") -> Notifier.RecordReceipt {
        let target = "/__/notify/receipts/twilio?message=\(id)"
        let form = [("MessageSid", "SM1"), ("MessageStatus", status), ("To", to), ("ErrorCode", "")]
        return .init(
            provider: .twilio, target: target, contentType: "application/x-www-form-urlencoded",
            signature: DeliveryReceiptVerifier.twilioSignature(
                of: form.map { (name: $0.0, value: $0.1) }, to: "https://auth.example.com" + target, by: Secret("12345")
            ),
            body: String(decoding: FormEncoding.encoded(form.map { (name: $0.0, value: $0.1) }), as: UTF8.self))
    }

    private static func vonageFields(_ id: String, _ status: String) -> [(name: String, value: String)] {
        let fields = [
            ("client-ref", id), ("err-code", "0"), ("message-timestamp", "2026-11-20 12:00:00"),
            ("messageId", "0A=&B"), ("msisdn", "15005550010"), ("price", "0.03330000"), ("status", status),
            ("timestamp", "1700000000"), ("to", "Demo"),
        ]
        let signed = fields.map { "&\($0)=" + $1.replacing("&", with: "_").replacing("=", with: "_") }.joined()
        let mac = HMAC.sha256(key: Array("vsecret".utf8), message: Array(signed.utf8))
        return (fields + [("sig", mac.hexadecimal.uppercased())]).map { (name: $0.0, value: $0.1) }
    }

    static func vonageQuery(_ id: String, _ status: String) -> Notifier.RecordReceipt {
        let query = String(decoding: FormEncoding.encoded(vonageFields(id, status)), as: UTF8.self)
        return .init(provider: .vonage, target: "/__/notify/receipts/vonage?" + query, body: "")
    }

    static func vonageJSON(_ id: String, _ status: String) throws -> Notifier.RecordReceipt {
        let fields = Dictionary(vonageFields(id, status).map { ($0.name, $0.value) }) { first, _ in first }
        return .init(
            provider: .vonage, target: "/__/notify/receipts/vonage", contentType: "application/json; charset=utf-8",
            body: String(decoding: try JSONEncoder().encode(fields), as: UTF8.self))
    }

    static func webhook(_ id: String, _ status: String) -> Notifier.RecordReceipt {
        let body = #"{"id":"\#(id)","status":"\#(status)","priceMicros":9000,"currency":"CHF"}"#
        return .init(
            provider: .webhook, target: "/__/notify/receipts/webhook", contentType: "application/json",
            signature: WebhookSignature.header(Array(body.utf8), secret: "wsecret", at: now.timestamp.seconds),
            body: body)
    }
}

@Suite struct DeliveryReceiptTests {
    /// The example of Twilio's own libraries.
    @Test func twilioSignatureMatchesPublishedExample() {
        let form = [
            ("CallSid", "CA1234567890ABCDE"), ("Caller", "+14158675309"), ("Digits", "1234"), ("From", "+14158675309"),
            ("To", "+18005551212"),
        ]
        #expect(
            DeliveryReceiptVerifier.twilioSignature(
                of: form.map { (name: $0.0, value: $0.1) }, to: "https://mycompany.com/myapp.php?foo=1&bar=2",
                by: Secret("12345")) == "RSOYDt4T1cUTdK1PDd93/VVr8B8=")
    }

    @Test(
        arguments: [
            ("delivered", .delivered), ("read", .delivered), ("undelivered", .undelivered), ("failed", .undelivered),
            ("sent", nil), ("queued", nil), ("something new", nil),
        ] as [(String, Notifier.DeliveryRecord.Receipt?)])
    func twilioReceiptIsParsed(status: String, receipt: Notifier.DeliveryRecord.Receipt?) throws {
        let statement = try receipts.verify(SignedReceipt.twilio("m1", status), at: now)
        #expect(statement == .init(message: MessageID("m1"), provider: "twilio", receipt: receipt))
    }

    @Test func twilioReceiptForWhatsAppNamesWhatsApp() throws {
        let request = SignedReceipt.twilio("m1", "delivered", to: "whatsapp:+15005550010")
        #expect(try receipts.verify(request, at: now).provider == "whatsapp")
    }

    @Test func vonageReceiptIsParsed() throws {
        let price = ProviderAcceptance.Price(micros: 33_300, currency: "EUR")
        for (status, receipt) in [
            ("delivered", Notifier.DeliveryRecord.Receipt.delivered), ("expired", .undelivered),
            ("rejected", .undelivered), ("accepted", nil), ("buffered", nil),
        ] {
            let expected = DeliveryReceiptVerifier.Receipt(
                message: MessageID("m1"), provider: "vonage", receipt: receipt, price: price)
            #expect(try receipts.verify(SignedReceipt.vonageQuery("m1", status), at: now) == expected)
            #expect(try receipts.verify(SignedReceipt.vonageJSON("m1", status), at: now) == expected)
        }
    }

    @Test func webhookReceiptIsParsedUntilTooOld() throws {
        #expect(
            try receipts.verify(SignedReceipt.webhook("m1", "delivered"), at: now)
                == .init(
                    message: MessageID("m1"), provider: "webhook", receipt: .delivered,
                    price: .init(micros: 9000, currency: "CHF")))
        #expect(throws: ServiceError.self) {
            try receipts.verify(SignedReceipt.webhook("m1", "delivered"), at: now + .seconds(301))
        }
    }

    /// One flipped bit in every signed field.
    @Test func modifiedReceiptIsRejected() throws {
        var originals = [
            SignedReceipt.twilio("m1", "delivered"), SignedReceipt.vonageQuery("m1", "delivered"),
            SignedReceipt.webhook("m1", "delivered"),
        ]
        originals.append(try SignedReceipt.vonageJSON("m1", "delivered"))
        func flipped(_ text: String) -> [String] {
            // The lowest bit: the result is still text.
            text.utf8.indices.map { index in
                var bytes = Array(text.utf8)
                bytes[text.utf8.distance(from: text.startIndex, to: index)] ^= 1
                return String(decoding: bytes, as: UTF8.self)
            }
        }
        for original in originals {
            let truth = try receipts.verify(original, at: now)
            for body in flipped(original.body) {
                var changed = original
                changed.body = body
                // A change of an unsigned part, such as the case of hexadecimal digits, changes nothing else.
                let statement = try? receipts.verify(changed, at: now)
                #expect(statement == nil || (original.provider == .vonage && statement == truth), "\(body)")
            }
            for signature in original.signature.map(flipped) ?? [] {
                var changed = original
                changed.signature = signature
                #expect(throws: ServiceError.self) { try receipts.verify(changed, at: now) }
            }
        }
        var elsewhere = originals[0]
        elsewhere.target = elsewhere.target.replacing("m1", with: "m2")
        #expect(throws: ServiceError.self) { try receipts.verify(elsewhere, at: now) }
        var unsigned = originals[0]
        unsigned.signature = nil
        #expect(throws: ServiceError.self) { try receipts.verify(unsigned, at: now) }
    }

    @Test func receiptIsRejectedWithoutSecret() throws {
        let none = DeliveryReceiptVerifier()
        for request in [
            SignedReceipt.twilio("m1", "delivered"), SignedReceipt.vonageQuery("m1", "delivered"),
            SignedReceipt.webhook("m1", "delivered"),
            .init(provider: .twilio, target: "/", body: ""),
        ] {
            #expect(throws: ServiceError.self) { try none.verify(request, at: now) }
        }
    }
}

/// How receipts change the delivery history.
@Suite struct RecordedReceiptTests {
    private func send(_ fixture: NotifierFixture) async throws -> String {
        try await fixture.send(sampleSMS()).messageID.rawValue
    }

    private func lease(_ fixture: NotifierFixture) async throws -> LeasedMessage {
        let leased = try await fixture.store.acquireLeases(
            .sms, upTo: 1, to: "n", for: .seconds(60), after: nil, at: fixture.clock.now
        ).leased
        return try #require(leased.first)
    }

    @Test(arguments: StoreEngine.allCases)
    func receiptIsRecordedInHistory(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let service = fixture.service(receipts: receipts)
        let id = try await send(fixture)
        _ = try await fixture.store.recordOutcome(
            lease(fixture).message, .sent(ProviderAcceptance(provider: "twilio")), at: fixture.clock.now, jitter: 0)
        #expect(try await fixture.deliveries().first?.receipt == nil)
        for (status, receipt) in [
            ("sent", nil), ("undelivered", Notifier.DeliveryRecord.Receipt.undelivered), ("delivered", .delivered),
            // Late and repeated receipts.
            ("undelivered", .delivered), ("sent", .delivered), ("delivered", .delivered),
        ] {
            _ = try await fixture.send(SignedReceipt.twilio(id, status), of: service)
            #expect(try await fixture.deliveries().first?.receipt == receipt)
        }
    }

    /// The response to the call was lost, and the receipt states that the provider accepted the message: it is not sent
    /// again.
    @Test(arguments: StoreEngine.allCases)
    func receiptResolvesUncertainDelivery(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let service = fixture.service(receipts: receipts)
        let id = try await send(fixture)
        let leased = try await lease(fixture)
        _ = try await fixture.store.recordOutcome(
            leased.message,
            .uncertain(UncertainDelivery(provider: "vonage", problem: DeliveryFailure(.timedOut), pause: .seconds(60))),
            at: fixture.clock.now, jitter: 0)
        let doubtful = try #require(try await fixture.deliveries().first)
        #expect((doubtful.state, doubtful.provider, doubtful.problem) == (.pending, "vonage", "timedOut"))
        _ = try await fixture.send(SignedReceipt.vonageQuery(id, "accepted"), of: service)
        let record = try #require(try await fixture.deliveries().first)
        #expect((record.state, record.provider, record.problem) == (.sent, "vonage", nil))
        #expect((record.priceMicros, record.currency, record.receipt) == (33_300, "EUR", nil))
        #expect(try await fixture.store.queueDepth(.sms).count == 0)
    }

    /// A provider can send its receipt before its response.
    @Test(arguments: StoreEngine.allCases)
    func receiptCanArriveBeforeResponse(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let service = fixture.service(receipts: receipts)
        let id = try await send(fixture)
        let leased = try await lease(fixture)
        _ = try await fixture.send(SignedReceipt.twilio(id, "delivered"), of: service)
        let price = ProviderAcceptance.Price(micros: 7900, currency: "USD")
        let settled = try await fixture.store.recordOutcome(
            leased.message, .sent(ProviderAcceptance(provider: "twilio", price: price)), at: fixture.clock.now,
            jitter: 0)
        #expect(settled == nil)
        let record = try #require(try await fixture.deliveries().first)
        #expect((record.state, record.receipt, record.priceMicros) == (.sent, .delivered, 7900))
    }

    @Test func receiptForOtherChannelIsIgnored() async throws {
        let fixture = try await NotifierFixture()
        let service = fixture.service(receipts: receipts)
        let email = try await fixture.send(sampleEmail()).messageID.rawValue
        _ = try await fixture.send(SignedReceipt.twilio(email, "delivered"), of: service)
        _ = try await fixture.send(SignedReceipt.twilio("nobody", "delivered"), of: service)
        let record = try #require(try await fixture.deliveries().first)
        #expect((record.state, record.receipt, record.provider) == (.pending, nil, nil))
        await #expect(throws: ServiceError.channelNotConfigured(.sms)) {
            try await fixture.send(SignedReceipt.twilio(email, "delivered"))
        }
    }
}
