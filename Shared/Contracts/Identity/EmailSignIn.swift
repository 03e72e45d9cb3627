package import Vocabulary

extension Identity {
    /// Signs in the user who reads the e-mail of an address, and creates the account if there is none. With `linkIDToken`
    /// the account of that ID token receives the address. An account that had the address unverified loses everything
    /// unverified: password, linked providers and phone number.
    package struct SignInWithEmailLink: BusRequest {
        package static let operation = Identity.Operation.signInWithEmailLink
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var email: String?
        package var code: Secret<String>?
        package var linkIDToken: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, email: String?, code: Secret<String>?, linkIDToken: Secret<String>? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.email = email
            self.code = code
            self.linkIDToken = linkIDToken
            self.client = client
        }

        /// Exactly one of `tokens` and `secondFactor`.
        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var isNewAccount: Bool
            package var tokens: TokenSet?
            package var secondFactor: PendingSecondFactor?

            package init(account: Account, isNewAccount: Bool, tokens: TokenSet) {
                self.account = account
                self.isNewAccount = isNewAccount
                self.tokens = tokens
            }

            package init(account: Account, secondFactor: PendingSecondFactor) {
                self.account = account
                isNewAccount = false
                self.secondFactor = secondFactor
            }
        }
    }

    /// The sign-in methods of the account with an address, or with a provider that has it. Where several accounts may
    /// have one address, those of providers are not listed. Under e-mail privacy the reply contains none.
    package struct FindSignInMethods: BusRequest {
        package static let operation = Identity.Operation.findSignInMethods
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var email: String?

        package init(realm: Realm, email: String?) {
            self.realm = realm
            self.email = email
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// Random if the client chose none.
            package var sessionID: String
            /// Nil under e-mail privacy.
            package var methods: Methods?

            package init(sessionID: String, methods: Methods?) {
                self.sessionID = sessionID
                self.methods = methods
            }
        }

        package struct Methods: Codable, Equatable, Sendable {
            package var isRegistered: Bool
            package var hasPassword: Bool
            package var hasEmailLink: Bool
            /// Ids of linked providers, in the order they were linked.
            package var providers: [String]

            package init(isRegistered: Bool, hasPassword: Bool, hasEmailLink: Bool, providers: [String]) {
                self.isRegistered = isRegistered
                self.hasPassword = hasPassword
                self.hasEmailLink = hasEmailLink
                self.providers = providers
            }
        }
    }
}
