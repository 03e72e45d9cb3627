package import Vocabulary

extension Identity {
    /// Makes an account: anonymous without `email` and `password`; with `linkTo`, gives the account behind that ID
    /// token the e-mail and password instead. Errors: `adminOnlyOperation`, `operationNotAllowed`, `missingEmail`,
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

        package typealias Reply = SessionReply
    }

    /// The account behind an ID token. Errors: those of `VerifyIDToken`.
    package struct LookUpOwnAccount: BusRequest {
        package static let operation = Identity.Operation.lookUpOwnAccount
        package static let delivery = Delivery.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package typealias Reply = AccountReply
    }

    /// Changes what is named of the account behind an ID token, and gives tokens that say so. A new e-mail address, a
    /// new password, and the removal of either, need a recent sign-in and end every other session. Errors: those of
    /// `VerifyIDToken`, `accountMismatch`, `recentSignInRequired`, `operationNotAllowed` (passwords are switched off,
    /// e-mail privacy wants the new address verified first, or nothing would be left to sign in with),
    /// `emailChangeNeedsVerification`, `invalidEmail`, `emailExists`, `weakPassword`, `passwordPolicyViolated`,
    /// `passkeyNotFound`, `invalidRequest` for a profile that is too long.
    package struct UpdateOwnAccount: BusRequest {
        package static let operation = Identity.Operation.updateOwnAccount
        package static let delivery = Delivery.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Some clients name the account beside the token; it must be the token's.
        package var accountID: AccountID?
        package var changes: OwnAccountChanges
        /// Of the notice to the address of before: BCP 47, as the client asked for it.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, accountID: AccountID? = nil, changes: OwnAccountChanges,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.accountID = accountID
            self.changes = changes
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SessionReply
    }

    /// What people may change of themselves. Absent: stays as it is.
    package struct OwnAccountChanges: Codable, Equatable, Sendable {
        package var email: String?
        package var password: Secret<String>?
        /// Empty text removes it.
        package var displayName: String?
        /// Empty text removes it.
        package var photoURL: String?
        package var removals: [AccountChanges.Removal]

        package init(
            email: String? = nil, password: Secret<String>? = nil, displayName: String? = nil, photoURL: String? = nil,
            removals: [AccountChanges.Removal] = []
        ) {
            self.email = email
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.removals = removals
        }
    }

    /// Errors: those of `VerifyIDToken`, `recentSignInRequired`, `adminOnlyOperation`, `accountMismatch`.
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
}
