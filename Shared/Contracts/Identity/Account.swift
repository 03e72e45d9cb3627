package import Vocabulary

/// An account in the form that other services and the gateway receive. It contains no password hash and no secret of a
/// factor.
package struct Account: Codable, Equatable, Sendable {
    package var id: AccountID
    package var realm: Realm
    package var email: EmailAddress?
    /// The address before the owner last changed it.
    package var initialEmail: EmailAddress?
    package var emailVerified: Bool
    package var emailLinkSignIn: Bool
    package var displayName: String?
    package var photoURL: String?
    package var phoneNumber: PhoneNumber?
    package var disabled: Bool
    /// Created by a custom token.
    package var customAuthentication: Bool
    package var hasPassword: Bool
    package var passwordChangedAt: Moment?
    /// Tokens and sessions from before this second are invalid.
    package var validSince: Timestamp
    package var createdAt: Moment
    package var lastSignInAt: Moment?
    package var lastRefreshAt: Moment?
    /// When the account is deleted, unless its owner restores it before; nil for an account that stays.
    package var deletionDueAt: Moment?
    /// JSON text of an object: claims set by an administrator and copied into every ID token.
    package var customClaims: String?
    /// In the order they were linked. `password` and `phone` are not among them.
    package var providers: [ProviderLink]
    package var secondFactors: [SecondFactor]
    /// In the order they were added.
    package var passkeys: [AccountPasskey]

    package init(
        id: AccountID, realm: Realm, email: EmailAddress? = nil, initialEmail: EmailAddress? = nil,
        emailVerified: Bool = false, emailLinkSignIn: Bool = false, displayName: String? = nil, photoURL: String? = nil,
        phoneNumber: PhoneNumber? = nil, disabled: Bool = false, customAuthentication: Bool = false,
        hasPassword: Bool = false, passwordChangedAt: Moment? = nil, validSince: Timestamp, createdAt: Moment,
        lastSignInAt: Moment? = nil, lastRefreshAt: Moment? = nil, deletionDueAt: Moment? = nil,
        customClaims: String? = nil, providers: [ProviderLink] = [], secondFactors: [SecondFactor] = [],
        passkeys: [AccountPasskey] = []
    ) {
        self.id = id
        self.realm = realm
        self.email = email
        self.initialEmail = initialEmail
        self.emailVerified = emailVerified
        self.emailLinkSignIn = emailLinkSignIn
        self.displayName = displayName
        self.photoURL = photoURL
        self.phoneNumber = phoneNumber
        self.disabled = disabled
        self.customAuthentication = customAuthentication
        self.hasPassword = hasPassword
        self.passwordChangedAt = passwordChangedAt
        self.validSince = validSince
        self.createdAt = createdAt
        self.lastSignInAt = lastSignInAt
        self.lastRefreshAt = lastRefreshAt
        self.deletionDueAt = deletionDueAt
        self.customClaims = customClaims
        self.providers = providers
        self.secondFactors = secondFactors
        self.passkeys = passkeys
    }
}

/// The identity of an account at an identity provider.
package struct ProviderLink: Codable, Equatable, Sendable {
    /// `google.com`, `facebook.com`, `oidc.…`, `saml.…`
    package var providerID: String
    /// The provider's own id of the user.
    package var providerAccountID: String
    package var email: String?
    package var displayName: String?
    package var photoURL: String?

    package init(
        providerID: String, providerAccountID: String, email: String? = nil, displayName: String? = nil,
        photoURL: String? = nil
    ) {
        self.providerID = providerID
        self.providerAccountID = providerAccountID
        self.email = email
        self.displayName = displayName
        self.photoURL = photoURL
    }
}
