package import Vocabulary

extension Identity {
    /// Signs in with e-mail and password.
    package struct SignInWithPassword: BusRequest {
        package static let operation = Identity.Operation.signInWithPassword
        // Each attempt is counted against the account.
        package static let retrySemantics = RetrySemantics.atMostOnce
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

        package typealias Reply = FirstFactorReply
    }

    /// Replaces a password, given the old one, and ends every session. It is counted and limited like a sign-in. It
    /// returns no tokens, so it does not bypass a second factor.
    package struct ChangePassword: BusRequest {
        package static let operation = Identity.Operation.changePassword
        // Each attempt is counted against the account.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var email: String?
        package var oldPassword: Secret<String>?
        package var newPassword: Secret<String>?
        /// The language of the notice; BCP 47.
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

        package typealias Reply = AccountReply
    }

    /// Sets a new password, verifies the address and ends every session. Second factors stay. A rejected password does
    /// not redeem the code.
    package struct ResetPassword: BusRequest {
        package static let operation = Identity.Operation.resetPassword
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var code: Secret<String>?
        package var newPassword: Secret<String>?
        /// The language of the notice.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, code: Secret<String>?, newPassword: Secret<String>?, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.code = code
            self.newPassword = newPassword
            self.locale = locale
            self.client = client
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var email: EmailAddress

            package init(email: EmailAddress) {
                self.email = email
            }
        }
    }

    /// The requirements of a project for a new password, shown to the user before the choice.
    package struct PasswordRequirements: Codable, Equatable, Sendable {
        /// In code points.
        package var minimumLength: Int
        package var maximumLength: Int?
        package var lowercase: Bool
        package var uppercase: Bool
        package var numeric: Bool
        package var nonAlphanumeric: Bool

        package init(
            minimumLength: Int, maximumLength: Int? = nil, lowercase: Bool = false, uppercase: Bool = false,
            numeric: Bool = false, nonAlphanumeric: Bool = false
        ) {
            self.minimumLength = minimumLength
            self.maximumLength = maximumLength
            self.lowercase = lowercase
            self.uppercase = uppercase
            self.numeric = numeric
            self.nonAlphanumeric = nonAlphanumeric
        }
    }
}
