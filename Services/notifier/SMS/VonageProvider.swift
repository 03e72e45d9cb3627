import Contracts
import FoundationEssentials
import HTTPClient
import JSON
import Vocabulary

/// Vonage's SMS API (formerly Nexmo). It does not deduplicate by id: a call of unknown outcome is repeated only after a
/// delay, unless a receipt for the message arrived.
struct VonageProvider: Sendable {
    package struct Settings: Sendable {
        /// Without a trailing slash.
        var baseURL: String
        var apiKey: String
        var apiSecret: Secret<String>
        /// A number or an alphanumeric sender.
        var from: String
        /// For receipts: without it all receipts are rejected. The account must use SHA-256 HMAC signatures.
        var signatureSecret: Secret<String>?
    }

    let settings: Settings
    /// The URL of delivery receipts.
    let callback: String?
    let client: HTTPClient
    let callTimeout: Duration

    var provider: SMSProvider {
        SMSProvider(name: "vonage", callTimeout: callTimeout, isIdempotent: false) { message in
            await client.sendToProvider(request(message), Self.outcome)
        }
    }

    func request(_ message: OutgoingSMS) -> HTTPClientRequest {
        var form: [(name: String, value: String)] = [
            ("api_key", settings.apiKey), ("api_secret", settings.apiSecret.reveal()), ("from", settings.from),
            ("to", String(message.recipient.rawValue.dropFirst())), ("text", message.text.body),
            ("type", message.text.encoding == .gsm7 ? "text" : "unicode"), ("client-ref", message.id.rawValue),
            // In milliseconds. After this time the message is no longer useful.
            ("ttl", "\(MFASMS.codeLifetime.saturatedMilliseconds)"),
        ]
        if let callback { form.append(("callback", callback)) }
        return HTTPClientRequest(
            .post, settings.baseURL + "/sms/json", headers: [FormEncoding.contentType, ("Accept", "application/json")],
            body: FormEncoding.encoded(form), usesFreshConnection: true)
    }

    static func outcome(_ response: HTTPClientResponse) -> SMSProviderOutcome {
        guard let body = try? WireJSON.decode(ResponseBody.self, from: response.body),
            let first = body.messages.first
        else {
            return SMSProviderOutcome(status: response.status)
                ?? .uncertain(DeliveryFailure(.other, code: response.status))
        }
        guard !body.messages.contains(where: { $0.status == "0" }) else {
            let prices = body.messages.compactMap {
                $0.price.flatMap { ProviderAcceptance.Price(decimal: $0, currency: "EUR") }
            }
            return .sent(
                prices.isEmpty
                    ? nil : .init(micros: prices.reduce(0) { $0.addingSaturated($1.micros) }, currency: "EUR"))
        }
        return outcome(forStatus: Int(first.status) ?? -1)
    }

    /// The status codes of the SMS API (developer.vonage.com, "Troubleshooting SMS").
    private static func outcome(forStatus status: Int) -> SMSProviderOutcome {
        switch status {
        case 1: .throttled(DeliveryFailure(.deferred, code: status))
        case 4, 8, 11, 14, 32: .unavailable(DeliveryFailure(.authentication, code: status))
        case 5, 9, 10: .unavailable(DeliveryFailure(.serverRefused, code: status))
        case 15: .unavailable(DeliveryFailure(.senderRefused, code: status))
        case 7, 29, 33: .rejected(DeliveryFailure(.recipientRefused, code: status))
        case 12: .rejected(DeliveryFailure(.contentRefused, code: status))
        // An unknown parameter, number or network: another provider may know it.
        case 3, 6, 22: .unroutable(DeliveryFailure(.unroutable, code: status))
        default: .unavailable(DeliveryFailure(.serverRefused, code: status))  // Vonage may add codes.
        }
    }

    private struct ResponseBody: Decodable {
        var messages: [Part]
    }

    /// A long text has several parts.
    private struct Part: Decodable {
        var status: String
        var price: String?

        enum CodingKeys: String, CodingKey {
            case status, price = "message-price"
        }
    }
}
