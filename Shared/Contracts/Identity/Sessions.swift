package import Vocabulary

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

    /// Exchanges a refresh token for its successor and a new ID token. Errors: `missingRefreshToken`,
    /// `invalidRefreshToken`, `sessionExpired`, `accountNotFound`, `accountDisabled`, `tenantMismatch`.
    package struct RefreshSession: BusRequest {
        package static let operation = Identity.Operation.refreshSession
        // The predecessor of a token that was never used stays valid, so a second refresh changes nothing more.
        package static let delivery = Delivery.idempotent
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

    /// Verifies an ID token (signature, issuer, audience, expiry, tenant) and its account (exists, enabled, not
    /// revoked since). A realm without tenant takes the token's tenant. Errors: `missingIDToken`, `invalidIDToken`,
    /// `sessionExpired`, `accountNotFound`, `accountDisabled`, `tenantMismatch`.
    package struct VerifyIDToken: BusRequest {
        package static let operation = Identity.Operation.verifyIDToken
        package static let delivery = Delivery.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var principal: Principal

            package init(principal: Principal) {
                self.principal = principal
            }
        }
    }

    /// Exchanges a token that a service account signed, or in dev mode one without signature, for a session. Makes the
    /// account if there is none. No second factor is asked for. Errors: `missingCustomToken`, `invalidCustomToken`,
    /// `credentialMismatch`, `tenantMismatch`, `missingIdentifier`, `invalidIdentifier`, `invalidCustomClaims`,
    /// `customClaimsTooLarge`, `reservedClaim`, `accountDisabled`, `tenantNotFound`, `projectDisabled`.
    package struct SignInWithCustomToken: BusRequest {
        package static let operation = Identity.Operation.signInWithCustomToken
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var token: Secret<String>?
        package var client: ClientContext

        package init(realm: Realm, token: Secret<String>?, client: ClientContext = .init()) {
            self.realm = realm
            self.token = token
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet
            package var isNewAccount: Bool

            package init(account: Account, tokens: TokenSet, isNewAccount: Bool) {
                self.account = account
                self.tokens = tokens
                self.isNewAccount = isNewAccount
            }
        }
    }

    /// Makes a session cookie out of a fresh ID token: the same claims under another issuer, other keys and a longer
    /// life. Errors: `invalidDuration`, `recentSignInRequired`, and those of `VerifyIDToken`.
    package struct CreateSessionCookie: BusRequest {
        package static let operation = Identity.Operation.createSessionCookie
        // A second cookie is as good as the first.
        package static let delivery = Delivery.idempotent
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
