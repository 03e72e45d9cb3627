package import Vocabulary

extension ProjectID {
    /// The realm of the operators' accounts. No id of a project contains `@` (`Realm.isIdentifier`), so neither a request
    /// for a project nor an API key leads to it.
    package static var operators: ProjectID { ProjectID("@operators") }
}

extension Realm {
    package static let operators = Realm(project: .operators)
}

extension Identity {
    /// What an operator may do. Each role includes those before it.
    package enum OperatorRole: String, CaseIterable, Codable, Comparable, Sendable {
        /// Reads accounts, configuration and the audit log.
        case viewer
        /// Helps users: disables accounts, ends sessions, removes second factors, sends e-mails.
        case support
        /// Everything, on its projects.
        case administrator

        package static func < (left: Self, right: Self) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    package struct OperatorGrant: Codable, Equatable, Sendable {
        /// Nil: the whole installation.
        package var project: ProjectID?
        package var role: OperatorRole

        package init(project: ProjectID? = nil, role: OperatorRole) {
            self.project = project
            self.role = role
        }
    }

    /// An account of the console.
    package struct Operator: Codable, Equatable, Sendable {
        package var accountID: AccountID
        package var email: EmailAddress
        /// One for each project, ordered by it; that for the installation is the first.
        package var grants: [OperatorGrant]
        /// An authenticator app or a passkey. False until the first sign-in, and after a reset.
        package var hasSecondFactor: Bool
        package var createdAt: Moment
        package var lastSignInAt: Moment?

        package init(
            accountID: AccountID, email: EmailAddress, grants: [OperatorGrant], hasSecondFactor: Bool,
            createdAt: Moment, lastSignInAt: Moment? = nil
        ) {
            self.accountID = accountID
            self.email = email
            self.grants = grants
            self.hasSecondFactor = hasSecondFactor
            self.createdAt = createdAt
            self.lastSignInAt = lastSignInAt
        }

        /// The role in a project.
        /// - Parameter project: nil for what concerns the whole installation.
        package func role(in project: ProjectID?) -> OperatorRole? {
            grants.filter { $0.project == nil || $0.project == project }.map(\.role).max()
        }
    }

    /// Gives an operator a role in a project or in the installation, in the place of the former one there. An address that
    /// is no operator becomes one. A lower role than before ends the sessions of the operator.
    package struct GrantOperatorRole: BusRequest {
        package static let operation = Identity.Operation.grantOperatorRole
        // Each new operator gets a code.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var email: String
        package var grant: OperatorGrant
        package var client: ClientContext

        package init(email: String, grant: OperatorGrant, client: ClientContext = .init()) {
            self.email = email
            self.grant = grant
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var `operator`: Operator
            /// With which a new operator sets the password, once and within `Identity.ActionPurpose.passwordReset.lifetime`.
            package var code: Secret<String>?

            package init(operator: Operator, code: Secret<String>? = nil) {
                self.operator = `operator`
                self.code = code
            }
        }
    }

    /// Removes the password, the second factors, the passkeys and the sessions of an operator, and issues a code for a new password.
    package struct ResetOperator: BusRequest {
        package static let operation = Identity.Operation.resetOperator
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var email: String
        package var client: ClientContext

        package init(email: String, client: ClientContext = .init()) {
            self.email = email
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var code: Secret<String>

            package init(code: Secret<String>) {
                self.code = code
            }
        }
    }

    /// Removes the role of an operator in a project, or the operator with every role. Ends the sessions of the operator.
    package struct RemoveOperator: BusRequest {
        package static let operation = Identity.Operation.removeOperator
        package static let retrySemantics = RetrySemantics.deduplicated
        package var email: String
        /// Nil: the operator is removed. The last role of an operator is removed with the operator, too.
        package var project: ProjectID?
        package var client: ClientContext

        package init(email: String, project: ProjectID? = nil, client: ClientContext = .init()) {
            self.email = email
            self.project = project
            self.client = client
        }

        package typealias Reply = EmptyReply
    }

    /// Every operator, ordered by address.
    package struct ListOperators: BusRequest {
        package static let operation = Identity.Operation.listOperators
        package static let retrySemantics = RetrySemantics.idempotent

        package init() {}

        package struct Reply: Codable, Equatable, Sendable {
            package var operators: [Operator]

            package init(operators: [Operator]) {
                self.operators = operators
            }
        }
    }

    // MARK: - Sessions of the console

    /// Exchanges the ID token of a sign-in with two factors for a session of the console. The session of the ID token ends.
    package struct OpenOperatorSession: BusRequest {
        package static let operation = Identity.Operation.openOperatorSession
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var idToken: Secret<String>
        /// Of a session of this browser, which ends.
        package var formerToken: Secret<String>?
        package var client: ClientContext

        package init(
            idToken: Secret<String>, formerToken: Secret<String>? = nil, client: ClientContext = .init()
        ) {
            self.idToken = idToken
            self.formerToken = formerToken
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var token: Secret<String>

            package init(token: Secret<String>) {
                self.token = token
            }
        }
    }

    /// The operator of a session, with the roles of now. Each request of the console asks for it.
    package struct ResolveOperatorSession: BusRequest {
        package static let operation = Identity.Operation.resolveOperatorSession
        package static let retrySemantics = RetrySemantics.idempotent
        package var token: Secret<String>

        package init(token: Secret<String>) {
            self.token = token
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var `operator`: Operator
            package var sessionID: String
            /// Both factors were verified lately, as what cannot be undone demands it.
            package var isFresh: Bool
            /// In every form of the session. It does not lead to the token.
            package var formToken: String

            package init(operator: Operator, sessionID: String, isFresh: Bool, formToken: String) {
                self.operator = `operator`
                self.sessionID = sessionID
                self.isFresh = isFresh
                self.formToken = formToken
            }
        }
    }

    /// A session of an operator. It contains no token.
    package struct OperatorSession: Codable, Equatable, Sendable {
        package var id: String
        package var createdAt: Moment
        package var lastUsedAt: Moment
        package var clientAddress: String?
        /// Browser and system, such as `Firefox (Windows)`.
        package var device: String?

        package init(
            id: String, createdAt: Moment, lastUsedAt: Moment, clientAddress: String? = nil, device: String? = nil
        ) {
            self.id = id
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.clientAddress = clientAddress
            self.device = device
        }
    }

    /// The sessions of an operator that have not ended, the latest used first.
    package struct ListOperatorSessions: BusRequest {
        package static let operation = Identity.Operation.listOperatorSessions
        package static let retrySemantics = RetrySemantics.idempotent
        /// The sessions of a reply.
        package static let maximumCount = 100
        package var accountID: AccountID

        package init(accountID: AccountID) {
            self.accountID = accountID
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var sessions: [OperatorSession]

            package init(sessions: [OperatorSession]) {
                self.sessions = sessions
            }
        }
    }

    /// Ends one session of an operator, or all. One that has ended is no error.
    package struct EndOperatorSessions: BusRequest {
        package static let operation = Identity.Operation.endOperatorSessions
        package static let retrySemantics = RetrySemantics.idempotent
        package var accountID: AccountID
        /// Nil for all.
        package var sessionID: String?
        package var client: ClientContext

        package init(accountID: AccountID, sessionID: String? = nil, client: ClientContext = .init()) {
            self.accountID = accountID
            self.sessionID = sessionID
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
