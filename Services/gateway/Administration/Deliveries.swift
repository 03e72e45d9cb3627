import Contracts
import FoundationEssentials
import HTTPServer
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// Delivery outcomes: reported by providers, and read by administrators.
    static let deliveries: [Route] =
        [HTTPMethod.get, .post].map { method in
            // The provider authenticates with a signature. The notifier verifies it because it has the keys.
            Route(method, .local("/__/notify/receipts/{provider}"), .v1, .unauthenticated) { call in
                try await record(call)
                return HTTPResponse(status: 200, headers: [("Content-Type", "text/plain; charset=utf-8")])
            }
        } + [
            Route(.get, .v2Project("/deliveries"), .v2, .administrator) { call in
                let size = call.request.queryItem("pageSize").nilIfEmpty
                let limit = size.map { Int($0) ?? 0 } ?? defaultPageSize
                guard (1...Notifier.ListDeliveries.maximumCount).contains(limit) else {
                    throw APIError.invalidArgument("pageSize is not 1 to \(Notifier.ListDeliveries.maximumCount).")
                }
                let reply = try await call.send(Notifier.ListDeliveries(project: call.project(), limit: limit))
                return .json(DeliveryList(deliveries: reply.deliveries.map(DeliveryList.Delivery.init)))
            }
        ]

    private static let defaultPageSize = 100
    /// Providers send a few hundred bytes.
    private static let maximumReceiptBytes = 16 << 10
    private static let maximumSignatureBytes = 512

    private static func record(_ call: Call) async throws {
        let request = call.request
        guard let provider = call.values[.provider].flatMap(Notifier.SMSProviderName.init(rawValue:)) else {
            throw APIError.pathNotFound
        }
        let header: String? =
            switch provider {
            case .twilio: "x-twilio-signature"
            case .webhook: "x-latchkey-signature"
            // The signature is in the body.
            case .vonage: nil
            }
        let signature = header.flatMap { request.headers[$0] }
        let query = request.rawQuery.map { "?" + $0 } ?? ""
        guard request.body.count <= maximumReceiptBytes, query.utf8.count <= maximumReceiptBytes,
            (signature?.utf8.count ?? 0) <= maximumSignatureBytes
        else { throw APIError(status: 413, message: "The request body is too large.") }
        guard let body = String(validating: request.body, as: UTF8.self) else { throw APIError.invalidArgument() }
        do {
            _ = try await call.send(
                Notifier.RecordReceipt(
                    provider: provider, target: request.path + query, contentType: request.headers["content-type"],
                    signature: signature, body: body))
        } catch let error as ServiceError where error.code == .invalidRequest {
            throw APIError.permissionDenied
        }
    }
}

/// The delivery history for administrators: no message contents, numbers and addresses masked.
private struct DeliveryList: Encodable {
    var deliveries: [Delivery]

    struct Delivery: Encodable {
        var messageId: String
        var tenantId: String?
        var channel: String
        var purpose: String
        var maskedRecipient: String
        var acceptTime: String
        var state: String
        var attempts: Int
        var problem: String?
        var finishTime: String?
        var provider: String?
        /// Millionths of the currency, as a string: protocol buffers encode 64-bit integers as strings.
        var priceMicros: String?
        var currencyCode: String?
        var receipt: String?

        init(_ record: Notifier.DeliveryRecord) {
            messageId = record.messageID.rawValue
            tenantId = record.realm.tenant?.rawValue
            channel = (record.channel ?? .email).rawValue
            purpose = record.purpose
            maskedRecipient = record.maskedRecipient
            acceptTime = record.acceptedAt.text
            state = record.state.rawValue
            attempts = record.attempts
            problem = record.problem
            finishTime = record.finishedAt?.text
            provider = record.provider
            priceMicros = record.priceMicros.map { "\($0)" }
            currencyCode = record.currency
            receipt = record.receipt?.rawValue
        }
    }
}
