import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Account lookup: a client's own account by ID token, any account by administrators (REST 2.13).
    static let lookup: [Route] = [
        Route(.post, .v1("accounts:lookup", v3: "getAccountInfo"), .v1, .client, isReadOnly: true) { call in
            let body = try call.realmBody(LookupBody.self)
            if call.isAdministrator && body.idToken.nilIfEmpty == nil { return try await find(call) }
            // Criteria beside the token are ignored: a client can look up only its own account.
            let reply = try await call.send(
                Identity.LookUpOwnAccount(realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init)))
            return .json(LookupReply([reply.account]))
        },
        Route(.post, .v1Realm("/accounts:lookup"), .v1, .administrator, isReadOnly: true) { call in
            try await find(call)
        },
    ]

    private static func find(_ call: Call) async throws -> HTTPResponse {
        let body = try call.administratorRealmBody(LookupBody.self)
        let reply = try await call.send(Identity.FindAccounts(realm: call.realm(body), criteria: body.criteria))
        return .json(LookupReply(reply.accounts))
    }
}

private struct LookupBody: Decodable {
    struct FederatedID: Decodable {
        var providerId: String?
        var rawId: String?
    }
    var idToken: String?
    // Administrators only.
    var localId: [String]?
    var email: [String]?
    var phoneNumber: [String]?
    var federatedUserId: [FederatedID]?
    var initialEmail: [String]?

    var criteria: [Identity.FindAccounts.Criterion] {
        (localId ?? []).map { .accountID(AccountID($0)) }
            + (email ?? []).map { .email($0) }
            + (phoneNumber ?? []).map { .phoneNumber($0) }
            + (federatedUserId ?? []).map { .provider(id: $0.providerId ?? "", accountID: $0.rawId ?? "") }
            + (initialEmail ?? []).map { .initialEmail($0) }
    }
}

private struct LookupReply: Encodable {
    var kind = "identitytoolkit#GetAccountInfoResponse"
    /// Absent when no account matches.
    var users: [UserRecord]?

    init(_ accounts: [Account]) {
        users = accounts.map { UserRecord($0) }.nilIfEmpty
    }
}
