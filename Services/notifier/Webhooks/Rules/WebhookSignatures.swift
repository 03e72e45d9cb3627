import Contracts
import Crypto
import FoundationEssentials
import Vocabulary

/// The header fields of Standard Webhooks 1.0.0, by which a receiver verifies a delivery.
enum WebhookSignatures {
    /// - Parameter now: the time of the attempt.
    static func headers(
        id: AccountEventID, body: Data, secrets: [Notifier.WebhookTarget.SigningSecret], at now: Moment
    ) -> [(name: String, value: String)] {
        let seconds = now.timestamp.seconds
        let valid = secrets.filter { secret in secret.expiresAt.map { now < $0 } ?? true }
        let signatures = valid.map { sign(id: id, seconds: seconds, body: body, secret: $0.bytes.reveal().bytes) }
        return [
            ("webhook-id", id.rawValue), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    /// `v1,` and the base64 text of an HMAC-SHA256 over ID, time in seconds and body, separated by full stops.
    static func sign(id: AccountEventID, seconds: Int64, body: Data, secret: [UInt8]) -> String {
        let message = Array("\(id).\(seconds).".utf8) + body
        return "v1," + Data(HMAC.sha256(key: secret, message: message)).base64EncodedString()
    }
}
