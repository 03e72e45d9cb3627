package import Vocabulary

/// What an identity provider has asserted about a user, as federation has verified it.
package struct ProviderIdentity: Codable, Equatable, Sendable {
    /// `google.com`, `facebook.com`, `oidc.…`, `saml.…`
    package var providerID: String
    /// The provider's own ID of the user: the key of the identity. The e-mail address never is (security rule FE11).
    package var subject: String
    package var email: String?
    /// The provider asserts that the user controls the address.
    package var isEmailVerified: Bool
    /// The provider decides who controls the address: it is verified, and in a domain of the provider or of its
    /// configuration (security rule FE12).
    package var isEmailAuthoritative: Bool
    package var displayName: String?
    package var photoURL: String?
    /// JSON text of an object: claims of an OIDC or SAML provider that tokens contain as
    /// `firebase.sign_in_attributes`.
    package var attributes: String?

    package init(
        providerID: String, subject: String, email: String? = nil, isEmailVerified: Bool = false,
        isEmailAuthoritative: Bool = false, displayName: String? = nil, photoURL: String? = nil,
        attributes: String? = nil
    ) {
        self.providerID = providerID
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.isEmailAuthoritative = isEmailAuthoritative
        self.displayName = displayName
        self.photoURL = photoURL
        self.attributes = attributes
    }
}

extension Identity {
    /// Signs in with an identity that federation has verified, or links it to the account of an ID token (REST 2.4, the
    /// table of account resolution). Only federation may send it.
    package struct SignInWithProvider: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithProvider
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var identity: ProviderIdentity
        /// The account that receives the identity.
        package var linkIDToken: Secret<String>?
        /// Whether an unknown identity creates an account.
        package var createsAccount: Bool
        package var client: ClientContext
        /// For blocking functions. Not stored.
        package var details: ProviderDetails?
        /// When the identity was verified, if that was in an earlier request (a pending token); absent: in this one.
        package var verifiedAt: Moment?

        package init(
            realm: Realm, identity: ProviderIdentity, linkIDToken: Secret<String>? = nil, createsAccount: Bool = true,
            client: ClientContext = .init(), details: ProviderDetails? = nil, verifiedAt: Moment? = nil
        ) {
            self.realm = realm
            self.identity = identity
            self.linkIDToken = linkIDToken
            self.createsAccount = createsAccount
            self.client = client
            self.details = details
            self.verifiedAt = verifiedAt
        }

        package typealias Reply = ProviderSignInReply
    }

    /// What a provider sent beside the identity of a user.
    package struct ProviderDetails: Codable, Equatable, Sendable {
        /// JSON text of the provider's claims.
        package var rawUserInfo: String?
        package var idToken: Secret<String>?
        package var accessToken: Secret<String>?
        package var refreshToken: Secret<String>?
        /// OAuth 1.
        package var tokenSecret: Secret<String>?
        /// The lifetime of the access token.
        package var expiresInSeconds: Int?

        package init(
            rawUserInfo: String? = nil, idToken: Secret<String>? = nil, accessToken: Secret<String>? = nil,
            refreshToken: Secret<String>? = nil, tokenSecret: Secret<String>? = nil, expiresInSeconds: Int? = nil
        ) {
            self.rawUserInfo = rawUserInfo
            self.idToken = idToken
            self.accessToken = accessToken
            self.refreshToken = refreshToken
            self.tokenSecret = tokenSecret
            self.expiresInSeconds = expiresInSeconds
        }
    }

    /// Exactly one of `session`, `pending`, `confirmation` and `conflict`.
    package struct ProviderSignInReply: Codable, Equatable, Sendable {
        package struct Session: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet
            package var isNewAccount: Bool
            /// The account had the address unverified: its former credentials and sessions are gone.
            package var isEmailRecycled: Bool

            package init(account: Account, tokens: TokenSet, isNewAccount: Bool, isEmailRecycled: Bool) {
                self.account = account
                self.tokens = tokens
                self.isNewAccount = isNewAccount
                self.isEmailRecycled = isEmailRecycled
            }
        }

        /// Another account has the address, and the provider is not authoritative for it: the user first signs in with
        /// a method of that account, and then links the identity.
        package struct Confirmation: Codable, Equatable, Sendable {
            package var accountID: AccountID
            package var email: EmailAddress
            /// The methods of the account: `password`, provider IDs.
            package var verifiedProviders: [String]

            package init(accountID: AccountID, email: EmailAddress, verifiedProviders: [String]) {
                self.accountID = accountID
                self.email = email
                self.verifiedProviders = verifiedProviders
            }
        }

        /// Why an identity was not linked to the account of the ID token.
        package enum Conflict: String, CaseIterable, Codable, Sendable {
            /// Another account has the identity.
            case identityLinked
            /// Another account has the address.
            case emailExists
        }

        package var session: Session?
        package var pending: PendingReply?
        package var confirmation: Confirmation?
        package var conflict: Conflict?

        package init(session: Session) {
            self.session = session
        }

        package init(pending: PendingReply) {
            self.pending = pending
        }

        package init(confirmation: Confirmation) {
            self.confirmation = confirmation
        }

        package init(conflict: Conflict) {
            self.conflict = conflict
        }
    }
}
