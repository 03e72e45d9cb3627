import Contracts
import Crypto
import FoundationEssentials
import JSON
import Vocabulary

/// Verifies and parses delivery receipts of providers.
package struct DeliveryReceiptVerifier: Sendable {
    /// A verified receipt.
    struct Receipt: Equatable, Sendable {
        var message: MessageID
        var provider: String
        /// Nil: accepted, without a final result.
        var receipt: Notifier.DeliveryRecord.Receipt?
        var price: ProviderAcceptance.Price?
    }

    /// The path of receipts, below `LATCHKEY_PUBLIC_URL`.
    package static let path = "/__/notify/receipts/"

    var publicURL: String?
    var twilioAuthToken: Secret<String>?
    var vonageSignatureSecret: Secret<String>?
    var webhookSecret: Secret<String>?

    /// - Throws: `invalidRequest` for a receipt that no configured provider signed, and for one without a
    ///   message.
    func verify(_ request: Notifier.RecordReceipt, at now: Moment) throws(ServiceError) -> Receipt {
        let receipt: Receipt? =
            switch request.provider {
            case .twilio: twilio(request)
            case .vonage: vonage(request)
            case .webhook: webhook(request, at: now)
            }
        guard let receipt else { throw ServiceError(.invalidRequest, "The signature is of no configured provider.") }
        return receipt
    }

    // MARK: Twilio

    /// `X-Twilio-Signature`: Base64 of HMAC-SHA1 over the URL and, for a form, names and values in the order of names
    /// (www.twilio.com/docs/usage/security).
    private func twilio(_ request: Notifier.RecordReceipt) -> Receipt? {
        guard let publicURL, let twilioAuthToken, let signature = request.signature,
            let form = FormEncoding.decoded(request.body), let query = Self.query(of: request.target)
        else { return nil }
        let expected = Self.twilioSignature(of: form, to: publicURL + request.target, by: twilioAuthToken)
        guard constantTimeEquals(Array(expected.utf8), Array(signature.utf8)),
            let message = Self.value("message", in: query)
        else { return nil }
        let status = Self.value("MessageStatus", in: form) ?? Self.value("MessageStatus", in: query)
        let isWhatsApp = Self.value("To", in: form)?.hasPrefix("whatsapp:") ?? false
        return Receipt(
            message: MessageID(message), provider: isWhatsApp ? "whatsapp" : "twilio",
            receipt: Self.receipt(status), price: nil)
    }

    static func twilioSignature(
        of form: [(name: String, value: String)], to url: String, by authToken: Secret<String>
    ) -> String {
        let sorted = form.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        let signed = url + sorted.map { "\($0.name)\($0.value)" }.joined()
        return Data(HMAC.sha1(key: Array(authToken.reveal().utf8), message: Array(signed.utf8))).base64EncodedString()
    }

    // MARK: Vonage

    /// `sig`: HMAC-SHA256 in hexadecimal over all other fields in the order of names, each as `&name=value`, in which
    /// `&` and `=` of values are `_` (developer.vonage.com, "Signing messages").
    private func vonage(_ request: Notifier.RecordReceipt) -> Receipt? {
        guard let vonageSignatureSecret, var fields = Self.query(of: request.target) else { return nil }
        if request.contentType?.asciiLowercased.hasPrefix("application/json") ?? false {
            guard let object = try? WireJSON.decode([String: String].self, from: request.body.utf8) else {
                return nil
            }
            fields += object.map { ($0.key, $0.value) }
        } else {
            guard let form = FormEncoding.decoded(request.body) else { return nil }
            fields += form
        }
        let signed = fields.filter { $0.name != "sig" }.sorted { $0.name < $1.name }.map { name, value in
            "&\(name)=" + value.replacing("&", with: "_").replacing("=", with: "_")
        }.joined()
        let mac = HMAC.sha256(key: Array(vonageSignatureSecret.reveal().utf8), message: Array(signed.utf8))
        guard let signature = Self.value("sig", in: fields)?.asciiLowercased,
            constantTimeEquals(Array(mac.hexadecimal.utf8), Array(signature.utf8)),
            let message = Self.value("client-ref", in: fields)
        else { return nil }
        return Receipt(
            message: MessageID(message), provider: "vonage", receipt: Self.receipt(Self.value("status", in: fields)),
            price: Self.value("price", in: fields).flatMap { .init(decimal: $0, currency: "EUR") })
    }

    // MARK: Webhook

    private func webhook(_ request: Notifier.RecordReceipt, at now: Moment) -> Receipt? {
        guard let webhookSecret, let signature = request.signature,
            WebhookSignature.isGood(
                signature, of: Array(request.body.utf8), secret: webhookSecret.reveal(), at: now),
            let body = try? WireJSON.decode(WebhookBody.self, from: request.body.utf8)
        else { return nil }
        return Receipt(
            message: MessageID(body.id), provider: "webhook", receipt: Self.receipt(body.status),
            price: body.priceMicros.flatMap { $0 < 0 ? nil : .init(micros: $0, currency: body.currency ?? "USD") })
    }

    private struct WebhookBody: Decodable {
        var id: String
        var status: String?
        var priceMicros: Int64?
        var currency: String?
    }

    // MARK: Status values

    /// The final status values of all three providers; other values mean that the message is in transit.
    private static func receipt(_ status: String?) -> Notifier.DeliveryRecord.Receipt? {
        switch status?.asciiLowercased {
        case "delivered", "read": .delivered
        case "undelivered", "failed", "expired", "rejected": .undelivered
        default: nil  // Providers may add status values.
        }
    }

    private static func query(of target: String) -> [(name: String, value: String)]? {
        guard let query = target.halves(at: "?").behind else { return [] }
        return FormEncoding.decoded(String(query))
    }

    private static func value(_ name: String, in pairs: [(name: String, value: String)]) -> String? {
        pairs.first { $0.name == name }?.value
    }
}
