package import Vocabulary

extension Identity {
    /// Adds accounts that come from another system, with the hashes of their passwords (REST 4.3). Every account
    /// succeeds or fails alone.
    package struct ImportAccounts: BusRequest {
        package static let operation = Identity.Operation.importAccounts
        // With `allowsOverwrite` a second import has the same result, and without it each account is rejected.
        package static let retrySemantics = RetrySemantics.deduplicated
        package static let maximumCount = 200
        package var realm: Realm
        package var accounts: [ImportedAccount]
        /// The algorithm of the accounts without an algorithm of their own. Absent when they have no hash.
        package var algorithm: PasswordHashAlgorithm?
        /// Replaces an account with the same ID. Its passkeys and TOTP factors stay.
        package var allowsOverwrite: Bool
        /// Whether the reply only tells what the import would do. Absent: no.
        package var isDryRun: Bool?
        package var client: ClientContext

        package init(
            realm: Realm, accounts: [ImportedAccount], algorithm: PasswordHashAlgorithm?, allowsOverwrite: Bool,
            isDryRun: Bool? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.accounts = accounts
            self.algorithm = algorithm
            self.allowsOverwrite = allowsOverwrite
            self.isDryRun = isDryRun
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            /// In the order of the accounts.
            package var rejections: [Rejection]
            /// How many accounts existed and were replaced. Absent: none.
            package var replacedCount: Int?

            package init(rejections: [Rejection], replacedCount: Int? = nil) {
                self.rejections = rejections
                self.replacedCount = replacedCount
            }
        }

        /// An account that was not imported.
        package struct Rejection: Codable, Equatable, Sendable {
            /// Its position in the request.
            package var rowIndex: Int
            package var reason: WireError

            package init(rowIndex: Int, reason: WireError) {
                self.rowIndex = rowIndex
                self.reason = reason
            }
        }
    }

    /// An account of another system.
    package struct ImportedAccount: Codable, Equatable, Sendable {
        package var id: AccountID
        /// `password` is hashed here; `link` and `removals` are not used.
        package var profile: AccountChanges
        package var emailLinkSignIn: Bool
        package var links: [ProviderLink]
        package var passwordHash: OctetString?
        package var salt: OctetString?
        /// The algorithm of the hash, instead of `ImportAccounts.algorithm`.
        package var algorithm: PasswordHashAlgorithm?
        package var passwordChangedAt: Moment?
        /// As `Account.deletionDueAt`. Absent: that of the account that is replaced.
        package var deletionDueAt: Moment?
        /// Factors whose secrets mfa-totp has got before (`MFATOTP.ImportFactors`). A factor with the same ID is
        /// replaced, and others stay.
        package var totpFactors: [ImportedTOTPFactor]?
        /// Passkeys whose public keys the passkey service has got before (`Passkey.ImportCredentials`). One with the
        /// same credential is replaced, and others stay.
        package var passkeys: [AccountPasskey]?

        package init(
            id: AccountID, profile: AccountChanges = .init(), emailLinkSignIn: Bool = false,
            links: [ProviderLink] = [], passwordHash: OctetString? = nil, salt: OctetString? = nil,
            algorithm: PasswordHashAlgorithm? = nil, passwordChangedAt: Moment? = nil, deletionDueAt: Moment? = nil,
            totpFactors: [ImportedTOTPFactor]? = nil, passkeys: [AccountPasskey]? = nil
        ) {
            self.id = id
            self.profile = profile
            self.emailLinkSignIn = emailLinkSignIn
            self.links = links
            self.passwordHash = passwordHash
            self.salt = salt
            self.algorithm = algorithm
            self.passwordChangedAt = passwordChangedAt
            self.deletionDueAt = deletionDueAt
            self.totpFactors = totpFactors
            self.passkeys = passkeys
        }
    }

    /// A TOTP factor of another system, without its secret.
    package struct ImportedTOTPFactor: Codable, Equatable, Sendable {
        package var id: FactorID
        package var displayName: String?
        package var enrolledAt: Moment?

        package init(id: FactorID, displayName: String? = nil, enrolledAt: Moment? = nil) {
            self.id = id
            self.displayName = displayName
            self.enrolledAt = enrolledAt
        }
    }
}
