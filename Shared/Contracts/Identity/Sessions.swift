package import Vocabulary

/// The tokens of a sign-in.
package struct TokenSet: Codable, Equatable, Sendable {
    package var idToken: Secret<String>
    package var refreshToken: Secret<String>
    package var expiresInSeconds: Int
    /// Shows at later sign-ins that this client has signed in to the account before: the client then has its own quota
    /// of wrong passwords. It grants no access. Nil for an account without an e-mail address.
    package var deviceToken: Secret<String>?

    /// Length of the common prefix of all device tokens of one account.
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

/// The account and sign-in data of a verified ID token that the account still allows.
package struct Principal: Codable, Equatable, Sendable {
    package var accountID: AccountID
    package var realm: Realm
    package var issuedAt: Timestamp
    /// When the first factor of the session was verified.
    package var authenticatedAt: Timestamp
    /// `firebase.sign_in_provider`: `password`, `phone`, `anonymous`, `custom`, `passkey`, or a provider's id.
    package var signInProvider: String
    /// The second factor of this session.
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

extension Identity {
    /// The account after the request, and the tokens of its session.
    package struct SessionReply: Codable, Equatable, Sendable {
        package var account: Account
        package var tokens: TokenSet

        package init(account: Account, tokens: TokenSet) {
            self.account = account
            self.tokens = tokens
        }
    }

    /// The reply to a verified first factor. Exactly one of `tokens` and `secondFactor`.
    package struct FirstFactorReply: Codable, Equatable, Sendable {
        package var account: Account
        package var tokens: TokenSet?
        /// The account requires it.
        package var secondFactor: PendingSecondFactor?

        package init(account: Account, tokens: TokenSet) {
            self.account = account
            self.tokens = tokens
        }

        package init(account: Account, secondFactor: PendingSecondFactor) {
            self.account = account
            self.secondFactor = secondFactor
        }
    }

    /// A session of an account that the request may have created.
    package struct SignedInReply: Codable, Equatable, Sendable {
        package var account: Account
        package var tokens: TokenSet
        package var isNewAccount: Bool

        package init(account: Account, tokens: TokenSet, isNewAccount: Bool) {
            self.account = account
            self.tokens = tokens
            self.isNewAccount = isNewAccount
        }
    }

    /// The account requires a second factor.
    package struct PendingReply: Codable, Equatable, Sendable {
        package var account: Account
        package var secondFactor: PendingSecondFactor

        package init(account: Account, secondFactor: PendingSecondFactor) {
            self.account = account
            self.secondFactor = secondFactor
        }
    }

    /// Exchanges a refresh token for its successor and a new ID token.
    package struct RefreshSession: BusRequest {
        package static let operation = Identity.Operation.refreshSession
        // The predecessor of an unused token stays valid, so a second refresh changes nothing more.
        package static let retrySemantics = RetrySemantics.idempotent
        package var project: ProjectID
        package var refreshToken: Secret<String>?

        package init(project: ProjectID, refreshToken: Secret<String>?) {
            self.project = project
            self.refreshToken = refreshToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accountID: AccountID
            package var projectNumber: String
            package var tokens: TokenSet

            package init(accountID: AccountID, projectNumber: String, tokens: TokenSet) {
                self.accountID = accountID
                self.projectNumber = projectNumber
                self.tokens = tokens
            }
        }
    }

    /// Verifies an ID token (signature, issuer, audience, expiry, tenant) and its account (exists, enabled, token not
    /// revoked). A realm without tenant accepts the token's tenant.
    package struct VerifyIDToken: BusRequest {
        package static let operation = Identity.Operation.verifyIDToken
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Of a session that may change how the account signs in: opened lately, with the second factor that it has. Who
        /// asks before a user goes away, to a provider for example, does not ask for a sign-in after the return.
        package var demandsRecentSignIn: Bool

        package init(realm: Realm, idToken: Secret<String>?, demandsRecentSignIn: Bool = false) {
            self.realm = realm
            self.idToken = idToken
            self.demandsRecentSignIn = demandsRecentSignIn
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var principal: Principal

            package init(principal: Principal) {
                self.principal = principal
            }
        }
    }

    /// Exchanges a token that a service account signed, or in dev mode an unsigned one, for a session. Creates the
    /// account if there is none. No second factor is required.
    package struct SignInWithCustomToken: BusRequest {
        package static let operation = Identity.Operation.signInWithCustomToken
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var token: Secret<String>?
        package var client: ClientContext

        package init(realm: Realm, token: Secret<String>?, client: ClientContext = .init()) {
            self.realm = realm
            self.token = token
            self.client = client
        }

        package typealias Reply = SignedInReply
    }

    /// Creates a session cookie from a recent ID token: the same claims with another issuer, other keys and a longer
    /// lifetime.
    package struct CreateSessionCookie: BusRequest {
        package static let operation = Identity.Operation.createSessionCookie
        // A second cookie is equivalent to the first.
        package static let retrySemantics = RetrySemantics.idempotent
        /// Five minutes to two weeks.
        package static let lifetimeSeconds: ClosedRange<Int64> = 300...1_209_600

        package var realm: Realm
        package var idToken: Secret<String>?
        /// Absent: two weeks.
        package var lifetimeSeconds: Int64?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, lifetimeSeconds: Int64? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.lifetimeSeconds = lifetimeSeconds
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var sessionCookie: Secret<String>

            package init(sessionCookie: Secret<String>) {
                self.sessionCookie = sessionCookie
            }
        }
    }
}
