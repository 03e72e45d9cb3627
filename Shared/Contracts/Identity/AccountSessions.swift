package import Vocabulary

extension Identity {
    /// A session of an account as an operator sees it. It contains no token.
    package struct AccountSession: Codable, Equatable, Sendable {
        /// base64url of 16 bytes.
        package var id: String
        package var createdAt: Moment
        /// The latest refresh, or the sign-in.
        package var lastUsedAt: Moment
        /// `password`, `phone`, `anonymous`, `custom`, `passkey`, or a provider's id.
        package var signInProvider: String
        /// `phone`, `totp` or `recovery_code`; absent without a second factor.
        package var secondFactor: String?
        /// The address of the request that opened the session; absent for sessions of former versions.
        package var clientAddress: String?
        /// Tokens of the session permit the enrollment of a second factor only.
        package var isEnrollmentOnly: Bool

        package init(
            id: String, createdAt: Moment, lastUsedAt: Moment, signInProvider: String, secondFactor: String? = nil,
            clientAddress: String? = nil, isEnrollmentOnly: Bool = false
        ) {
            self.id = id
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.signInProvider = signInProvider
            self.secondFactor = secondFactor
            self.clientAddress = clientAddress
            self.isEnrollmentOnly = isEnrollmentOnly
        }
    }

    /// The sessions of an account that can still be refreshed, the latest used first.
    package struct ListSessions: ListRequest {
        package static let operation = Identity.Operation.listSessions
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 500
        package var realm: Realm
        package var accountID: AccountID
        /// 1 to `maximumCount`.
        package var limit: Int

        package init(realm: Realm, accountID: AccountID, limit: Int) {
            self.realm = realm
            self.accountID = accountID
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var sessions: [AccountSession]
            package var hasMore: Bool

            package init(sessions: [AccountSession], hasMore: Bool) {
                self.sessions = sessions
                self.hasMore = hasMore
            }
        }
    }

    /// Ends one session of an account: its refresh tokens are invalid from now on. An ID token that was issued before
    /// stays valid until it expires; `UpdateAccount` with `validSince` ends these too, in all sessions.
    package struct EndSession: BusRequest {
        package static let operation = Identity.Operation.endSession
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var accountID: AccountID
        /// `AccountSession.id`.
        package var sessionID: String
        package var client: ClientContext

        package init(realm: Realm, accountID: AccountID, sessionID: String, client: ClientContext = .init()) {
            self.realm = realm
            self.accountID = accountID
            self.sessionID = sessionID
            self.client = client
        }

        package typealias Reply = EmptyReply
    }

    // MARK: - For the owner of the account

    /// A sign-in of an account as its owner sees it, with the sessions that have continued it on the same client.
    package struct OwnSession: Codable, Equatable, Sendable {
        /// base64url of 16 bytes; in `firebase.session_id` of its ID tokens.
        package var id: String
        /// The sign-in.
        package var createdAt: Moment
        /// The latest refresh, or the sign-in.
        package var lastUsedAt: Moment
        /// As in `AccountSession`.
        package var signInProvider: String
        package var secondFactor: String?
        /// Browser and system, such as `Firefox (Windows)`; absent where the client is unknown.
        package var device: String?
        /// The /24 or /48 of the client, such as `192.0.2.0/24`.
        package var network: String?
        /// The ID token of the request belongs to it.
        package var isCurrent: Bool

        package init(
            id: String, createdAt: Moment, lastUsedAt: Moment, signInProvider: String, secondFactor: String? = nil,
            device: String? = nil, network: String? = nil, isCurrent: Bool
        ) {
            self.id = id
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.signInProvider = signInProvider
            self.secondFactor = secondFactor
            self.device = device
            self.network = network
            self.isCurrent = isCurrent
        }
    }

    /// The sessions of the account of an ID token that can still be refreshed, the latest used first.
    package struct ListOwnSessions: BusRequest {
        package static let operation = Identity.Operation.listOwnSessions
        package static let retrySemantics = RetrySemantics.idempotent
        /// The sessions of a reply.
        package static let maximumCount = 100
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var sessions: [OwnSession]
            /// The account has further sessions, which were not used for longer.
            package var hasMore: Bool

            package init(sessions: [OwnSession], hasMore: Bool) {
                self.sessions = sessions
                self.hasMore = hasMore
            }
        }
    }

    /// Ends sessions of the account of an ID token, as `EndSession` does.
    package struct EndOwnSessions: BusRequest {
        package static let operation = Identity.Operation.endOwnSessions
        package static let retrySemantics = RetrySemantics.deduplicated
        /// The sessions of a request.
        package static let maximumCount = 100

        package enum Selection: Codable, Equatable, Sendable {
            /// Those with these IDs, 1 to `maximumCount`; an ID that names none is ignored: the session may have ended.
            case listed([String])
            /// Every session but that of the ID token.
            case others
            /// Every session. All tokens of the account are void, ID tokens and session cookies too.
            case all
        }

        package var realm: Realm
        package var idToken: Secret<String>?
        package var selection: Selection
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, selection: Selection, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.selection = selection
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
