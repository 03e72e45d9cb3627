import Contracts
import FoundationEssentials
import HTTPClient
import JSON
import ServiceRuntime
import Vocabulary

/// Twilio's Messages API (Programmable Messaging, 2010-04-01), for SMS and WhatsApp.
struct TwilioProvider: Sendable {
    package struct Settings: Sendable {
        /// Without a trailing slash.
        var baseURL: String
        var accountSID: String
        var authToken: Secret<String>
        /// A number, an alphanumeric sender, or the id of a messaging service (`MG...`).
        var from: String
        /// The approved template for codes, whose first placeholder is the code. WhatsApp rejects other texts, unless
        /// the recipient has sent a message before.
        var whatsAppContentSID: String?
    }

    enum Service: Sendable {
        case sms, whatsApp(from: String)
    }

    let settings: Settings
    let service: Service
    /// The URL of delivery receipts.
    let callback: @Sendable (MessageID) -> String?
    let client: HTTPClient
    let callTimeout: Duration

    var provider: SMSProvider {
        let name =
            switch service {
            case .sms: "twilio"
            case .whatsApp: "whatsapp"
            }
        // Twilio documents no deduplication for this call.
        return SMSProvider(name: name, callTimeout: callTimeout, isIdempotent: false) { message in
            await client.sendToProvider(request(message), Self.outcome)
        }
    }

    func request(_ message: OutgoingSMS) -> HTTPClientRequest {
        var form: [(name: String, value: String)] = []
        switch service {
        case .sms:
            form.append(("To", message.recipient.rawValue))
            let isMessagingService = settings.from.hasPrefix("MG") && settings.from.utf8.count == 34
            form.append((isMessagingService ? "MessagingServiceSid" : "From", settings.from))
            form.append(("Body", message.text.body))
            // After this time the message is no longer useful.
            form.append(("ValidityPeriod", "\(MFASMS.codeLifetime.components.seconds)"))
        case .whatsApp(let from):
            form.append(("To", "whatsapp:" + message.recipient.rawValue))
            form.append(("From", "whatsapp:" + from))
            if let content = settings.whatsAppContentSID {
                form.append(("ContentSid", content))
                // Digits need no escaping.
                form.append(("ContentVariables", "{\"1\":\"\(message.code.reveal())\"}"))
            } else {
                form.append(("Body", message.text.body))
            }
        }
        if let callback = callback(message.id) { form.append(("StatusCallback", callback)) }
        let credentials = Data("\(settings.accountSID):\(settings.authToken.reveal())".utf8).base64EncodedString()
        return HTTPClientRequest(
            .post, "\(settings.baseURL)/2010-04-01/Accounts/\(settings.accountSID)/Messages.json",
            headers: [
                FormEncoding.contentType, ("Authorization", "Basic " + credentials),
                // Equal for each attempt.
                ("I-Twilio-Idempotency-Token", message.id.rawValue),
            ], body: FormEncoding.encoded(form), usesFreshConnection: true)
    }

    static func outcome(_ response: HTTPClientResponse) -> SMSProviderOutcome {
        if (200..<300).contains(response.status) {
            // A malformed response does not show whether Twilio accepted the message.
            guard let accepted = try? WireJSON.decode(AcceptedBody.self, from: response.body) else {
                return .uncertain(DeliveryFailure(.other, code: response.status))
            }
            return .sent(accepted.price.flatMap { .init(decimal: $0, currency: accepted.currency ?? "USD") })
        }
        let code = (try? WireJSON.decode(ErrorBody.self, from: response.body))?.code
        if let code, let outcome = outcome(code) { return outcome }
        // A 400 without a known code: another provider may accept the message.
        return SMSProviderOutcome(status: response.status)
            ?? .unroutable(DeliveryFailure(.serverRefused, code: code ?? response.status))
    }

    /// Twilio's error codes (www.twilio.com/docs/api/errors) that are more precise than the status.
    private static func outcome(_ code: Int) -> SMSProviderOutcome? {
        switch code {
        case 20003, 20005, 20008: .unavailable(DeliveryFailure(.authentication, code: code))
        case 20429, 21611: .throttled(DeliveryFailure(.deferred, code: code))
        // The number does not exist, is not mobile, or has opted out.
        case 21211, 21214, 21217, 21401, 21407, 21604, 21608, 21610, 21614, 21635:
            .rejected(DeliveryFailure(.recipientRefused, code: code))
        // The region is not enabled, there is no route, or the number has no WhatsApp.
        case 21408, 21612, 63003, 63015, 63016, 63024, 63032: .unroutable(DeliveryFailure(.unroutable, code: code))
        // The sender is the same for all messages.
        case 21212, 21603, 21606, 21607, 21618, 21659, 21660, 21661, 21703, 21704, 21705, 63007:
            .unavailable(DeliveryFailure(.senderRefused, code: code))
        case 21602, 21605, 21617, 21619: .rejected(DeliveryFailure(.contentRefused, code: code))
        default: nil  // Twilio may add codes.
        }
    }

    private struct AcceptedBody: Decodable {
        var sid: String
        var price: String?
        var currency: String?

        enum CodingKeys: String, CodingKey {
            case sid, price, currency = "price_unit"
        }
    }

    private struct ErrorBody: Decodable {
        var code: Int
    }
}
