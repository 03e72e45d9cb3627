import Contracts
import Vocabulary

/// The reply of a provider sign-in (REST 2.4). Clients check which keys are present, so that no key has an empty or
/// false value in place of an absent one.
struct ProviderSignInReply: Encodable {
    var kind = "identitytoolkit#VerifyAssertionResponse"
    var providerId: String
    var federatedId: String
    var tenantId: String?
    var context: String?
    var pendingToken: String?

    // The account.
    var localId: String?
    var isNewUser: Bool?
    var emailRecycled: Bool?
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
    var errorMessage: String?

    // What the provider says about its user.
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var fullName: String?
    var firstName: String?
    var lastName: String?
    var nickName: String?
    var screenName: String?
    var language: String?
    var timeZone: String?
    var dateOfBirth: String?
    /// JSON text.
    var rawUserInfo: String?

    // The tokens of the provider.
    var oauthIdToken: String?
    var oauthAccessToken: String?
    var oauthExpireIn: Int?
    var oauthTokenSecret: String?
    var oauthAuthorizationCode: String?
    var oauthRefreshToken: String?
    var oauthScope: String?

    /// - Parameter error: the conflict that prevented the sign-in.
    /// - Throws: `internal` for a reply without an outcome.
    init(_ reply: Federation.SignIn.Reply, in realm: Realm, error: APIError?) throws(ServiceError) {
        let identity = reply.profile.identity
        providerId = identity.providerID
        federatedId = Self.federatedID(of: identity)
        tenantId = realm.tenant?.rawValue
        context = reply.context.nilIfEmpty
        pendingToken = reply.pendingToken?.reveal()
        set(reply.profile)
        set(reply.credential)
        if let error {
            errorMessage = error.message
        } else {
            try set(reply.signIn)
        }
    }

    /// `UserRecord.ProviderInfo` has the bare subject where no URL is known (REST 2.13).
    private static func federatedID(of identity: ProviderIdentity) -> String {
        Federation.SupportedProvider.accountURL(of: identity.subject, at: identity.providerID)
            ?? "\(identity.providerID)/\(identity.subject)"
    }

    private mutating func set(_ signIn: Identity.ProviderSignInReply) throws(ServiceError) {
        if let session = signIn.session {
            localId = session.account.id.rawValue
            isNewUser = session.isNewAccount ? true : nil
            emailRecycled = session.isEmailRecycled ? true : nil
        } else if let pending = signIn.pending {
            localId = pending.account.id.rawValue
        } else if let confirmation = signIn.confirmation {
            needConfirmation = true
            localId = confirmation.accountID.rawValue
            email = confirmation.email.rawValue
            verifiedProvider = confirmation.verifiedProviders.nilIfEmpty
        } else {
            throw ServiceError(.internal)
        }
    }

    private mutating func set(_ profile: Federation.ProviderProfile) {
        email = profile.identity.email.nilIfEmpty
        emailVerified = email == nil ? nil : profile.identity.isEmailVerified
        displayName = profile.identity.displayName.nilIfEmpty
        photoUrl = profile.identity.photoURL.nilIfEmpty
        fullName = profile.fullName.nilIfEmpty
        firstName = profile.firstName.nilIfEmpty
        lastName = profile.lastName.nilIfEmpty
        nickName = profile.nickName.nilIfEmpty
        screenName = profile.screenName.nilIfEmpty
        language = profile.language.nilIfEmpty
        timeZone = profile.timeZone.nilIfEmpty
        dateOfBirth = profile.dateOfBirth.nilIfEmpty
        rawUserInfo = profile.rawUserInfo.nilIfEmpty
    }

    private mutating func set(_ credential: Federation.ProviderCredential) {
        oauthIdToken = credential.idToken?.reveal()
        oauthAccessToken = credential.accessToken?.reveal()
        oauthExpireIn = credential.expiresInSeconds
        oauthTokenSecret = credential.tokenSecret?.reveal()
        oauthAuthorizationCode = credential.authorizationCode?.reveal()
        oauthRefreshToken = credential.refreshToken?.reveal()
        oauthScope = credential.scopes.nilIfEmpty
    }
}
