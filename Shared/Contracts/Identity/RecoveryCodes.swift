package import Vocabulary

extension Identity {
    /// Generates ten new codes and voids the old ones. The codes are returned once and stored as keyed hashes.
    package struct GenerateRecoveryCodes: BusRequest, Equatable {
        package static let operation = Identity.Operation.generateRecoveryCodes
        // The codes are returned once.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package static let count = 10
        package var realm: Realm
        package var idToken: Secret<String>?
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var codes: [Secret<String>]

            package init(codes: [Secret<String>]) {
                self.codes = codes
            }
        }
    }

    /// The number of unused codes.
    package struct CountRecoveryCodes: BusRequest, Equatable {
        package static let operation = Identity.Operation.countRecoveryCodes
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var remaining: Int

            package init(remaining: Int) {
                self.remaining = remaining
            }
        }
    }

    /// Completes a sign-in with a recovery code in place of the second factor: redeems the code and the credential, and
    /// opens the session, in one transaction. Failures count against the account, for any credential.
    package struct SignInWithRecoveryCode: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithRecoveryCode
        // Each attempt is counted.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var project: ProjectID
        /// The tenant of the request; the credential must belong to it.
        package var tenant: TenantID?
        package var pendingCredential: Secret<String>?
        package var code: Secret<String>?
        package var locale: String?
        package var client: ClientContext

        package init(
            project: ProjectID, tenant: TenantID? = nil, pendingCredential: Secret<String>?, code: Secret<String>?,
            locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.tenant = tenant
            self.pendingCredential = pendingCredential
            self.code = code
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet
            /// Codes left after this one.
            package var remaining: Int

            package init(account: Account, tokens: TokenSet, remaining: Int) {
                self.account = account
                self.tokens = tokens
                self.remaining = remaining
            }
        }
    }
}
