package import Vocabulary

/// What the identity service offers: accounts, sessions and tokens, projects and their configuration, signing keys.
package enum Identity {
    package enum Operation: String, ServiceOperation {
        // Sign-in and sessions, for people.
        case signUp, signInWithPassword, signInWithCustomToken, refreshSession, lookUpOwnAccount, deleteOwnAccount
        case updateOwnAccount, changePassword
        // For the services of second factors.
        case resolvePendingSignIn, completeSignIn, checkEnrollment, enrollFactor
        // Second factors and the telephone, for people.
        case withdrawFactor, generateRecoveryCodes, countRecoveryCodes, signInWithRecoveryCode
        case checkPhoneSignIn, signInWithPhone, signInWithTemporaryProof
        // One-time codes by e-mail.
        case sendActionCode, inspectActionCode, resetPassword, applyActionCode, rejectEmailVerification
        case signInWithEmailLink, findSignInMethods
        /// Dev mode only.
        case listActionCodes
        /// For the other services: who is behind this ID token?
        case verifyIDToken
        /// For everybody: what holds in this realm?
        case resolveConfiguration
        // For administrators.
        case createAccount, updateAccount, findAccounts, deleteAccount
        case listAccounts, queryAccounts, deleteAccounts
        case readConfiguration, replaceConfiguration
        case createTenant, readTenant, replaceTenant, deleteTenant, listTenants
        case createSessionCookie
        /// Dev mode only.
        case clearAccounts
        // For the operator's command.
        case addServiceAccountKey, listServiceAccountKeys, removeServiceAccountKeys
        case verifyAuditLog, listAuditRecords
        // For the gateway.
        case resolveAPIKey, listSigningKeys, issueAccessToken, introspectAccessToken

        package static let service = ServiceName.identity
    }
}

// MARK: - Sign-in and sessions

extension Identity {
    /// Makes an account: anonymous without `email` and `password`; with `linkTo`, gives the account behind that ID
    /// token the e-mail and password instead. Refusals: `adminOnlyOperation`, `operationNotAllowed`, `missingEmail`,
    /// `invalidEmail`, `emailExists`, `missingPassword`, `weakPassword`, `passwordPolicyViolated`, `tenantNotFound`,
    /// `projectDisabled`, and with `linkTo` those of `VerifyIDToken`, `recentSignInRequired` and
    /// `emailChangeNeedsVerification`.
    package struct SignUp: BusRequest {
        package static let operation = Identity.Operation.signUp
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var email: String?
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var linkTo: Secret<String>?
        /// Of the notice to the address of before, when `linkTo` has another: BCP 47, as the client asked for it.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, email: String? = nil, password: Secret<String>? = nil, displayName: String? = nil,
            photoURL: String? = nil, linkTo: Secret<String>? = nil, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.email = email
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.linkTo = linkTo
            self.locale = locale
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
    /// `invalidPassword` or, under e-mail privacy, `invalidCredentials`; `accountDisabled` after the right password;
    /// `tooManyAttempts`, `passwordPolicyViolated`, `tenantNotFound`, `projectDisabled`, `overloaded`.
    package struct SignInWithPassword: BusRequest {
        package static let operation = Identity.Operation.signInWithPassword
        // Each attempt is counted against the account.
        package static let delivery = Delivery.atMostOnce
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

        /// Exactly one of `tokens` and `secondFactor`.
        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet?
            package var secondFactor: PendingSecondFactor?

            package init(account: Account, tokens: TokenSet) {
                self.account = account
                self.tokens = tokens
            }

            package init(account: Account, secondFactor: PendingSecondFactor) {
                self.account = account
                self.secondFactor = secondFactor
            }
        }
    }

    /// Exchanges a refresh token for its successor and a new ID token. Refusals: `missingRefreshToken`,
    /// `invalidRefreshToken`, `sessionExpired`, `accountNotFound`, `accountDisabled`, `tenantMismatch`.
    package struct RefreshSession: BusRequest {
        package static let operation = Identity.Operation.refreshSession
        // The predecessor of a token that was never used stays valid, so a second refresh changes nothing more.
        package static let delivery = Delivery.idempotent
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

    /// The account behind an ID token. Refusals: those of `VerifyIDToken`.
    package struct LookUpOwnAccount: BusRequest {
        package static let operation = Identity.Operation.lookUpOwnAccount
        package static let delivery = Delivery.idempotent
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

    /// Refusals: those of `VerifyIDToken`, `recentSignInRequired`, `adminOnlyOperation`, `accountMismatch`.
    package struct DeleteOwnAccount: BusRequest {
        package static let operation = Identity.Operation.deleteOwnAccount
        package static let delivery = Delivery.deduplicated
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

        package typealias Reply = EmptyReply
    }

    /// Verifies an ID token (signature, issuer, audience, expiry, tenant) and its account (exists, enabled, not
    /// revoked since). A realm without tenant takes the token's tenant. Refusals: `missingIDToken`, `invalidIDToken`,
    /// `sessionExpired`, `accountNotFound`, `accountDisabled`, `tenantMismatch`.
    package struct VerifyIDToken: BusRequest {
        package static let operation = Identity.Operation.verifyIDToken
        package static let delivery = Delivery.idempotent
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

// MARK: - For the gateway

extension Identity {
    /// The project that owns an API key. Refusals: `unknownAPIKey`.
    package struct ResolveAPIKey: BusRequest {
        package static let operation = Identity.Operation.resolveAPIKey
        package static let delivery = Delivery.idempotent
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
    package struct ListSigningKeys: BusRequest {
        package static let operation = Identity.Operation.listSigningKeys
        package static let delivery = Delivery.idempotent

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
