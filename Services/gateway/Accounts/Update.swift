import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Account changes (REST 2.12): a client's own account by ID token, any account by administrators.
    static let update: [Route] = [
        Route(.post, .v1("accounts:update", v3: "setAccountInfo"), .v1, .client) { call in
            let body = try call.realmBody(UpdateBody.self)
            if let code = body.oobCode.nilIfEmpty {
                let reply = try await applyCode(code, in: call.realm(body), call)
                return .json(UpdateReply(reply.account, newEmail: reply.newEmail))
            }
            if body.idToken.nilIfEmpty != nil { return try await changeOwn(call, body) }
            guard call.isAdministrator else {
                throw APIError(.unsupportedUpdateParameters)
            }
            return try await change(call)
        },
        Route(.post, .v1Realm("/accounts:update"), .v1, .administrator) { call in
            try await change(call)
        },
    ]

    private static func changeOwn(_ call: Call, _ body: RealmBody<UpdateBody>) async throws -> HTTPResponse {
        try body.fields.refuseAdminOnlyFields()
        let reply = try await call.send(
            Identity.UpdateOwnAccount(
                realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init),
                accountID: body.localId.nilIfEmpty.map(AccountID.init), changes: body.fields.ownChanges(),
                locale: call.locale,
                client: call.client))
        var answer = UpdateReply(reply.account)
        answer.signals = PasskeySignals(reply.account)
        return call.json(answer, session: reply.tokens)
    }

    private static func change(_ call: Call) async throws -> HTTPResponse {
        let body = try call.administratorRealmBody(UpdateBody.self)
        let reply = try await call.send(
            Identity.UpdateAccount(
                realm: call.realm(body), accountID: body.localId.nilIfEmpty.map(AccountID.init),
                changes: try body.fields.changes(), client: call.client))
        return .json(UpdateReply(reply.account))
    }
}

private struct UpdateBody: Decodable {
    /// In protocol-number order.
    enum Attribute: String, WireEnumeration {
        case email = "EMAIL", displayName = "DISPLAY_NAME", provider = "PROVIDER", photoURL = "PHOTO_URL"
        case password = "PASSWORD", rawUserInfo = "RAW_USER_INFO"
    }
    struct MultiFactor: Decodable { var enrollments: [FactorBody]? }
    struct RenamedPasskey: Decodable {
        var credentialId: String?
        var name: String?
    }
    struct RenamedFactor: Decodable {
        var mfaEnrollmentId: String?
        var displayName: String?
    }

    var localId: String?
    var idToken: String?
    var oobCode: String?
    var email: String?
    var password: String?
    var displayName: String?
    var photoUrl: String?
    var deleteAttribute: [WireEnum<Attribute>]?
    var deleteProvider: [String]?
    /// Credential ids, in base64 of either alphabet.
    var deletePasskey: [String]?
    /// A Latchkey extension, for clients only.
    var renamePasskey: RenamedPasskey?
    /// A Latchkey extension, for clients only.
    var renameFactor: RenamedFactor?
    // Administrators only. `validSince` of a client is ignored.
    var emailVerified: Bool?
    var phoneNumber: String?
    var disableUser: Bool?
    /// A Latchkey extension.
    var cancelDeletion: Bool?
    var customAttributes: String?
    var validSince: WireInteger?
    var createdAt: WireInteger?
    var lastLoginAt: WireInteger?
    var linkProviderUserInfo: ProviderInfoBody?
    var mfa: MultiFactor?
    // Members of the protocol; libraries send some of them.
    var provider: Ignored?
    var upgradeToFederatedLogin: Ignored?
    var captchaChallenge: Ignored?
    var captchaResponse: Ignored?
    var instanceId: Ignored?
    var returnSecureToken: Ignored?

    /// - Throws: the protocol's error for a client that sets an administrators' field.
    func refuseAdminOnlyFields() throws(APIError) {
        if disableUser != nil { throw APIError(.disablingOwnAccount) }
        if cancelDeletion == true { throw .adminOnlyField("cancel_deletion") }
        if customAttributes.nilIfEmpty != nil { throw .adminOnlyField("custom_attributes") }
        if emailVerified == true { throw .adminOnlyField("email_verified") }
        if phoneNumber.nilIfEmpty != nil { throw .adminOnlyField("phone_number") }
        if mfa != nil { throw .adminOnlyField("mfa") }
        if linkProviderUserInfo != nil { throw .adminOnlyField("link_provider_user_info") }
        if createdAt != nil { throw .adminOnlyField("created_at") }
        if lastLoginAt != nil { throw .adminOnlyField("last_login_at") }
    }

    /// - Throws: `ServiceError` for a malformed credential id.
    func ownChanges() throws(ServiceError) -> Identity.OwnAccountChanges {
        .init(
            email: email.nilIfEmpty, password: password.nilIfEmpty.map(Secret.init), displayName: displayName,
            photoURL: photoUrl, removals: try removals(),
            renamedPasskey: try renamePasskey.map { passkey throws(ServiceError) in
                .init(credentialID: try CredentialID(field: passkey.credentialId), name: passkey.name ?? "")
            },
            renamedFactor: renameFactor.map { factor in
                .init(id: FactorID(factor.mfaEnrollmentId ?? ""), name: factor.displayName ?? "")
            })
    }

    /// - Throws: `APIError` for a malformed time and for a change that only the owner can make, `ServiceError` for a
    ///   malformed credential id.
    func changes() throws -> Identity.AccountChanges {
        guard renamePasskey == nil, renameFactor == nil else { throw APIError(.unsupportedUpdateParameters) }
        return .init(
            email: email.nilIfEmpty, emailVerified: emailVerified, password: password.nilIfEmpty.map(Secret.init),
            displayName: displayName, photoURL: photoUrl, phoneNumber: phoneNumber.nilIfEmpty, disabled: disableUser,
            cancelsDeletion: cancelDeletion, customClaims: customAttributes,
            validSince: validSince.map { Timestamp(seconds: $0.value) },
            createdAt: createdAt.map { Moment(milliseconds: $0.value) },
            lastSignInAt: lastLoginAt.map { Moment(milliseconds: $0.value) },
            link: linkProviderUserInfo?.link,
            // An empty object removes every factor.
            secondFactors: try mfa.map { mfa throws(APIError) in
                try FactorBody.entries(mfa.enrollments ?? [], at: "mfa.enrollments")
            },
            removals: try removals())
    }

    private func removals() throws(ServiceError) -> [Identity.AccountChanges.Removal] {
        let passkeys = try (deletePasskey ?? []).map { text throws(ServiceError) in try CredentialID(field: text) }
        return (deleteAttribute ?? []).compactMap { Self.removal(of: $0.value) }
            + (deleteProvider ?? []).map(Self.removal(ofProvider:)) + passkeys.map { .passkey($0) }
    }

    private static func removal(of attribute: Attribute) -> Identity.AccountChanges.Removal? {
        switch attribute {
        case .email: .email
        case .displayName: .displayName
        case .photoURL: .photoURL
        case .password: .password
        case .provider: .providers
        case .rawUserInfo: nil  // Not stored.
        }
    }

    private static func removal(ofProvider id: String) -> Identity.AccountChanges.Removal {
        switch id {
        case "password": .emailSignIn
        case "phone": .phoneNumber
        default: .provider(id)
        }
    }
}

private struct UpdateReply: Encodable {
    var kind = "identitytoolkit#SetAccountInfoResponse"
    var localId: String
    var email: String?
    /// After an address change by action code.
    var newEmail: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var passwordHash: String?
    var providerUserInfo: [UserRecord.ProviderInfo]?
    /// For an owner with passkeys.
    var signals: PasskeySignals?

    init(_ account: Account, newEmail: EmailAddress? = nil) {
        let record = UserRecord(account)
        localId = record.localId
        email = record.email
        self.newEmail = newEmail?.rawValue
        emailVerified = record.emailVerified
        displayName = record.displayName
        photoUrl = record.photoUrl
        passwordHash = record.passwordHash
        providerUserInfo = record.providerUserInfo
    }
}
