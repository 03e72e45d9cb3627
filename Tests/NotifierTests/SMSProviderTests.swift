import Contracts
import Foundation
import TestSupport
import Testing
import Vocabulary

@testable import HTTPClient
@testable import NotifierService

private func response(_ status: Int, _ body: String = "") -> HTTPClientResponse {
    HTTPClientResponse(status: status, headers: [], body: Data(body.utf8))
}

private func words(_ outcome: SMSProviderOutcome) -> String {
    switch outcome {
    case .sent(let price): price.map { "taken \($0.micros) \($0.currency)" } ?? "taken"
    case .rejected(let problem), .unroutable(let problem), .throttled(let problem), .unavailable(let problem),
        .uncertain(let problem):
        "\(outcome.metricLabel) \(problem.text)"
    }
}

func outgoing(_ request: Notifier.SendSMS, id: String = "0123") -> OutgoingSMS {
    OutgoingSMS(
        OutboxMessage.accepted(
            MessageID(id), .sms(request), suppressedFor: nil, at: Moment(milliseconds: 1_700_000_000_000)), request)
}

@Suite struct TwilioProviderTests {
    private func provider(
        _ service: TwilioProvider.Service = .sms, from: String = "+15005550006", content: String? = nil
    ) -> TwilioProvider {
        TwilioProvider(
            settings: .init(
                baseURL: "https://api.twilio.com", accountSID: "AC1", authToken: Secret("token"), from: from,
                whatsAppContentSID: content), service: service,
            callback: { "https://a.example/__/notify/receipts/twilio?message=\($0.rawValue)" }, client: HTTPClient(),
            callTimeout: .seconds(1))
    }

    @Test func requestHasDocumentedFormat() throws {
        let request = provider().request(outgoing(try sampleSMS()))
        #expect(request.url == "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json")
        #expect(request.method == .post)
        #expect(request.headers.first { $0.name == "Authorization" }?.value == "Basic QUMxOnRva2Vu")
        #expect(request.headers.first { $0.name == "I-Twilio-Idempotency-Token" }?.value == "0123")
        #expect(
            String(decoding: try #require(request.body), as: UTF8.self)
                == "To=%2B15005550010&From=%2B15005550006&Body=Demo%3A%20123456%20is%20your%20code.%20Do%20not%20share"
                + "%20it.&ValidityPeriod=300&StatusCallback=https%3A%2F%2Fa.example%2F__%2Fnotify%2Freceipts%2Ftwilio"
                + "%3Fmessage%3D0123")
    }

    @Test func requestNamesMessagingService() throws {
        let service = "MG" + String(repeating: "0", count: 32)
        let form = try #require(provider(from: service).request(outgoing(try sampleSMS())).body)
        #expect(String(decoding: form, as: UTF8.self).contains("&MessagingServiceSid=\(service)&"))
    }

    @Test func requestAddressesWhatsApp() throws {
        let form = try #require(
            provider(.whatsApp(from: "+14155238886")).request(outgoing(try sampleSMS())).body)
        #expect(
            String(decoding: form, as: UTF8.self).hasPrefix(
                "To=whatsapp%3A%2B15005550010&From=whatsapp%3A%2B14155238886&Body=Demo"))
        let template = try #require(
            provider(.whatsApp(from: "+14155238886"), content: "HX1").request(outgoing(try sampleSMS())).body)
        #expect(
            String(decoding: template, as: UTF8.self).contains(
                "&ContentSid=HX1&ContentVariables=%7B%221%22%3A%22123456%22%7D&"))
    }

    @Test(
        arguments: [
            (201, #"{"sid":"SM1","price":null,"price_unit":"USD"}"#, "taken"),
            (201, #"{"sid":"SM1","price":"-0.00750","price_unit":"USD"}"#, "taken 7500 USD"),
            (200, "<html>", "uncertain other 200"), (201, "{}", "uncertain other 201"),
            (400, #"{"code":21211,"message":"…","status":400}"#, "rejected recipientRefused 21211"),
            (400, #"{"code":21614}"#, "rejected recipientRefused 21614"),
            (400, #"{"code":21610}"#, "rejected recipientRefused 21610"),
            (400, #"{"code":21408}"#, "unroutable unroutable 21408"),
            (400, #"{"code":21606}"#, "unavailable senderRefused 21606"),
            (400, #"{"code":21617}"#, "rejected contentRefused 21617"),
            (400, #"{"code":99999}"#, "unroutable serverRefused 99999"), (400, "x", "unroutable serverRefused 400"),
            (401, #"{"code":20003}"#, "unavailable authentication 20003"), (403, "", "unavailable authentication 403"),
            (404, #"{"code":20404}"#, "unavailable serverRefused 404"),
            (429, #"{"code":20429}"#, "throttled deferred 20429"),
            (429, "", "throttled deferred 429"), (500, "oops", "unavailable serverRefused 500"),
            (503, "", "unavailable serverRefused 503"), (504, "", "uncertain timedOut 504"),
            (302, "", "unavailable serverRefused 302"),
        ])
    func responseDeterminesOutcome(status: Int, body: String, meaning: String) {
        #expect(words(TwilioProvider.outcome(response(status, body))) == meaning)
    }

    @Test(
        arguments: [
            (HTTPClientError.cannotConnect, "unavailable unreachable"), (.cannotResolve, "unavailable unreachable"),
            (.tls("x"), "unavailable tls"), (.timedOut, "uncertain timedOut"),
            (.other(code: 52, "x"), "uncertain connectionLost 52"), (.tooLarge, "uncertain other"),
            (.overloaded, "throttled interrupted"), (.cancelled, "throttled interrupted"),
            (.invalidRequest, "unavailable other"),
        ] as [(HTTPClientError, String)])
    func connectionErrorDeterminesOutcome(error: HTTPClientError, meaning: String) {
        #expect(words(SMSProviderOutcome(error)) == meaning)
    }
}

@Suite struct VonageProviderTests {
    @Test func requestHasDocumentedFormat() throws {
        let provider = VonageProvider(
            settings: .init(
                baseURL: "https://rest.nexmo.com", apiKey: "key", apiSecret: Secret("s&"), from: "Demo"),
            callback: "https://a.example/r", client: HTTPClient(), callTimeout: .seconds(1))
        let request = provider.request(outgoing(try sampleSMS()))
        #expect(request.url == "https://rest.nexmo.com/sms/json")
        let form = String(decoding: try #require(request.body), as: UTF8.self)
        #expect(form.hasPrefix("api_key=key&api_secret=s%26&from=Demo&to=15005550010&text=Demo%3A"))
        #expect(form.hasSuffix("&type=text&client-ref=0123&ttl=300000&callback=https%3A%2F%2Fa.example%2Fr"))
        var japanese = try sampleSMS()
        japanese.locale = "ja"
        let other = String(decoding: try #require(provider.request(outgoing(japanese)).body), as: UTF8.self)
        #expect(other.contains("&type=unicode&"))
    }

    @Test(
        arguments: [
            (200, #"{"messages":[{"status":"0","message-price":"0.03330000"}]}"#, "taken 33300 EUR"),
            (
                200, #"{"messages":[{"status":"0","message-price":"0.03"},{"status":"0","message-price":"0.03"}]}"#,
                "taken 60000 EUR"
            ),
            (200, #"{"messages":[{"status":"0"}]}"#, "taken"),
            (200, #"{"messages":[{"status":"1"}]}"#, "throttled deferred 1"),
            (200, #"{"messages":[{"status":"3"}]}"#, "unroutable unroutable 3"),
            (200, #"{"messages":[{"status":"4"}]}"#, "unavailable authentication 4"),
            (200, #"{"messages":[{"status":"5"}]}"#, "unavailable serverRefused 5"),
            (200, #"{"messages":[{"status":"6"}]}"#, "unroutable unroutable 6"),
            (200, #"{"messages":[{"status":"7"}]}"#, "rejected recipientRefused 7"),
            (200, #"{"messages":[{"status":"9"}]}"#, "unavailable serverRefused 9"),
            (200, #"{"messages":[{"status":"15"}]}"#, "unavailable senderRefused 15"),
            (200, #"{"messages":[{"status":"x"}]}"#, "unavailable serverRefused -1"),
            (200, #"{"messages":[]}"#, "uncertain other 200"), (200, "garbage", "uncertain other 200"),
            (401, "", "unavailable authentication 401"), (429, "", "throttled deferred 429"),
            (503, "", "unavailable serverRefused 503"),
        ])
    func responseDeterminesOutcome(status: Int, body: String, meaning: String) {
        #expect(words(VonageProvider.outcome(response(status, body))) == meaning)
    }
}

@Suite struct WebhookProviderTests {
    private let now = Moment(milliseconds: 1_700_000_000_999)

    @Test func requestHasDocumentedFormat() throws {
        let provider = WebhookProvider(
            settings: .init(url: "https://e.x/send", secret: Secret("secret")), callback: nil, client: HTTPClient(),
            callTimeout: .seconds(1), now: { [now] in now })
        let request = try provider.request(outgoing(try sampleSMS()))
        let body = try #require(request.body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"id":"0123","project":"p","purpose":"secondFactorSignIn","region":"US","#
                + #""text":"Demo: 123456 is your code. Do not share it.","to":"+15005550010"}"#)
        #expect(request.headers.first { $0.name == "Idempotency-Key" }?.value == "0123")
        let signature = try #require(request.headers.first { $0.name == "X-Latchkey-Signature" }?.value)
        #expect(signature.hasPrefix("t=1700000000,v1="))
        #expect(WebhookSignature.isGood(signature, of: Array(body), secret: "secret", at: now))
    }

    /// Computed with Python's hmac: HMAC-SHA256("secret", "1700000000.{}").
    @Test func signatureMatchesPythonImplementation() {
        #expect(
            WebhookSignature.header(Array("{}".utf8), secret: "secret", at: 1_700_000_000)
                == "t=1700000000,v1=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163")
    }

    @Test func signatureIsBoundToBodySecretAndTime() {
        let body = Array(#"{"id":"m"}"#.utf8)
        let header = WebhookSignature.header(body, secret: "s", at: 1_700_000_000)
        #expect(WebhookSignature.isGood(header, of: body, secret: "s", at: now))
        #expect(WebhookSignature.isGood(header, of: body, secret: "s", at: now + .seconds(299)))
        #expect(!WebhookSignature.isGood(header, of: body, secret: "s", at: now + .seconds(301)))
        #expect(!WebhookSignature.isGood(header, of: body, secret: "t", at: now))
        #expect(!WebhookSignature.isGood(header, of: body + [0], secret: "s", at: now))
        for index in header.utf8.indices {
            var bytes = Array(header.utf8)
            bytes[header.utf8.distance(from: header.startIndex, to: index)] ^= 1
            #expect(
                !WebhookSignature.isGood(String(decoding: bytes, as: UTF8.self), of: body, secret: "s", at: now))
        }
        for bad in ["", "t=,v1=", "v1=00", "t=1700000000", "t=-9223372036854775808,v1=00", "t=99999999999999999999"] {
            #expect(!WebhookSignature.isGood(bad, of: body, secret: "s", at: now))
        }
    }

    @Test(
        arguments: [
            (200, "", "taken"), (202, "not JSON", "taken"), (200, #"{"id":"x","priceMicros":500}"#, "taken 500 USD"),
            (200, #"{"priceMicros":500,"currency":"CHF"}"#, "taken 500 CHF"),
            (400, "", "rejected recipientRefused 400"),
            (422, "", "rejected recipientRefused 422"), (401, "", "unavailable authentication 401"),
            (404, "", "unavailable serverRefused 404"), (429, "", "throttled deferred 429"),
            (500, "", "unavailable serverRefused 500"), (504, "", "uncertain timedOut 504"),
        ])
    func responseDeterminesOutcome(status: Int, body: String, meaning: String) {
        #expect(words(WebhookProvider.outcome(response(status, body))) == meaning)
    }
}

@Suite struct SMSPricesTests {
    @Test(
        arguments: [
            ("0.0079", 7900), ("-0.00750", 7500), ("12", 12_000_000), ("0.03330000", 33_300), ("0.1234567", 123_456),
            ("0", 0),
        ] as [(String, Int64)])
    func priceIsParsed(text: String, micros: Int64) {
        #expect(ProviderAcceptance.Price(decimal: text, currency: "USD")?.micros == micros)
    }

    @Test(arguments: ["", ".", "1.", ".5", "1.2.3", "1e3", "--1", "٣", "9999999999999999999", "1 "])
    func invalidPriceIsRejected(text: String) {
        #expect(ProviderAcceptance.Price(decimal: text, currency: "USD") == nil)
    }

    @Test func priceTableIsReadByRegion() throws {
        let prices = SMSPrices(
            currency: "EUR", table: try #require(MessagePrices("US=0.0079,DE=0.075,default=0.05")))
        #expect(prices.price(in: "DE") == .init(micros: 75_000, currency: "EUR"))
        #expect(prices.price(in: "CH")?.micros == 50_000)
        #expect(prices.price(in: nil)?.micros == 50_000)
        #expect(SMSPrices().price(in: "DE") == nil)
        for bad in ["", "US", "us=1", "US=-1", "US=x", "USA=1", "US=1,,", "*=1"] { #expect(MessagePrices(bad) == nil) }
    }
}
