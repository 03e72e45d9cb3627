package import Vocabulary

extension Identity {
    /// Creates an account: anonymous without `email` and `password`. With `linkIDToken` the account of that ID token
    /// receives e-mail and password instead.
    package struct SignUp: BusRequest {
        package static let operation = Identity.Operation.signUp
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var email: String?
        package var password: Secret<String>?
        package var displayName: String?
        package var photoURL: String?
        package var linkIDToken: Secret<String>?
        /// The language of the notice to the previous address, when `linkIDToken` has another: BCP 47, as the client
        /// sent it.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, email: String? = nil, password: Secret<String>? = nil, displayName: String? = nil,
            photoURL: String? = nil, linkIDToken: Secret<String>? = nil, locale: String? = nil,
            client: ClientContext = .init()
        ) {
            self.realm = realm
            self.email = email
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.linkIDToken = linkIDToken
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SessionReply
    }

    /// The account of an ID token.
    package struct LookUpOwnAccount: BusRequest {
        package static let operation = Identity.Operation.lookUpOwnAccount
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?

        package init(realm: Realm, idToken: Secret<String>?) {
            self.realm = realm
            self.idToken = idToken
        }

        package typealias Reply = AccountReply
    }

    /// Changes the named values of the account of an ID token, and returns tokens with the new values. Changing or
    /// removing the e-mail address or the password requires a recent sign-in and ends every other session.
    package struct UpdateOwnAccount: BusRequest {
        package static let operation = Identity.Operation.updateOwnAccount
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Some clients send the account beside the token; it must be the token's.
        package var accountID: AccountID?
        package var changes: OwnAccountChanges
        /// The language of the notice to the previous address: BCP 47, as the client sent it.
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

    /// Changes by a user to the own account. Absent values stay unchanged.
    package struct OwnAccountChanges: Codable, Equatable, Sendable {
        package var email: String?
        package var password: Secret<String>?
        /// Empty text removes it.
        package var displayName: String?
        /// Empty text removes it.
        package var photoURL: String?
        package var removals: [AccountChanges.Removal]
        /// Refuses removals after which nothing signs in to the account. Error: `onlyWayIn`.
        package var keepsWayIn: Bool
        package var renamedPasskey: RenamedPasskey?
        package var renamedFactor: RenamedFactor?

        /// The new name of a second factor of the account.
        package struct RenamedFactor: Codable, Equatable, Sendable {
            package var id: FactorID
            /// As the name of a passkey.
            package var name: String

            package init(id: FactorID, name: String) {
                self.id = id
                self.name = name
            }
        }

        /// The new name of a passkey of the account.
        package struct RenamedPasskey: Codable, Equatable, Sendable {
            package var credentialID: CredentialID
            /// 1 to `AccountPasskey.maximumNameLength` characters.
            package var name: String

            package init(credentialID: CredentialID, name: String) {
                self.credentialID = credentialID
                self.name = name
            }
        }

        package init(
            email: String? = nil, password: Secret<String>? = nil, displayName: String? = nil, photoURL: String? = nil,
            removals: [AccountChanges.Removal] = [], keepsWayIn: Bool = false, renamedPasskey: RenamedPasskey? = nil,
            renamedFactor: RenamedFactor? = nil
        ) {
            self.email = email
            self.password = password
            self.displayName = displayName
            self.photoURL = photoURL
            self.removals = removals
            self.keepsWayIn = keepsWayIn
            self.renamedPasskey = renamedPasskey
            self.renamedFactor = renamedFactor
        }
    }

    /// Deletes the account of an ID token.
    package struct DeleteOwnAccount: BusRequest {
        package static let operation = Identity.Operation.deleteOwnAccount
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        /// Some clients send the account beside the token; it must be the token's.
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
