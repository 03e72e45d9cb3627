import FoundationEssentials
import HTTPClient
import Vocabulary

/// Vonage's SMS API (once Nexmo). It remembers no ids: a call of unknown outcome is repeated after a while only, unless a
/// receipt has told of the message.
struct VonageProvider: Sendable {
    package struct Settings: Sendable {
        /// Without a trailing slash.
        var baseURL: String
        var apiKey: String
        var apiSecret: Secret<String>
        /// A number or a word.
        var from: String
        /// Of receipts: without it none is believed. The account is set to SHA-256 HMAC signatures.
        var signatureSecret: Secret<String>?
    }

    let settings: Settings
    /// Where receipts go.
    let callback: String?
    let client: HTTPClient
    let callTime: Duration

    var provider: SMSProvider {
        SMSProvider(name: "vonage", callTime: callTime, remembersIDs: false) { message in
            await client.callProvider(request(message), Self.outcome)
        }
    }

    func request(_ message: OutgoingSMS) -> HTTPClientRequest {
        var form: [(name: String, value: String)] = [
            ("api_key", settings.apiKey), ("api_secret", settings.apiSecret.reveal()), ("from", settings.from),
            ("to", String(message.recipient.rawValue.dropFirst())), ("text", message.text.body),
            ("type", message.text.encoding == .gsm7 ? "text" : "unicode"), ("client-ref", message.id.rawValue),
            // Milliseconds. Later nobody wants it any more.
            ("ttl", "300000"),
        ]
        if let callback { form.append(("callback", callback)) }
        return HTTPClientRequest(
            .post, settings.baseURL + "/sms/json", headers: [Form.contentType, ("Accept", "application/json")],
            body: Form.encoded(form), isSentOnce: true)
    }

    static func outcome(_ response: HTTPClientResponse) -> SMSOutcome {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: response.body),
            let first = answer.messages.first
        else {
            return SMSOutcome(status: response.status) ?? .uncertain(DeliveryProblem(.other, code: response.status))
        }
        guard !answer.messages.contains(where: { $0.status == "0" }) else {
            let prices = answer.messages.compactMap {
                $0.price.flatMap { ProviderReceipt.Price(decimal: $0, currency: "EUR") }
            }
            return .taken(
                prices.isEmpty
                    ? nil : .init(micros: prices.reduce(0) { $0.addingSaturated($1.micros) }, currency: "EUR"))
        }
        return refusal(Int(first.status) ?? -1)
    }

    /// The status codes of the SMS API (developer.vonage.com, "Troubleshooting SMS").
    private static func refusal(_ status: Int) -> SMSOutcome {
        switch status {
        case 1: .busy(DeliveryProblem(.deferred, code: status))
        case 4, 8, 11, 14, 32: .trouble(DeliveryProblem(.authentication, code: status))
        case 5, 9, 10: .trouble(DeliveryProblem(.serverRefused, code: status))
        case 15: .trouble(DeliveryProblem(.senderRefused, code: status))
        case 7, 29, 33: .refused(DeliveryProblem(.recipientRefused, code: status))
        case 12: .refused(DeliveryProblem(.contentRefused, code: status))
        // A parameter, a number or a network it does not know: another provider may.
        case 3, 6, 22: .unroutable(DeliveryProblem(.unroutable, code: status))
        default: .trouble(DeliveryProblem(.serverRefused, code: status))  // Codes are Vonage's to add to.
        }
    }

    private struct Answer: Decodable {
        var messages: [Part]
    }

    /// A long text is several messages.
    private struct Part: Decodable {
        var status: String
        var price: String?

        enum CodingKeys: String, CodingKey {
            case status, price = "message-price"
        }
    }
}
