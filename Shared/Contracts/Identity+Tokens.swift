package import Vocabulary

// MARK: - Tokens that backends make, and tokens made for them

extension Identity {
    /// Exchanges a token that a service account signed, or in dev mode one without signature, for a session. Makes the
    /// account if there is none. No second factor is asked for. Refusals: `missingCustomToken`, `invalidCustomToken`,
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
    /// life. Refusals: `invalidDuration`, `recentSignInRequired`, and those of `VerifyIDToken`.
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
