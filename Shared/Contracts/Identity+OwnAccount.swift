package import Vocabulary

// MARK: - What people change of their own account

extension Identity {
    /// Changes what is named of the account behind an ID token, and gives tokens that say so. A new e-mail address, a
    /// new password, and the removal of either, need a recent sign-in and end every other session. Refusals: those of
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

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var tokens: TokenSet

            package init(account: Account, tokens: TokenSet) {
                self.account = account
                self.tokens = tokens
            }
        }
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

    /// Replaces a password by whoever knows it, and ends every session. Counted and refused as a sign-in is; gives no
    /// tokens, so a second factor stays in force. Refusals: those of `SignInWithPassword`, `weakPassword`,
    /// `passwordPolicyViolated`.
    package struct ChangePassword: BusRequest {
        package static let operation = Identity.Operation.changePassword
        // Each attempt is counted against the account.
        package static let delivery = Delivery.atMostOnce
        package var realm: Realm
        package var email: String?
        package var oldPassword: Secret<String>?
        package var newPassword: Secret<String>?
        /// Of the notice that goes out; BCP 47.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, email: String?, oldPassword: Secret<String>?, newPassword: Secret<String>?,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.email = email
            self.oldPassword = oldPassword
            self.newPassword = newPassword
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account

            package init(account: Account) {
                self.account = account
            }
        }
    }
}
