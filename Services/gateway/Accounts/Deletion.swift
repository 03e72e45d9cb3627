internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Deleting accounts: one's own by ID token, anybody's by administrators (REST 2.14).
    static let deletion: [Route] = [
        Route(.post, .v1("accounts:delete", v3: "deleteAccount"), .v1, .client) { call in
            let body = try call.realmBody(DeletionBody.self)
            if call.isAdministrator && body.idToken.nilIfEmpty == nil { return try await delete(call, body) }
            _ = try await call.send(
                Identity.DeleteOwnAccount(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init),
                    accountID: body.localId.nilIfEmpty.map(AccountID.init), client: call.client))
            return .json(DeletionReply())
        },
        Route(.post, .v1Realm("/accounts:delete"), .v1, .administrator) { call in
            try await delete(call, call.realmBody(DeletionBody.self))
        },
    ]

    private static func delete(_ call: Call, _ body: RealmBody<DeletionBody>) async throws -> HTTPResponse {
        _ = try await call.send(
            Identity.DeleteAccount(
                realm: call.realm(body), accountID: body.localId.nilIfEmpty.map(AccountID.init), client: call.client))
        return .json(DeletionReply())
    }
}

private struct DeletionBody: Decodable {
    var idToken: String?
    /// Of a client, the token's own account; of an administrator, whose account goes.
    var localId: String?
}

private struct DeletionReply: Encodable {
    /// admin-python looks for it.
    var kind = "identitytoolkit#DeleteAccountResponse"
}
