package import Vocabulary

extension Identity {
    /// Accounts that an operator looks for. Every criterion reads an index, so that an answer takes as long in a large
    /// project as in a small one.
    package struct SearchAccounts: ListRequest {
        package static let operation = Identity.Operation.searchAccounts
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 100
        /// Bytes of a text that are read.
        package static let maximumTextBytes = 256

        package enum Criterion: Codable, Equatable, Sendable {
            /// The begin of an id, an address (own or at a provider), a number or a name, without regard to the case of
            /// ASCII letters; or the id of a provider. Accounts are ordered by these kinds, each once.
            case text(String)
            case disabled
            case withSecondFactor
            /// Those that have an address, which is not verified.
            case unverified
            case withoutSecondFactor
            /// Those that are linked to an account at this provider.
            case provider(String)
            /// Ordered by their creation, from this moment on.
            case createdSince(Moment)
            case all
        }

        /// Where the next page begins: behind an account, which may be deleted meanwhile. Accounts are ordered by their ids,
        /// unless the criterion has an order of its own. A text has no further pages.
        package struct Cursor: Codable, Equatable, Sendable {
            package var accountID: AccountID
            /// With `createdSince`.
            package var createdAt: Moment?

            package init(accountID: AccountID, createdAt: Moment? = nil) {
                self.accountID = accountID
                self.createdAt = createdAt
            }
        }

        package var realm: Realm
        package var criterion: Criterion
        /// `next` of the page before; not with a text.
        package var after: Cursor?
        /// 1 to `maximumCount`.
        package var limit: Int

        package init(realm: Realm, criterion: Criterion, after: Cursor? = nil, limit: Int) {
            self.realm = realm
            self.criterion = criterion
            self.after = after
            self.limit = limit
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// A page of `withoutSecondFactor` can have fewer than the limit, and others behind it: it reads a bounded
            /// number of accounts.
            package var accounts: [Account]
            package var hasMore: Bool
            /// Nil without further accounts, and with a text.
            package var next: Cursor?

            package init(accounts: [Account], hasMore: Bool, next: Cursor? = nil) {
                self.accounts = accounts
                self.hasMore = hasMore
                self.next = next
            }
        }
    }

    /// What stands in the way of a sign-in of an account right now.
    package struct ExplainSignIn: BusRequest {
        package static let operation = Identity.Operation.explainSignIn
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var accountID: AccountID

        package init(realm: Realm, accountID: AccountID) {
            self.realm = realm
            self.accountID = accountID
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            /// What blocks every sign-in comes first.
            package var obstacles: [SignInObstacle]

            package init(account: Account, obstacles: [SignInObstacle]) {
                self.account = account
                self.obstacles = obstacles
            }
        }
    }

    package struct SignInObstacle: Codable, Equatable, Sendable {
        package enum Kind: String, CaseIterable, Codable, Sendable {
            case accountDisabled
            /// The account is to be deleted. Its user can only restore it, on the hosted pages.
            case deletionScheduled
            /// The tenant permits no sign-in.
            case tenantDisabled
            /// The account has nothing to sign in with.
            case noMethod
            /// The configuration permits none of the methods of the account.
            case noPermittedMethod
            /// Wrong passwords have closed the sign-in with a password, for unknown clients.
            case tooManyAttempts
            /// A second factor is mandatory, and the address must be verified before one can be added.
            case unverifiedAddress
            /// The configuration does not permit one of several methods.
            case methodNotPermitted
            /// A second factor is mandatory: the next sign-in adds one.
            case missingSecondFactor
        }

        package enum Method: String, CaseIterable, Codable, Sendable {
            case password, emailLink, phone, passkey, provider
        }

        package var kind: Kind
        /// With `methodNotPermitted`.
        package var method: Method?
        /// With `tooManyAttempts`; with `deletionScheduled` the time of the deletion.
        package var until: Moment?

        package init(_ kind: Kind, method: Method? = nil, until: Moment? = nil) {
            self.kind = kind
            self.method = method
            self.until = until
        }

        /// No sign-in of the account succeeds.
        package var isTotal: Bool {
            switch kind {
            case .accountDisabled, .deletionScheduled, .tenantDisabled, .noMethod, .noPermittedMethod: true
            case .tooManyAttempts, .unverifiedAddress, .methodNotPermitted, .missingSecondFactor: false
            }
        }
    }

    /// Forgets the wrong passwords and e-mail codes for the address of an account, so that its user can try again at once.
    package struct ClearSignInAttempts: BusRequest {
        package static let operation = Identity.Operation.clearSignInAttempts
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var accountID: AccountID
        package var client: ClientContext

        package init(realm: Realm, accountID: AccountID, client: ClientContext = .init()) {
            self.realm = realm
            self.accountID = accountID
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
