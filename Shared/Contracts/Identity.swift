package import Vocabulary

/// What the identity service offers: accounts, sessions and tokens, projects and their configuration, signing keys.
package enum Identity {
    package enum Operation: String, ServiceOperation {
        // Sign-in and sessions, for people.
        case signUp, signInWithPassword, refreshSession, lookUpOwnAccount, deleteOwnAccount
        /// For the other services: who is behind this ID token?
        case resolvePrincipal
        // For administrators.
        case createAccount, updateAccount, findAccounts, deleteAccount
        case readConfiguration, replaceConfiguration
        // For the gateway.
        case resolveAPIKey, readSigningKeys

        package static let service = ServiceName.identity

        package var delivery: Delivery {
            switch self {
            case .lookUpOwnAccount, .resolvePrincipal, .findAccounts, .readConfiguration, .resolveAPIKey,
                .readSigningKeys:
                .repeatable
            // The predecessor of a token that was never used stays good, so a second refresh changes nothing more.
            case .refreshSession: .repeatable
            case .signUp, .deleteOwnAccount, .createAccount, .updateAccount, .deleteAccount, .replaceConfiguration:
                .recorded
            // Each attempt is counted against the account.
            case .signInWithPassword: .atMostOnce
            }
        }
    }
}

// MARK: - Sign-in and sessions

extension Identity {
    /// Makes an account: anonymous without `email` and `password`; with `linkTo`, gives the account behind that ID
    /// token the e-mail and password instead. Refusals: `administratorsOnly`, `operationNotAllowed`, `missingEmail`,
    /// `invalidEmail`, `emailExists`, `missingPassword`, `weakPassword`, `passwordPolicyViolated`, `tenantNotFound`,
    /// `projectDisabled`, and with `linkTo` those of `ResolvePrincipal`.
    package struct SignUp: BusRequest {
        package static let operation = Identity.Operation.signUp
        package var realm: Realm
        package var email: String?
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var linkTo: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, email: String? = nil, password: Secret<String>? = nil, displayName: String? = nil,
            photoURL: String? = nil, linkTo: Secret<String>? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.email = email
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.linkTo = linkTo
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet

            package init(account: Account, tokens: TokenSet) {
                self.account = account
                self.tokens = tokens
            }
        }
    }

    /// Refusals: `passwordSignInDisabled`, `missingEmail`, `invalidEmail`, `missingPassword`, `emailNotFound` and
    /// `wrongPassword` or, under e-mail privacy, `invalidCredentials`; `accountDisabled` after the right password;
    /// `tooManyAttempts`, `passwordPolicyViolated`, `tenantNotFound`, `projectDisabled`, `overloaded`.
    package struct SignInWithPassword: BusRequest {
        package static let operation = Identity.Operation.signInWithPassword
        package var realm: Realm
        package var email: String?
        package var password: Secret<String>?
        package var client: ClientContext

        package init(
            realm: Realm, email: String?, password: Secret<String>?, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.email = email
            self.password = password
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet

            package init(account: Account, tokens: TokenSet) {
                self.account = account
                self.tokens = tokens
            }
        }
    }

    /// Exchanges a refresh token for its successor and a new ID token. Refusals: `missingRefreshToken`,
    /// `invalidRefreshToken`, `sessionExpired`, `accountNotFound`, `accountDisabled`, `tenantMismatch`.
    package struct RefreshSession: BusRequest {
        package static let operation = Identity.Operation.refreshSession
        package var project: ProjectID
        package var refreshToken: Secret<String>?

        package init(project: ProjectID, refreshToken: Secret<String>?) {
            self.project = project
            self.refreshToken = refreshToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var accountID: AccountID
            package var projectNumber: String
            package var tokens: TokenSet

            package init(accountID: AccountID, projectNumber: String, tokens: TokenSet) {
                self.accountID = accountID
                self.projectNumber = projectNumber
                self.tokens = tokens
            }
        }
    }

    /// The account behind an ID token. Refusals: those of `ResolvePrincipal`.
    package struct LookUpOwnAccount: BusRequest {
        package static let operation = Identity.Operation.lookUpOwnAccount
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account

            package init(account: Account) {
                self.account = account
            }
        }
    }

    /// Refusals: those of `ResolvePrincipal`, `signInTooOld`, `administratorsOnly`, `accountMismatch`.
    package struct DeleteOwnAccount: BusRequest {
        package static let operation = Identity.Operation.deleteOwnAccount
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Some clients name the account beside the token; it must be the token's.
        package var accountID: AccountID?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, accountID: AccountID? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.accountID = accountID
            self.client = client
        }

        package typealias Reply = Done
    }

    /// Verifies an ID token (signature, issuer, audience, expiry, tenant) and its account (exists, enabled, not
    /// revoked since). A realm without tenant takes the token's tenant. Refusals: `missingIDToken`, `invalidIDToken`,
    /// `sessionExpired`, `accountNotFound`, `accountDisabled`, `tenantMismatch`.
    package struct ResolvePrincipal: BusRequest {
        package static let operation = Identity.Operation.resolvePrincipal
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var principal: Principal

            package init(principal: Principal) {
                self.principal = principal
            }
        }
    }
}

// MARK: - Administration

extension Identity {
    /// Refusals: `accountIDExists`, `invalidAccountID`, `invalidEmail`, `emailExists`, `invalidPhoneNumber`,
    /// `phoneNumberExists`, `weakPassword`, `passwordPolicyViolated`, `tenantNotFound`.
    package struct CreateAccount: BusRequest {
        package static let operation = Identity.Operation.createAccount
        package var realm: Realm
        /// Chosen by the caller, or made here.
        package var accountID: AccountID?
        package var email: String?
        package var emailVerified: Bool
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var phoneNumber: String?
        package var disabled: Bool
        package var client: ClientContext

        package init(
            realm: Realm, accountID: AccountID? = nil, email: String? = nil, emailVerified: Bool = false,
            password: Secret<String>? = nil, displayName: String? = nil, photoURL: String? = nil,
            phoneNumber: String? = nil, disabled: Bool = false, client: ClientContext = .init()
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
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account

            package init(account: Account) {
                self.account = account
            }
        }
    }

    /// Changes what is named and leaves the rest. Refusals: `missingAccountID`, `accountNotFound`, `invalidEmail`,
    /// `emailExists`, `invalidPhoneNumber`, `phoneNumberExists`, `weakPassword`, `passwordPolicyViolated`,
    /// `invalidCustomClaims`, `customClaimsTooLarge`, `reservedClaim`, `missingProviderID`, `missingProviderAccountID`,
    /// `providerAccountExists`.
    package struct UpdateAccount: BusRequest {
        package static let operation = Identity.Operation.updateAccount
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

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account

            package init(account: Account) {
                self.account = account
            }
        }
    }

    /// What an administrator may change of an account. Absent: stays as it is.
    package struct AccountChanges: Codable, Equatable, Sendable {
        package var email: String?
        package var emailVerified: Bool?
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var phoneNumber: String?
        package var disabled: Bool?
        /// JSON text of an object, at most 1000 characters; empty text removes the claims.
        package var customClaims: String?
        package var validSince: Timestamp?
        package var createdAt: Moment?
        package var lastSignInAt: Moment?
        package var link: ProviderLink?
        package var removals: [Removal]

        /// A part of an account that can be taken away.
        package enum Removal: Codable, Equatable, Sendable {
            case email, displayName, photoURL, password, phoneNumber
            case provider(String)
            /// Every linked provider.
            case providers
        }

        package init(
            email: String? = nil, emailVerified: Bool? = nil, password: Secret<String>? = nil,
            displayName: String? = nil, photoURL: String? = nil, phoneNumber: String? = nil, disabled: Bool? = nil,
            customClaims: String? = nil, validSince: Timestamp? = nil, createdAt: Moment? = nil,
            lastSignInAt: Moment? = nil, link: ProviderLink? = nil, removals: [Removal] = []
        ) {
            self.email = email
            self.emailVerified = emailVerified
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.phoneNumber = phoneNumber
            self.disabled = disabled
            self.customClaims = customClaims
            self.validSince = validSince
            self.createdAt = createdAt
            self.lastSignInAt = lastSignInAt
            self.link = link
            self.removals = removals
        }
    }

    /// Every account that matches any criterion, each once, in the order of the criteria; unknown ones are skipped.
    /// Refusals: `invalidRequest` above `maximumCriteria`, `tenantNotFound`.
    package struct FindAccounts: BusRequest {
        package static let operation = Identity.Operation.findAccounts
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

    /// Refusals: `missingAccountID`, `accountNotFound`.
    package struct DeleteAccount: BusRequest {
        package static let operation = Identity.Operation.deleteAccount
        package var realm: Realm
        package var accountID: AccountID?
        package var client: ClientContext

        package init(realm: Realm, accountID: AccountID?, client: ClientContext = .init()) {
            self.realm = realm
            self.accountID = accountID
            self.client = client
        }

        package typealias Reply = Done
    }

    /// The configuration document of a project with its revision. Refusals: `tenantNotFound`.
    package struct ReadConfiguration: BusRequest {
        package static let operation = Identity.Operation.readConfiguration
        package var project: ProjectID

        package init(project: ProjectID) {
            self.project = project
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var configuration: ProjectConfiguration
            package var revision: Int64
            package var projectNumber: String

            package init(configuration: ProjectConfiguration, revision: Int64, projectNumber: String) {
                self.configuration = configuration
                self.revision = revision
                self.projectNumber = projectNumber
            }
        }
    }

    /// Stores a whole configuration if nobody changed it since `expectedRevision`. Refusals: `configurationConflict`,
    /// and for values out of their rules `invalidConfiguration`, `invalidAdjacentIntervalRange`,
    /// `invalidTestPhoneNumber`, `invalidBlockingFunction`.
    package struct ReplaceConfiguration: BusRequest {
        package static let operation = Identity.Operation.replaceConfiguration
        package var project: ProjectID
        package var configuration: ProjectConfiguration
        package var expectedRevision: Int64
        package var client: ClientContext

        package init(
            project: ProjectID, configuration: ProjectConfiguration, expectedRevision: Int64,
            client: ClientContext = .init()
        ) {
            self.project = project
            self.configuration = configuration
            self.expectedRevision = expectedRevision
            self.client = client
        }

        package typealias Reply = ReadConfiguration.Reply
    }
}

// MARK: - For the gateway

extension Identity {
    /// The project that owns an API key. Refusals: `unknownAPIKey`.
    package struct ResolveAPIKey: BusRequest {
        package static let operation = Identity.Operation.resolveAPIKey
        package var apiKey: String

        package init(apiKey: String) {
            self.apiKey = apiKey
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var project: ProjectID

            package init(project: ProjectID) {
                self.project = project
            }
        }
    }

    /// The public halves of all keys whose tokens may still be valid or that will soon sign.
    package struct ReadSigningKeys: BusRequest {
        package static let operation = Identity.Operation.readSigningKeys

        package enum Purpose: String, Codable, CaseIterable, Sendable { case idToken, sessionCookie }
        package var purpose: Purpose

        package init(purpose: Purpose) {
            self.purpose = purpose
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var keys: [PublishedKey]
            /// How long a client may keep this answer: the end of it comes before the next unknown key signs.
            package var maximumAgeSeconds: Int

            package init(keys: [PublishedKey], maximumAgeSeconds: Int) {
                self.keys = keys
                self.maximumAgeSeconds = maximumAgeSeconds
            }
        }
    }

    package struct PublishedKey: Codable, Equatable, Sendable {
        package var id: SigningKeyID
        /// A self-signed X.509 certificate around the key.
        package var certificatePEM: String
        /// RSA modulus and exponent, base64url without padding (RFC 7518 §6.3.1).
        package var modulus: String
        package var exponent: String

        package init(id: SigningKeyID, certificatePEM: String, modulus: String, exponent: String) {
            self.id = id
            self.certificatePEM = certificatePEM
            self.modulus = modulus
            self.exponent = exponent
        }
    }
}
