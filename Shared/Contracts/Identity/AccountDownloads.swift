package import Vocabulary

extension Identity {
    /// What identity has stored about the account of an ID token, for its owner: without secrets, and without what keyed
    /// digests stand for. It needs a recent sign-in, with the second factor where one is requested.
    package struct DownloadOwnAccount: BusRequest {
        package static let operation = Identity.Operation.downloadOwnAccount
        // A repetition adds an entry to the audit log.
        package static let retrySemantics = RetrySemantics.idempotent
        /// Together they fit into a reply.
        package static let maximumSessions = 50
        package static let maximumAuditRecords = 500

        package var realm: Realm
        package var idToken: Secret<String>?
        package var client: ClientContext

        package init(realm: Realm, idToken: Secret<String>?, client: ClientContext = .init()) {
            self.realm = realm
            self.idToken = idToken
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            /// The latest used ones, ended ones too.
            package var sessions: [StoredSession]
            package var hasMoreSessions: Bool
            /// Nil if none were ever generated.
            package var remainingRecoveryCodes: Int?
            package var rememberedDevices: [RememberedDevice]
            package var actionCodes: [StoredActionCode]
            /// The newest ones.
            package var auditRecords: [OwnAuditRecord]
            package var hasMoreAuditRecords: Bool

            package init(
                account: Account, sessions: [StoredSession], hasMoreSessions: Bool, remainingRecoveryCodes: Int?,
                rememberedDevices: [RememberedDevice], actionCodes: [StoredActionCode], auditRecords: [OwnAuditRecord],
                hasMoreAuditRecords: Bool
            ) {
                self.account = account
                self.sessions = sessions
                self.hasMoreSessions = hasMoreSessions
                self.remainingRecoveryCodes = remainingRecoveryCodes
                self.rememberedDevices = rememberedDevices
                self.actionCodes = actionCodes
                self.auditRecords = auditRecords
                self.hasMoreAuditRecords = hasMoreAuditRecords
            }
        }
    }

    /// The row of a session, without its tokens.
    package struct StoredSession: Codable, Equatable, Sendable {
        /// As `OwnSession.id`; several rows can have one.
        package var id: String
        package var createdAt: Moment
        package var lastUsedAt: Moment
        package var endedAt: Moment?
        package var signInProvider: String
        package var secondFactor: String?
        package var device: String?
        package var clientAddress: String?
        /// JSON text of an object: claims of a custom token or a blocking function.
        package var claims: String?
        /// JSON text of an object: claims of the identity provider.
        package var attributes: String?

        package init(
            id: String, createdAt: Moment, lastUsedAt: Moment, endedAt: Moment? = nil, signInProvider: String,
            secondFactor: String? = nil, device: String? = nil, clientAddress: String? = nil, claims: String? = nil,
            attributes: String? = nil
        ) {
            self.id = id
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.endedAt = endedAt
            self.signInProvider = signInProvider
            self.secondFactor = secondFactor
            self.device = device
            self.clientAddress = clientAddress
            self.claims = claims
            self.attributes = attributes
        }
    }

    /// An action code that was sent, without its text.
    package struct StoredActionCode: Codable, Equatable, Sendable {
        package var purpose: ActionPurpose
        package var email: EmailAddress
        package var newEmail: EmailAddress?
        package var createdAt: Moment
        package var expiresAt: Moment

        package init(
            purpose: ActionPurpose, email: EmailAddress, newEmail: EmailAddress? = nil, createdAt: Moment,
            expiresAt: Moment
        ) {
            self.purpose = purpose
            self.email = email
            self.newEmail = newEmail
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }
    }

    /// A record of the audit log about an account, without what it says about others.
    package struct OwnAuditRecord: Codable, Equatable, Sendable {
        /// Who acted.
        package enum Actor: String, Codable, Sendable {
            case owner, unauthenticated, administration
        }
        package var at: Moment
        package var action: String
        package var outcome: String
        package var actor: Actor
        /// Absent for administration.
        package var ipAddress: String?

        package init(at: Moment, action: String, outcome: String, actor: Actor, ipAddress: String? = nil) {
            self.at = at
            self.action = action
            self.outcome = outcome
            self.actor = actor
            self.ipAddress = ipAddress
        }
    }
}
