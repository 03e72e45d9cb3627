package import Vocabulary

extension Identity {
    /// Accounts page by page with the hashes of their passwords, in the order of `ListAccounts`. Each page is recorded
    /// in the audit log.
    package struct ExportAccounts: ListRequest {
        package static let operation = Identity.Operation.exportAccounts
        // A repetition returns the same page, and is recorded again.
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCount = 1000
        package var realm: Realm
        /// Maximum accounts of a page, 1 to `maximumCount`; a page also ends before it gets too large for the bus.
        package var limit: Int
        /// `nextPageToken` of the previous page, also of `ListAccounts`.
        package var pageToken: String?
        /// Whether hashes of Latchkey come with the key of their pepper, so that another installation can verify them.
        package var includesPeppers: Bool
        /// Whether the caller adds the TOTP secrets and passkeys of the page, for the audit log. Absent: no.
        package var addsSecrets: Bool?
        package var client: ClientContext

        package init(
            realm: Realm, limit: Int, pageToken: String? = nil, includesPeppers: Bool = false,
            addsSecrets: Bool? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.limit = limit
            self.pageToken = pageToken
            self.includesPeppers = includesPeppers
            self.addsSecrets = addsSecrets
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accounts: [ExportedAccount]
            /// Encrypted and opaque; valid only for this realm. Absent on the last page.
            package var nextPageToken: String?

            package init(accounts: [ExportedAccount], nextPageToken: String?) {
                self.accounts = accounts
                self.nextPageToken = nextPageToken
            }
        }
    }

    /// An account with the hash of its password.
    package struct ExportedAccount: Codable, Equatable, Sendable {
        package var account: Account
        /// Absent: the account has no password, or its hash cannot be opened with the peppers of this installation.
        package var password: ExportedPassword?

        package init(account: Account, password: ExportedPassword?) {
            self.account = account
            self.password = password
        }
    }

    /// A hash with all that its verification needs except the password: of another system until the first sign-in
    /// after its import, then of Latchkey.
    package struct ExportedPassword: Codable, Equatable, Sendable {
        package var algorithm: PasswordHashAlgorithm
        package var salt: OctetString
        package var hash: Secret<OctetString>

        package init(algorithm: PasswordHashAlgorithm, salt: OctetString, hash: Secret<OctetString>) {
            self.algorithm = algorithm
            self.salt = salt
            self.hash = hash
        }
    }
}
