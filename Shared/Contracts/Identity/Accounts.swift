package import Vocabulary

extension Identity {
    /// The account after the request.
    package struct AccountReply: Codable, Equatable, Sendable {
        package var account: Account

        package init(account: Account) {
            self.account = account
        }
    }

    /// Creates an account.
    package struct CreateAccount: BusRequest {
        package static let operation = Identity.Operation.createAccount
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        /// Chosen by the caller; absent: identity generates one.
        package var accountID: AccountID?
        package var email: String?
        package var emailVerified: Bool
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var phoneNumber: String?
        package var disabled: Bool
        /// Phone factors; a new account has no TOTP factor to keep.
        package var secondFactors: [FactorEntry]?
        package var client: ClientContext

        package init(
            realm: Realm, accountID: AccountID? = nil, email: String? = nil, emailVerified: Bool = false,
            password: Secret<String>? = nil, displayName: String? = nil, photoURL: String? = nil,
            phoneNumber: String? = nil, disabled: Bool = false, secondFactors: [FactorEntry]? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.accountID = accountID
            self.email = email
            self.emailVerified = emailVerified
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.phoneNumber = phoneNumber
            self.disabled = disabled
            self.secondFactors = secondFactors
            self.client = client
        }

        package typealias Reply = AccountReply
    }

    /// Changes the named values and keeps the others.
    package struct UpdateAccount: BusRequest {
        package static let operation = Identity.Operation.updateAccount
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var accountID: AccountID?
        package var changes: AccountChanges
        package var client: ClientContext

        package init(realm: Realm, accountID: AccountID?, changes: AccountChanges, client: ClientContext = .init()) {
            self.realm = realm
            self.accountID = accountID
            self.changes = changes
            self.client = client
        }

        package typealias Reply = AccountReply
    }

    /// Changes to an account by an administrator. Absent values stay unchanged.
    package struct AccountChanges: Codable, Equatable, Sendable {
        package var email: String?
        package var emailVerified: Bool?
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var phoneNumber: String?
        package var disabled: Bool?
        /// The account stays, if its deletion is scheduled.
        package var cancelsDeletion: Bool?
        /// JSON text of an object, at most 1000 characters; empty text removes the claims.
        package var customClaims: String?
        package var validSince: Timestamp?
        package var createdAt: Moment?
        package var lastSignInAt: Moment?
        package var link: ProviderLink?
        /// The complete new list: a factor that is not listed is removed, which ends every session.
        package var secondFactors: [FactorEntry]?
        package var removals: [Removal]
        package var renamedPasskey: OwnAccountChanges.RenamedPasskey?

        /// A removable part of an account.
        package enum Removal: Codable, Equatable, Sendable {
            case email, displayName, photoURL, password, phoneNumber
            case provider(String)
            /// Every linked provider.
            case providers
            /// Sign-in by e-mail: password, e-mail link and, unless a linked provider has verified it too, the address.
            case emailSignIn
            case passkey(CredentialID)
            /// Ends every session. Error: `factorNotFound`.
            case secondFactor(FactorID)
        }

        package init(
            email: String? = nil, emailVerified: Bool? = nil, password: Secret<String>? = nil,
            displayName: String? = nil, photoURL: String? = nil, phoneNumber: String? = nil, disabled: Bool? = nil,
            cancelsDeletion: Bool? = nil, customClaims: String? = nil, validSince: Timestamp? = nil,
            createdAt: Moment? = nil,
            lastSignInAt: Moment? = nil, link: ProviderLink? = nil, secondFactors: [FactorEntry]? = nil,
            removals: [Removal] = [], renamedPasskey: OwnAccountChanges.RenamedPasskey? = nil
        ) {
            self.email = email
            self.emailVerified = emailVerified
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.phoneNumber = phoneNumber
            self.disabled = disabled
            self.cancelsDeletion = cancelsDeletion
            self.customClaims = customClaims
            self.validSince = validSince
            self.createdAt = createdAt
            self.lastSignInAt = lastSignInAt
            self.link = link
            self.secondFactors = secondFactors
            self.removals = removals
            self.renamedPasskey = renamedPasskey
        }
    }

    /// One entry of the list that replaces the second factors of an account.
    package struct FactorEntry: Codable, Equatable, Sendable {
        /// The kind of second factor that the entry describes.
        package enum Kind: Codable, Equatable, Sendable {
            /// The text may be malformed; identity parses it.
            case phone(number: String)
            /// Keeps the TOTP factor with the ID of the entry. An administrator cannot enroll one.
            case totp
            /// The entry names no kind. It keeps a factor that `totp` keeps.
            case unspecified
        }

        /// The ID of a factor that stays, or of the new one; absent: identity creates an ID.
        package var id: FactorID?
        package var kind: Kind
        package var displayName: String?
        package var enrolledAt: Moment?

        package init(
            id: FactorID? = nil, kind: Kind = .unspecified, displayName: String? = nil, enrolledAt: Moment? = nil
        ) {
            self.id = id
            self.kind = kind
            self.displayName = displayName
            self.enrolledAt = enrolledAt
        }
    }

    /// Every account that matches any criterion, each once, in the order of the criteria; unknown ones are skipped.
    package struct FindAccounts: BusRequest {
        package static let operation = Identity.Operation.findAccounts
        package static let retrySemantics = RetrySemantics.idempotent
        package static let maximumCriteria = 100

        package enum Criterion: Codable, Equatable, Sendable {
            case accountID(AccountID)
            case email(String)
            case initialEmail(String)
            case phoneNumber(String)
            case provider(id: String, accountID: String)
        }
        package var realm: Realm
        package var criteria: [Criterion]

        package init(realm: Realm, criteria: [Criterion]) {
            self.realm = realm
            self.criteria = criteria
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accounts: [Account]

            package init(accounts: [Account]) {
                self.accounts = accounts
            }
        }
    }

    /// Deletes an account.
    package struct DeleteAccount: BusRequest {
        package static let operation = Identity.Operation.deleteAccount
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var accountID: AccountID?
        package var client: ClientContext

        package init(realm: Realm, accountID: AccountID?, client: ClientContext = .init()) {
            self.realm = realm
            self.accountID = accountID
            self.client = client
        }

        package typealias Reply = EmptyReply
    }
}
