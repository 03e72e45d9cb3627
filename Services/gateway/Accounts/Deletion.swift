import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Account deletion: a client's own account by ID token, any account by administrators (REST 2.14).
    static let deletion: [Route] = [
        Route(.post, .v1("accounts:delete", v3: "deleteAccount"), .v1, .client) { call in
            let body = try call.realmBody(DeletionBody.self)
            if call.isAdministrator && body.idToken.nilIfEmpty == nil { return try await delete(call) }
            _ = try await call.send(
                Identity.DeleteOwnAccount(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init),
                    accountID: body.localId.nilIfEmpty.map(AccountID.init), client: call.client))
            return .json(DeletionReply())
        },
        Route(.post, .v1Realm("/accounts:delete"), .v1, .administrator) { call in
            try await delete(call)
        },
    ]

    private static func delete(_ call: Call) async throws -> HTTPResponse {
        let body = try call.administratorRealmBody(DeletionBody.self)
        _ = try await call.send(
            Identity.DeleteAccount(
                realm: call.realm(body), accountID: body.localId.nilIfEmpty.map(AccountID.init), client: call.client))
        return .json(DeletionReply())
    }
}

private struct DeletionBody: Decodable {
    var idToken: String?
    /// For a client: the token's own account. For an administrator: the account to delete.
    var localId: String?
}

private struct DeletionReply: Encodable {
    /// admin-python checks this field.
    var kind = "identitytoolkit#DeleteAccountResponse"
}
