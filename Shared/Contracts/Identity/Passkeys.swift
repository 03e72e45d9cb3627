package import Vocabulary

/// A passkey in the list of an account. The passkey service has its public key.
package struct AccountPasskey: Codable, Equatable, Sendable {
    /// In Unicode characters.
    package static let maximumNameLength = 128
    /// The name of a passkey without a name of its own, whose model is not known. REST returns it, as Firebase does; pages and
    /// e-mails have words of their language instead.
    package static let defaultName = "Unnamed Passkey"

    package var credentialID: CredentialID
    /// Chosen by the user, or the name of the authenticator's model, or `defaultName`.
    package var name: String
    package var relyingPartyID: String
    /// The user handle that the authenticator stores with the credential: random, at most 64 bytes.
    package var userHandle: OctetString
    /// The model of the authenticator, as a UUID in lower case: its own claim unless `isModelVerified`.
    package var aaguid: String
    /// A trusted attestation has confirmed the model. Absent: it has not.
    package var isModelVerified: Bool?
    /// The authenticator reported that the credential is backed up, at its last use (BS).
    package var isBackedUp: Bool
    package var createdAt: Moment
    package var lastUsedAt: Moment?

    package init(
        credentialID: CredentialID, name: String, relyingPartyID: String, userHandle: OctetString, aaguid: String,
        isModelVerified: Bool? = nil, isBackedUp: Bool, createdAt: Moment, lastUsedAt: Moment? = nil
    ) {
        self.credentialID = credentialID
        self.name = name
        self.relyingPartyID = relyingPartyID
        self.userHandle = userHandle
        self.aaguid = aaguid
        self.isModelVerified = isModelVerified
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

extension AccountPasskey {
    /// Nil for a passkey without a name of its own, whose model is not known.
    package var chosenName: String? { name == Self.defaultName ? nil : name }

    /// Whether a text from outside is a name: 1 to `maximumNameLength` Unicode characters, not all white space, and none that
    /// turns or hides text.
    package static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...maximumNameLength).contains(scalars.count)
            && scalars.contains { !$0.properties.isWhitespace }
            && text.isShownAsItIs
    }
}

extension Identity {
    /// Whether the account of an ID token may add a passkey now; changes nothing (REST 3.6). An anonymous account may,
    /// and an account without a verified e-mail address.
    package struct CheckPasskeyEnrollment: BusRequest, Equatable {
        package static let operation = Identity.Operation.checkPasskeyEnrollment
        package static let retrySemantics = RetrySemantics.idempotent

        package var realm: Realm
        package var idToken: Secret<String>?
        package var stage: CheckEnrollment.Stage

        package init(realm: Realm, idToken: Secret<String>?, stage: CheckEnrollment.Stage) {
            self.realm = realm
            self.idToken = idToken
            self.stage = stage
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var account: Account
            package var principal: Principal
            /// The passkey settings of the realm; absent: none are stored.
            package var configuration: ProjectConfiguration.Passkeys?

            package init(
                account: Account, principal: Principal, configuration: ProjectConfiguration.Passkeys?
            ) {
                self.account = account
                self.principal = principal
                self.configuration = configuration
            }
        }
    }

    /// Adds a passkey that the passkey service has verified to the list of the account. Ends no session; an anonymous
    /// account is permanent from now on. Only the passkey service may send it.
    package struct EnrollPasskey: BusRequest, Equatable {
        package static let operation = Identity.Operation.enrollPasskey
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var idToken: Secret<String>?
        /// `createdAt` and `lastUsedAt` are ignored: identity sets the first.
        package var passkey: AccountPasskey
        /// The user was verified, not only present. Goes into the tokens of an account that was anonymous.
        package var isUserVerified: Bool
        /// The language of the notice by e-mail: BCP 47.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, passkey: AccountPasskey, isUserVerified: Bool,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.passkey = passkey
            self.isUserVerified = isUserVerified
            self.locale = locale
            self.client = client
        }

        package typealias Reply = SessionReply
    }

    /// Signs in with a passkey whose assertion the passkey service has verified, and stores its use. Only the passkey
    /// service may send it.
    package struct SignInWithPasskey: BusRequest, Equatable {
        package static let operation = Identity.Operation.signInWithPasskey
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var accountID: AccountID
        package var credentialID: CredentialID
        /// The user was verified, not only present: the passkey counts as two factors (security rule WA12).
        package var isUserVerified: Bool
        package var isBackedUp: Bool
        /// The signature counter did not increase, and the project accepts that; for the audit log. Absent: no.
        package var hasCounterRegression: Bool?
        package var client: ClientContext

        package init(
            realm: Realm, accountID: AccountID, credentialID: CredentialID, isUserVerified: Bool, isBackedUp: Bool,
            hasCounterRegression: Bool? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.accountID = accountID
            self.credentialID = credentialID
            self.isUserVerified = isUserVerified
            self.isBackedUp = isBackedUp
            self.hasCounterRegression = hasCounterRegression
            self.client = client
        }

        package typealias Reply = FirstFactorReply
    }
}
