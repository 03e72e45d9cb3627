import Contracts
import Crypto
import FoundationEssentials
import HTTPClient
import JSON
import Vocabulary

/// Any other provider, behind a small service of the operator. The notifier POSTs a signed JSON, and the service
/// responds 2xx once it has accepted the message. It must deduplicate by message id for a day.
struct WebhookProvider: Sendable {
    package struct Settings: Sendable {
        var url: String
        var secret: Secret<String>
    }

    let settings: Settings
    /// The URL of delivery receipts.
    let callback: String?
    let client: HTTPClient
    let callTimeout: Duration
    let now: @Sendable () -> Moment

    var provider: SMSProvider {
        SMSProvider(name: "webhook", callTimeout: callTimeout, isIdempotent: true) { message in
            // The request contains only strings, so it can be encoded.
            guard let request = try? request(message) else { return .rejected(DeliveryFailure(.unsendable)) }
            return await client.sendToProvider(request, Self.outcome)
        }
    }

    func request(_ message: OutgoingSMS) throws -> HTTPClientRequest {
        let body = try WireJSON.encodeSorted(
            Body(
                id: message.id.rawValue, project: message.realm.project.rawValue,
                tenant: message.realm.tenant?.rawValue, purpose: message.purpose.rawValue,
                to: message.recipient.rawValue, region: message.region, text: message.text.body, receiptURL: callback))
        let signature = WebhookSignature.header(
            Array(body), secret: settings.secret.reveal(), at: now().timestamp.seconds)
        return HTTPClientRequest(
            .post, settings.url,
            headers: [
                ("Content-Type", "application/json"), (WebhookSignature.headerName, signature),
                ("Idempotency-Key", message.id.rawValue),
            ], body: body)
    }

    static func outcome(_ response: HTTPClientResponse) -> SMSProviderOutcome {
        if (200..<300).contains(response.status) {
            // The rest of the response body is optional.
            let body = try? WireJSON.decode(ResponseBody.self, from: response.body)
            return .sent(body?.priceMicros.map { .init(micros: $0, currency: body?.currency ?? "USD") })
        }
        return SMSProviderOutcome(status: response.status)
            ?? .rejected(DeliveryFailure(.recipientRefused, code: response.status))
    }

    private struct Body: Encodable {
        var id: String
        var project: String
        var tenant: String?
        var purpose: String
        var to: String
        var region: String?
        var text: String
        var receiptURL: String?
    }

    private struct ResponseBody: Decodable {
        var priceMicros: Int64?
        var currency: String?
    }
}

/// `t=1700000000,v1=<hex>`: HMAC-SHA256 over the time in seconds, a full stop, and the body.
enum WebhookSignature {
    static let headerName = "X-Latchkey-Signature"
    /// Maximum age, to limit replay.
    static let maximumAgeSeconds: Int64 = 300

    static func header(_ body: [UInt8], secret: String, at seconds: Int64) -> String {
        "t=\(seconds),v1=\(mac(body, secret: secret, at: seconds).hexadecimal)"
    }

    static func isGood(_ header: String, of body: [UInt8], secret: String, at now: Moment) -> Bool {
        var seconds: Int64?
        var macs: [String] = []
        for part in header.pieces(at: ",", maximumCount: 9) {
            switch part.halves(at: "=") {
            case ("t", let value?): seconds = Int64(value)
            case ("v1", let value?): macs.append(value.asciiLowercased)
            default: break  // Later versions are ignored.
            }
        }
        guard let seconds, isFresh(Timestamp(seconds: seconds), at: now.timestamp) else {
            return false
        }
        let expected = Array(mac(body, secret: secret, at: seconds).hexadecimal.utf8)
        return macs.contains { constantTimeEquals(Array($0.utf8), expected) }
    }

    private static func isFresh(_ signedAt: Timestamp, at now: Timestamp) -> Bool {
        signedAt >= now - maximumAgeSeconds && signedAt <= now + maximumAgeSeconds
    }

    private static func mac(_ body: [UInt8], secret: String, at seconds: Int64) -> [UInt8] {
        HMAC.sha256(key: Array(secret.utf8), message: Array("\(seconds).".utf8) + body)
    }
}
