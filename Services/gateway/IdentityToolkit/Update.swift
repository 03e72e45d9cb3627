internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// Changing accounts (wire-protocol 2.12). The administrators' form; people's own follow with their issue.
    static let update: [Route] = [
        Route(.post, .v1("accounts:update", v3: "setAccountInfo"), .v1, .client) { call in
            let body = try call.body(UpdateBody.self)
            if let code = body.oobCode.nonEmpty {
                let reply = try await applyCode(code, in: call.realm(body), call)
                return .json(UpdateReply(reply.account, newEmail: reply.newEmail))
            }
            guard body.idToken.nonEmpty == nil else {
                throw Refusal.notBuilt("changes by the owner of an account")
            }
            guard call.isAdministrator else {
                throw Refusal.product("INVALID_REQ_TYPE", detail: "Unsupported request parameters.")
            }
            return try await change(call, body)
        },
        Route(.post, .v1Realm("/accounts:update"), .v1, .administrator) { call in
            try await change(call, call.body(UpdateBody.self))
        },
    ]

    private static func change(_ call: Call, _ body: UpdateBody) async throws -> HTTPResponse {
        guard body.mfa?.enrollments.nonEmpty == nil else { throw Refusal.notBuilt("second factors") }
        guard body.deletePasskey.nonEmpty == nil else { throw Refusal.notBuilt("passkeys") }
        let reply = try await call.ask(
            Identity.UpdateAccount(
                realm: call.realm(body), accountID: body.localId.nonEmpty.map(AccountID.init), changes: body.changes,
                client: call.client))
        return .json(UpdateReply(reply.account))
    }
}

private struct UpdateBody: Decodable, RealmNaming {
    /// In the order of their numbers.
    enum Attribute: String, WireEnumeration {
        case email = "EMAIL", displayName = "DISPLAY_NAME", provider = "PROVIDER", photoURL = "PHOTO_URL"
        case password = "PASSWORD", rawUserInfo = "RAW_USER_INFO"
    }
    struct Provider: Decodable {
        var providerId: String?
        var rawId: String?
        var email: String?
        var displayName: String?
        var photoUrl: String?
    }
    struct MultiFactor: Decodable { var enrollments: [JSONValue]? }

    var localId: String?
    var idToken: String?
    var oobCode: String?
    var email: String?
    var emailVerified: Bool?
    var password: String?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var disableUser: Bool?
    var customAttributes: String?
    var validSince: WireInteger?
    var createdAt: WireInteger?
    var lastLoginAt: WireInteger?
    var deleteAttribute: [WireEnum<Attribute>]?
    var deleteProvider: [String]?
    var linkProviderUserInfo: Provider?
    var mfa: MultiFactor?
    var deletePasskey: [String]?
    var tenantId: String?
    var targetProjectId: String?

    var changes: Identity.AccountChanges {
        .init(
            email: email.nonEmpty, emailVerified: emailVerified, password: password.nonEmpty.map(Secret.init),
            displayName: displayName, photoURL: photoUrl, phoneNumber: phoneNumber.nonEmpty, disabled: disableUser,
            customClaims: customAttributes, validSince: validSince.map { Timestamp(seconds: $0.value) },
            createdAt: createdAt.map { Moment(milliseconds: $0.value) },
            lastSignInAt: lastLoginAt.map { Moment(milliseconds: $0.value) },
            link: linkProviderUserInfo.map { link in
                ProviderLink(
                    providerID: link.providerId ?? "", providerAccountID: link.rawId ?? "",
                    email: link.email.nonEmpty, displayName: link.displayName.nonEmpty,
                    photoURL: link.photoUrl.nonEmpty)
            },
            removals: (deleteAttribute ?? []).compactMap { Self.removal(of: $0.value) }
                + (deleteProvider ?? []).map(Self.removal(ofProvider:)))
    }

    private static func removal(of attribute: Attribute) -> Identity.AccountChanges.Removal? {
        switch attribute {
        case .email: .email
        case .displayName: .displayName
        case .photoURL: .photoURL
        case .password: .password
        case .provider: .providers
        case .rawUserInfo: nil  // Not kept.
        }
    }

    private static func removal(ofProvider id: String) -> Identity.AccountChanges.Removal {
        switch id {
        case "password": .password
        case "phone": .phoneNumber
        default: .provider(id)
        }
    }
}

private struct UpdateReply: Encodable {
    var kind = "identitytoolkit#SetAccountInfoResponse"
    var localId: String
    var email: String?
    /// After a change of address by code.
    var newEmail: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var passwordHash: String?
    var providerUserInfo: [UserRecord.ProviderInfo]?

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
