import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Recovery codes for a lost second factor: a Latchkey extension in the style of the v2 protocol.
    static let recoveryCodes: [Route] = [
        Route(.post, .v2("accounts/recoveryCodes:generate"), .v2, .client) { call in
            let body = try call.realmBody(IDTokenBody.self)
            let reply = try await call.send(
                Identity.GenerateRecoveryCodes(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init), locale: call.locale,
                    client: call.client))
            return .json(RecoveryCodesReply(recoveryCodes: reply.codes.map { $0.reveal() }))
        },
        Route(.post, .v2("accounts/recoveryCodes:count"), .v2, .client, isReadOnly: true) { call in
            let body = try call.realmBody(IDTokenBody.self)
            let reply = try await call.send(
                Identity.CountRecoveryCodes(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init)))
            return .json(RecoveryCodesCount(recoveryCodesLeft: reply.remaining))
        },
        Route(.post, .v2("accounts/recoveryCodes:signIn"), .v2, .client, rate: .signIn) { call in
            let body = try call.realmBody(RecoverySignInBody.self)
            let realm = try call.realm(body)
            let reply = try await call.send(
                Identity.SignInWithRecoveryCode(
                    project: realm.project, tenant: realm.tenant,
                    pendingCredential: body.mfaPendingCredential.nilIfEmpty.map(Secret.init),
                    code: body.recoveryCode.nilIfEmpty.map(Secret.init), locale: call.locale, client: call.client),
                timeout: Call.signInTimeout)
            return call.json(
                RecoverySignInReply(localId: reply.account.id.rawValue, recoveryCodesLeft: reply.remaining),
                session: reply.tokens)
        },
    ]
}

/// Beside `mfaInfo` where a second factor is required, never in it: client libraries fail on unknown kinds.
struct RecoveryCodesInfo: Encodable {
    var left: Int

    /// - Returns: nil if the account has no recovery codes.
    init?(_ pending: PendingSecondFactor?) {
        guard let left = pending?.remainingRecoveryCodes else { return nil }
        self.left = left
    }
}

private struct RecoveryCodesReply: Encodable {
    var recoveryCodes: [String]
}

private struct RecoveryCodesCount: Encodable {
    var recoveryCodesLeft: Int
}

private struct RecoverySignInBody: Decodable {
    var mfaPendingCredential: String?
    var recoveryCode: String?
}

private struct RecoverySignInReply: Encodable {
    var localId: String
    var recoveryCodesLeft: Int
}
