package import Vocabulary

extension Identity {
    /// Accounts page by page, ordered by the bytes of their ids: an account that exists throughout the listing appears
    /// exactly once.
    package struct ListAccounts: ListRequest {
        package static let operation = Identity.Operation.listAccounts
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 1000
        package var realm: Realm
        /// Maximum accounts of a page, 1 to `maximumCount`; a page also ends before it gets too large for the bus.
        package var limit: Int
        /// `nextPageToken` of the previous page.
        package var pageToken: String?

        package init(realm: Realm, limit: Int, pageToken: String? = nil) {
            self.realm = realm
            self.limit = limit
            self.pageToken = pageToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accounts: [Account]
            /// Encrypted and opaque; valid only for this realm. Absent on the last page.
            package var nextPageToken: String?

            package init(accounts: [Account], nextPageToken: String?) {
                self.accounts = accounts
                self.nextPageToken = nextPageToken
            }
        }
    }

    /// Accounts that match any of the criteria, or all accounts, in the requested order.
    package struct QueryAccounts: ListRequest {
        package static let operation = Identity.Operation.queryAccounts
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 500

        package enum Order: String, CaseIterable, Codable, Sendable {
            case accountID, displayName, createdAt, lastSignInAt, email
        }
        package var realm: Realm
        /// Empty: every account. At most `FindAccounts.maximumCriteria`.
        package var criteria: [FindAccounts.Criterion]
        package var order: Order
        package var isDescending: Bool
        /// 1 to `maximumCount`.
        package var limit: Int
        /// Accounts to skip first. Each costs a step over an index entry; page tokens cost nothing.
        package var offset: Int
        /// Returns only the number of accounts.
        package var countOnly: Bool
        /// `nextPageToken` of the previous reply, for the same query over all accounts, with offset 0.
        package var pageToken: String?

        package init(
            realm: Realm, criteria: [FindAccounts.Criterion] = [], order: Order = .accountID,
            isDescending: Bool = false, limit: Int = maximumCount, offset: Int = 0, countOnly: Bool = false,
            pageToken: String? = nil
        ) {
            self.realm = realm
            self.criteria = criteria
            self.order = order
            self.isDescending = isDescending
            self.limit = limit
            self.offset = offset
            self.countOnly = countOnly
            self.pageToken = pageToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// The number of accounts in this reply, or of all matches when only counting.
            package var total: Int
            package var accounts: [Account]
            /// Encrypted, valid only for this query. Absent on the last page, and with criteria.
            package var nextPageToken: String?

            package init(total: Int, accounts: [Account], nextPageToken: String? = nil) {
                self.total = total
                self.accounts = accounts
                self.nextPageToken = nextPageToken
            }
        }
    }

    /// Deletes accounts; without `force` only disabled ones. Unknown ids count as deleted.
    package struct DeleteAccounts: BusRequest {
        package static let operation = Identity.Operation.deleteAccounts
        package static let retrySemantics = RetrySemantics.deduplicated
        package static let maximumCount = 1000
        package var realm: Realm
        package var accountIDs: [AccountID]
        package var force: Bool
        package var client: ClientContext

        package init(realm: Realm, accountIDs: [AccountID], force: Bool, client: ClientContext = .init()) {
            self.realm = realm
            self.accountIDs = accountIDs
            self.force = force
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// Indices in `accountIDs` of accounts that are not disabled and are kept, ascending.
            package var skippedIndices: [Int]

            package init(skippedIndices: [Int]) {
                self.skippedIndices = skippedIndices
            }
        }
    }

    /// Deletes accounts of a realm, for test tools in dev mode. The caller repeats it until no account is left.
    package struct ClearAccounts: BusRequest {
        package static let operation = Identity.Operation.clearAccounts
        // A repetition deletes nothing more.
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var client: ClientContext

        package init(realm: Realm, client: ClientContext = .init()) {
            self.realm = realm
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var hasMore: Bool

            package init(hasMore: Bool) {
                self.hasMore = hasMore
            }
        }
    }
}
