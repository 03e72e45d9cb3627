import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The notifications of Sign in with Apple about its users. Apple calls the URL that the operator has registered,
    /// with the API key of the project as `key` and its tenant as `tid`. Federation verifies the signature.
    static let appleNotifications = Route(.post, .local("/__/auth/apple/notifications"), .v2, .client) { call in
        let payload = try call.body(AppleNotificationBody.self).payload.nilIfEmpty
        guard let payload, payload.utf8.count <= Federation.ReceiveAppleNotification.maximumPayloadBytes else {
            throw ServiceError(.invalidProviderResponse, "payload is missing or too long.")
        }
        _ = try await call.send(
            Federation.ReceiveAppleNotification(
                realm: call.realm(.init(tenantId: call.request.queryItem("tid"))), payload: Secret(payload),
                client: call.client),
            timeout: providerTimeout)
        return .json(AppleNotificationReply())
    }
}

private struct AppleNotificationBody: Decodable {
    /// A JSON Web Token.
    var payload: String?
}

private struct AppleNotificationReply: Encodable {}
