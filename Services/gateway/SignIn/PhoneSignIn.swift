import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Phone sign-in and app verification (REST 2.7, 2.8, 2.15).
    static let phone: [Route] = [
        Route(
            .post, .v1("accounts:sendVerificationCode", v3: "sendVerificationCode"), .v1, .client, rate: .signIn
        ) { call in
            let body = try call.realmBody(PhoneInfoBody.self)
            let reply = try await call.send(
                MFASMS.StartPhoneSignIn(
                    realm: phoneRealm(call, body), phoneNumber: body.phoneNumber.nilIfEmpty,
                    appCredential: body.app.credential(bundleID: call.iOSBundleID), locale: call.locale,
                    client: call.client))
            return .json(SentCodeReply(sessionInfo: reply.sessionInfo.reveal()))
        },
        Route(
            .post, .v1("accounts:signInWithPhoneNumber", v3: "verifyPhoneNumber"), .v1, .client, rate: .signIn
        ) { call in
            let body = try call.realmBody(PhoneSignInBody.self)
            let reply = try await signIn(call, body, in: phoneRealm(call, body))
            return call.json(
                try PhoneSignInReply(reply), session: reply.session?.tokens, orPending: reply.pending?.secondFactor)
        },
        Route(.post, .v1("accounts:verifyIosClient", v3: "verifyClient"), .v1, .client, rate: .signIn) { call in
            let body = try call.body(VerifyClientBody.self)
            let reply = try await call.send(
                MFASMS.StartPushVerification(
                    project: call.project(target: body.targetProjectId),
                    deviceToken: body.appToken.nilIfEmpty.map(Secret.init), isSandbox: body.isSandbox ?? false,
                    bundleID: call.iOSBundleID, client: call.client))
            return .json(
                VerifyClientReply(receipt: reply.receipt, suggestedTimeout: String(reply.timeoutSeconds)))
        },
    ]

    /// A phone is a first factor only for the project's own users (1.8).
    private static func phoneRealm(_ call: Call, _ body: RealmBody<some Decodable>) throws -> Realm {
        let realm = try call.realm(body)
        guard realm.tenant == nil else { throw ServiceError(.unsupportedTenantOperation) }
        return realm
    }

    /// With a code that mfa-sms verifies, or with a temporary proof from identity.
    private static func signIn(
        _ call: Call, _ body: RealmBody<PhoneSignInBody>, in realm: Realm
    ) async throws -> Identity.PhoneSignInReply {
        let intent = body.operation?.value?.intent ?? .signUpOrIn
        let idToken = body.idToken.nilIfEmpty.map(Secret.init)
        if let proof = body.temporaryProof.nilIfEmpty {
            return try await call.send(
                Identity.SignInWithTemporaryProof(
                    realm: realm, phoneNumber: body.phoneNumber.nilIfEmpty, temporaryProof: Secret(proof),
                    intent: intent, idToken: idToken, client: call.client), timeout: Call.signInTimeout)
        }
        return try await call.send(
            MFASMS.FinishPhoneSignIn(
                realm: realm, sessionInfo: body.sessionInfo.nilIfEmpty.map(Secret.init),
                code: body.code.nilIfEmpty.map(Secret.init), intent: intent, idToken: idToken, client: call.client),
            timeout: Call.signInTimeout)
    }
}

/// `operation`, in protocol-number order.
private enum PhoneOperation: String, WireEnumeration {
    case signUpOrIn = "SIGN_UP_OR_IN", reauthenticate = "REAUTH", update = "UPDATE", link = "LINK"

    var intent: Identity.PhoneIntent {
        switch self {
        case .signUpOrIn: .signUpOrIn
        case .reauthenticate: .reauthenticate
        case .update: .update
        case .link: .link
        }
    }
}

private struct PhoneSignInBody: Decodable {
    var sessionInfo: String?
    var code: String?
    var phoneNumber: String?
    var temporaryProof: String?
    /// The account that receives the number.
    var idToken: String?
    var operation: OptionalWireEnum<PhoneOperation>?
}

/// A session, a pending credential, or the number of another account with a temporary proof. Clients check which keys
/// are present.
private struct PhoneSignInReply: Encodable {
    var localId: String?
    var isNewUser: Bool?
    var phoneNumber: String?
    var temporaryProof: String?
    var temporaryProofExpiresIn: String?

    init(_ reply: Identity.PhoneSignInReply) throws {
        if let session = reply.session {
            localId = session.account.id.rawValue
            isNewUser = session.isNewAccount
            phoneNumber = session.account.phoneNumber?.rawValue
        } else if let pending = reply.pending {
            localId = pending.account.id.rawValue
            phoneNumber = pending.account.phoneNumber?.rawValue
        } else if let conflict = reply.conflict {
            phoneNumber = conflict.phoneNumber.rawValue
            temporaryProof = conflict.temporaryProof.reveal()
            temporaryProofExpiresIn = String(conflict.expiresInSeconds)
        } else {
            throw ServiceError(.internal)
        }
    }
}

private struct VerifyClientBody: Decodable {
    var appToken: String?
    var isSandbox: Bool?
    var targetProjectId: String?
}

/// Both are always present, the second as text: otherwise the iOS library terminates the application (1.5).
private struct VerifyClientReply: Encodable {
    var receipt: String
    var suggestedTimeout: String
}
