package import Vocabulary

/// An account as other services and the gateway may see it. No password hash, no secret of a factor.
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
    /// Made by a custom token.
    package var customAuthentication: Bool
    package var hasPassword: Bool
    package var passwordChangedAt: Moment?
    /// Tokens and sessions that began before this second are void.
    package var validSince: Timestamp
    package var createdAt: Moment
    package var lastSignInAt: Moment?
    package var lastRefreshAt: Moment?
    /// JSON text of an object: claims that an administrator set, copied into every ID token.
    package var customClaims: String?
    /// In the order they were linked. `password` and `phone` are not among them.
    package var providers: [ProviderLink]
    package var secondFactors: [SecondFactor]

    package init(
        id: AccountID, realm: Realm, email: EmailAddress? = nil, initialEmail: EmailAddress? = nil,
        emailVerified: Bool = false, emailLinkSignIn: Bool = false, displayName: String? = nil, photoURL: String? = nil,
        phoneNumber: PhoneNumber? = nil, disabled: Bool = false, customAuthentication: Bool = false,
        hasPassword: Bool = false, passwordChangedAt: Moment? = nil, validSince: Timestamp, createdAt: Moment,
        lastSignInAt: Moment? = nil, lastRefreshAt: Moment? = nil, customClaims: String? = nil,
        providers: [ProviderLink] = [], secondFactors: [SecondFactor] = []
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
        self.customClaims = customClaims
        self.providers = providers
        self.secondFactors = secondFactors
    }
}

/// The identity an account has at another provider.
package struct ProviderLink: Codable, Equatable, Sendable {
    /// `google.com`, `facebook.com`, `oidc.…`, `saml.…`
    package var providerID: String
    /// The provider's own id of the person.
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

/// A verified second factor.
package struct SecondFactor: Codable, Equatable, Sendable {
    package enum Kind: Codable, Equatable, Sendable {
        case phone(PhoneNumber)
        case totp
    }
    package var id: FactorID
    package var kind: Kind
    package var displayName: String?
    package var enrolledAt: Moment

    package init(id: FactorID, kind: Kind, displayName: String?, enrolledAt: Moment) {
        self.id = id
        self.kind = kind
        self.displayName = displayName
        self.enrolledAt = enrolledAt
    }
}

/// What a sign-in hands to the client.
package struct TokenSet: Codable, Equatable, Sendable {
    package var idToken: Secret<String>
    package var refreshToken: Secret<String>
    package var expiresInSeconds: Int
    /// Shows at later sign-ins that this client has signed in to the account before: it then has a budget of wrong
    /// passwords of its own. Opens nothing. nil for an account without an e-mail address.
    package var deviceToken: Secret<String>?

    /// Device tokens of one account begin with the same characters, as many as this.
    package static let deviceTokenAccountCharacters = 12

    package init(
        idToken: Secret<String>, refreshToken: Secret<String>, expiresInSeconds: Int,
        deviceToken: Secret<String>? = nil
    ) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expiresInSeconds = expiresInSeconds
        self.deviceToken = deviceToken
    }
}

/// Who is acting, as a verified ID token says and the account still allows.
package struct Principal: Codable, Equatable, Sendable {
    package var accountID: AccountID
    package var realm: Realm
    package var issuedAt: Timestamp
    /// When the sign-in happened that opened the session.
    package var authenticatedAt: Timestamp
    /// `firebase.sign_in_provider`: `password`, `phone`, `anonymous`, `custom`, `passkey`, or a provider's id.
    package var signInProvider: String
    /// The second factor this session used.
    package var secondFactorID: FactorID?

    package init(
        accountID: AccountID, realm: Realm, issuedAt: Timestamp, authenticatedAt: Timestamp, signInProvider: String,
        secondFactorID: FactorID? = nil
    ) {
        self.accountID = accountID
        self.realm = realm
        self.issuedAt = issuedAt
        self.authenticatedAt = authenticatedAt
        self.signInProvider = signInProvider
        self.secondFactorID = secondFactorID
    }
}

/// Where a request came from, for the audit log and for limits.
package struct ClientContext: Codable, Equatable, Sendable {
    package var ipAddress: String?
    package var userAgent: String?
    /// Device tokens that the client presents, of any account; whether they are genuine is for identity to say.
    package var deviceTokens: [Secret<String>]?

    package init(ipAddress: String? = nil, userAgent: String? = nil, deviceTokens: [Secret<String>]? = nil) {
        self.ipAddress = ipAddress
        self.userAgent = userAgent
        self.deviceTokens = deviceTokens
    }
}
