package import Vocabulary

/// The operations of the federation service: sign-in with identity providers (REST 2.4, 2.5, 2.9), the revocation
/// of their tokens (3.7), and their configuration (5.3).
package enum Federation {
    /// How long a sign-in that was started in a browser waits for the provider's response (security rule FE1).
    package static let browserSignInLifetime = Duration.seconds(10 * 60)

    package enum Operation: String, ServiceOperation {
        case listSignInProviders, startSignIn, signIn, verifyResponse, signInWithGameCenter, revokeToken
        case receiveAppleNotification
        // Dev mode: the practice provider.
        case readPracticeSignIn, finishPracticeSignIn
        // For administrators.
        case createProvider, readProvider, replaceProvider, deleteProvider, listProviders

        package static let service = ServiceName.federation

        package var callers: Set<BusCaller> {
            switch self {
            case .listSignInProviders, .startSignIn, .signIn, .verifyResponse, .signInWithGameCenter, .revokeToken,
                .receiveAppleNotification:
                .everyGateway
            case .listProviders: .administrationAndCommand
            case .createProvider, .readProvider, .replaceProvider, .deleteProvider: .administration
            // Dev mode, in which one listener serves everything.
            case .readPracticeSignIn, .finishPracticeSignIn: .administration
            }
        }
    }
}

extension Federation {
    /// Starts the sign-in in a browser: the provider's page, with state, nonce and PKCE.
    package struct StartSignIn: BusRequest, Equatable {
        package static let operation = Federation.Operation.startSignIn
        // A second request starts another sign-in, and the first one expires unused.
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var providerID: String
        /// Where the provider sends the user: an absolute URL on an authorized domain.
        package var continueURL: String
        /// Chosen by the client; absent: federation creates one.
        package var sessionID: String?
        /// The SHA-256 of a session ID that only the application knows, in hexadecimal; instead of `sessionID`.
        package var hashedSessionID: String?
        /// Returned by the sign-in.
        package var context: String?
        /// Space or comma separated; beside those of the provider.
        package var scopes: String?
        /// Parameters of the provider's page, for example `prompt`.
        package var parameters: [String: String]
        /// The page of the practice provider, for a provider without configuration. Ignored outside dev mode.
        package var practicePageURL: String?

        package init(
            realm: Realm, providerID: String, continueURL: String, sessionID: String? = nil,
            hashedSessionID: String? = nil, context: String? = nil, scopes: String? = nil,
            parameters: [String: String] = [:], practicePageURL: String? = nil
        ) {
            self.realm = realm
            self.providerID = providerID
            self.continueURL = continueURL
            self.sessionID = sessionID
            self.hashedSessionID = hashedSessionID
            self.context = context
            self.scopes = scopes
            self.parameters = parameters
            self.practicePageURL = practicePageURL
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var authorizationURL: String
            /// Empty when the request had a hashed one.
            package var sessionID: Secret<String>
            /// The parameter `state` of the response to this sign-in.
            package var state: Secret<String>

            package init(authorizationURL: String, sessionID: Secret<String>, state: Secret<String>) {
                self.authorizationURL = authorizationURL
                self.sessionID = sessionID
                self.state = state
            }
        }
    }

    /// The parameters that the provider or its library gave to the application, decoded.
    package struct ProviderResponse: Codable, Equatable, Sendable {
        package var providerID: String?
        package var idToken: Secret<String>?
        package var accessToken: Secret<String>?
        /// OAuth 1.
        package var tokenSecret: Secret<String>?
        /// The raw nonce; the ID token contains its SHA-256 in hexadecimal.
        package var nonce: Secret<String>?
        package var code: Secret<String>?
        package var state: Secret<String>?
        /// The parameter `iss` of an authorization response (RFC 9207).
        package var issuer: String?
        /// JSON text that Apple sends at the first sign-in.
        package var user: String?
        /// The error code of the provider (RFC 6749, 4.1.2.1).
        package var error: String?
        /// The base64 text of a SAML response (HTTP-POST binding).
        package var samlResponse: Secret<String>?
        /// The value that `StartSignIn` sent with the SAML request.
        package var relayState: Secret<String>?

        package init(
            providerID: String? = nil, idToken: Secret<String>? = nil, accessToken: Secret<String>? = nil,
            tokenSecret: Secret<String>? = nil, nonce: Secret<String>? = nil, code: Secret<String>? = nil,
            state: Secret<String>? = nil, issuer: String? = nil, user: String? = nil, error: String? = nil,
            samlResponse: Secret<String>? = nil, relayState: Secret<String>? = nil
        ) {
            self.providerID = providerID
            self.idToken = idToken
            self.accessToken = accessToken
            self.tokenSecret = tokenSecret
            self.nonce = nonce
            self.code = code
            self.state = state
            self.issuer = issuer
            self.user = user
            self.error = error
            self.samlResponse = samlResponse
            self.relayState = relayState
        }
    }

    /// Verifies a provider's response, or opens a pending token, and signs in.
    package struct SignIn: BusRequest, Equatable {
        package static let operation = Federation.Operation.signIn
        // Codes and nonces are redeemed.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        /// The address that the provider sent the user to, without query and fragment.
        package var requestURL: String
        package var response: ProviderResponse
        /// The session of `StartSignIn`, for a response with a state.
        package var sessionID: Secret<String>?
        /// The token of an earlier reply; it wins over `response`.
        package var pendingToken: Secret<String>?
        /// The account that receives the identity.
        package var linkIDToken: Secret<String>?
        package var createsAccount: Bool
        package var client: ClientContext

        package init(
            realm: Realm, requestURL: String, response: ProviderResponse, sessionID: Secret<String>? = nil,
            pendingToken: Secret<String>? = nil, linkIDToken: Secret<String>? = nil, createsAccount: Bool = true,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.requestURL = requestURL
            self.response = response
            self.sessionID = sessionID
            self.pendingToken = pendingToken
            self.linkIDToken = linkIDToken
            self.createsAccount = createsAccount
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var signIn: Identity.ProviderSignInReply
            package var profile: ProviderProfile
            package var credential: ProviderCredential
            /// The context of `StartSignIn`.
            package var context: String?
            /// Valid for further sign-ins with the same identity, for an hour.
            package var pendingToken: Secret<String>?

            package init(
                signIn: Identity.ProviderSignInReply, profile: ProviderProfile, credential: ProviderCredential,
                context: String? = nil, pendingToken: Secret<String>? = nil
            ) {
                self.signIn = signIn
                self.profile = profile
                self.credential = credential
                self.context = context
                self.pendingToken = pendingToken
            }
        }
    }

    /// What the provider says about its user, for the application.
    package struct ProviderProfile: Codable, Equatable, Sendable {
        package var identity: ProviderIdentity
        package var fullName: String?
        package var firstName: String?
        package var lastName: String?
        package var nickName: String?
        package var screenName: String?
        package var language: String?
        package var timeZone: String?
        package var dateOfBirth: String?
        /// JSON text of the provider's claims.
        package var rawUserInfo: String

        package init(
            identity: ProviderIdentity, fullName: String? = nil, firstName: String? = nil, lastName: String? = nil,
            nickName: String? = nil, screenName: String? = nil, language: String? = nil, timeZone: String? = nil,
            dateOfBirth: String? = nil, rawUserInfo: String
        ) {
            self.identity = identity
            self.fullName = fullName
            self.firstName = firstName
            self.lastName = lastName
            self.nickName = nickName
            self.screenName = screenName
            self.language = language
            self.timeZone = timeZone
            self.dateOfBirth = dateOfBirth
            self.rawUserInfo = rawUserInfo
        }
    }

    /// The provider's tokens, for the application. They are not stored.
    package struct ProviderCredential: Codable, Equatable, Sendable {
        package var idToken: Secret<String>?
        package var accessToken: Secret<String>?
        package var expiresInSeconds: Int?
        package var tokenSecret: Secret<String>?
        package var authorizationCode: Secret<String>?
        package var refreshToken: Secret<String>?
        package var scopes: String?

        package init(
            idToken: Secret<String>? = nil, accessToken: Secret<String>? = nil, expiresInSeconds: Int? = nil,
            tokenSecret: Secret<String>? = nil, authorizationCode: Secret<String>? = nil,
            refreshToken: Secret<String>? = nil, scopes: String? = nil
        ) {
            self.idToken = idToken
            self.accessToken = accessToken
            self.expiresInSeconds = expiresInSeconds
            self.tokenSecret = tokenSecret
            self.authorizationCode = authorizationCode
            self.refreshToken = refreshToken
            self.scopes = scopes
        }
    }
}
