package import Vocabulary

// Sign-in on pages of the gateway (REST 7.1).

extension Federation {
    /// The enabled providers that have a page for sign-ins, in the order of their names. It contains nothing that users may
    /// not see.
    package struct ListSignInProviders: BusRequest, Equatable {
        package static let operation = Federation.Operation.listSignInProviders
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Entry: Codable, Equatable, Sendable {
            package var id: String
            /// As its users know it.
            package var name: String

            package init(id: String, name: String) {
                self.id = id
                self.name = name
            }
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var providers: [Entry]

            package init(providers: [Entry]) {
                self.providers = providers
            }
        }
    }

    /// Verifies the response to a sign-in that was started here, without signing in. The application signs in with the
    /// pending token.
    package struct VerifyResponse: BusRequest, Equatable {
        package static let operation = Federation.Operation.verifyResponse
        // The state and the code are redeemed.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        /// As in `SignIn`.
        package var requestURL: String
        package var response: ProviderResponse
        /// The session of `StartSignIn`.
        package var sessionID: Secret<String>

        package init(
            realm: Realm, requestURL: String, response: ProviderResponse, sessionID: Secret<String>
        ) {
            self.realm = realm
            self.requestURL = requestURL
            self.response = response
            self.sessionID = sessionID
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var providerID: String
            /// Valid for sign-ins with this identity, for ten minutes.
            package var pendingToken: Secret<String>

            package init(providerID: String, pendingToken: Secret<String>) {
                self.providerID = providerID
                self.pendingToken = pendingToken
            }
        }
    }

    /// A user of the practice provider, as the developer invents it.
    package struct PracticeUser: Codable, Equatable, Sendable {
        package static let maximumTextBytes = 256
        /// The provider's own ID of the user; not empty.
        package var subject: String
        package var email: String?
        package var isEmailVerified: Bool
        package var displayName: String?
        /// By which a provider such as GitHub knows the user.
        package var userName: String?

        package init(
            subject: String, email: String? = nil, isEmailVerified: Bool = false, displayName: String? = nil,
            userName: String? = nil
        ) {
            self.subject = subject
            self.email = email
            self.isEmailVerified = isEmailVerified
            self.displayName = displayName
            self.userName = userName
        }
    }

    /// The sign-in that the page of the practice provider was opened for.
    package struct ReadPracticeSignIn: BusRequest, Equatable {
        package static let operation = Federation.Operation.readPracticeSignIn
        package static let retrySemantics = RetrySemantics.idempotent
        package var state: Secret<String>

        package init(state: Secret<String>) {
            self.state = state
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var realm: Realm
            package var providerID: String

            package init(realm: Realm, providerID: String) {
                self.realm = realm
                self.providerID = providerID
            }
        }
    }

    /// Creates the response of the practice provider.
    package struct FinishPracticeSignIn: BusRequest, Equatable {
        package static let operation = Federation.Operation.finishPracticeSignIn
        package static let retrySemantics = RetrySemantics.idempotent
        package var state: Secret<String>
        /// Nil: the developer has canceled.
        package var user: PracticeUser?

        package init(state: Secret<String>, user: PracticeUser?) {
            self.state = state
            self.user = user
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The redirect URI of the sign-in with the response.
            package var responseURL: Secret<String>

            package init(responseURL: Secret<String>) {
                self.responseURL = responseURL
            }
        }
    }
}
