internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Deleting accounts: one's own by ID token, anybody's by administrators (REST 2.14).
    static let deletion: [Route] = [
        Route(.post, .v1("accounts:delete", v3: "deleteAccount"), .v1, .client) { call in
            let body = try call.body(DeletionBody.self)
            if call.isAdministrator && body.idToken.nonEmpty == nil { return try await delete(call, body) }
            _ = try await call.send(
                Identity.DeleteOwnAccount(
                    realm: call.realm(body), idToken: body.idToken.nonEmpty.map(Secret.init),
                    accountID: body.localId.nonEmpty.map(AccountID.init), client: call.client))
            return .json(DeletionReply())
        },
        Route(.post, .v1Realm("/accounts:delete"), .v1, .administrator) { call in
            try await delete(call, call.body(DeletionBody.self))
        },
    ]

    private static func delete(_ call: Call, _ body: DeletionBody) async throws -> HTTPResponse {
        _ = try await call.send(
            Identity.DeleteAccount(
                realm: call.realm(body), accountID: body.localId.nonEmpty.map(AccountID.init), client: call.client))
        return .json(DeletionReply())
    }
}

private struct DeletionBody: Decodable, RealmSpecifying {
    var idToken: String?
    /// Of a client, the token's own account; of an administrator, whose account goes.
    var localId: String?
    var tenantId: String?
    var targetProjectId: String?
}

private struct DeletionReply: Encodable {
    /// admin-python looks for it.
    var kind = "identitytoolkit#DeleteAccountResponse"
}
