package import Vocabulary

extension Passkey {
    /// Starts a registration ceremony for the account of an ID token. The challenge is valid once, for five minutes,
    /// for this account.
    package struct StartEnrollment: BusRequest, Equatable {
        package static let operation = Passkey.Operation.startEnrollment
        // A second request starts another ceremony, and the first one expires unused.
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        package var idToken: Secret<String>?
        /// The client creates the passkey without asking the user (conditional create), so the user need not be
        /// present.
        package var isConditional: Bool

        package init(realm: Realm, idToken: Secret<String>?, isConditional: Bool = false) {
            self.realm = realm
            self.idToken = idToken
            self.isConditional = isConditional
        }

        /// The values of `PublicKeyCredentialCreationOptions`.
        package struct Reply: Codable, Equatable, Sendable {
            package var relyingPartyID: String
            package var relyingPartyName: String
            package var userHandle: OctetString
            /// The e-mail address or phone number, else a text that is no identifier.
            package var userName: String
            package var userDisplayName: String
            package var challenge: Secret<OctetString>
            /// COSE algorithm identifiers, the preferred first.
            package var algorithms: [Int]
            package var timeoutMilliseconds: Int
            package var excludedCredentials: [CredentialDescriptor]
            package var userVerification: UserVerification
            package var attestation: ProjectConfiguration.Passkeys.Conveyance

            package init(
                relyingPartyID: String, relyingPartyName: String, userHandle: OctetString, userName: String,
                userDisplayName: String, challenge: Secret<OctetString>, algorithms: [Int], timeoutMilliseconds: Int,
                excludedCredentials: [CredentialDescriptor], userVerification: UserVerification,
                attestation: ProjectConfiguration.Passkeys.Conveyance
            ) {
                self.relyingPartyID = relyingPartyID
                self.relyingPartyName = relyingPartyName
                self.userHandle = userHandle
                self.userName = userName
                self.userDisplayName = userDisplayName
                self.challenge = challenge
                self.algorithms = algorithms
                self.timeoutMilliseconds = timeoutMilliseconds
                self.excludedCredentials = excludedCredentials
                self.userVerification = userVerification
                self.attestation = attestation
            }
        }
    }

    /// The client's response to creation options (`RegistrationResponseJSON`), with decoded bytes.
    package struct RegistrationResponse: Codable, Equatable, Sendable {
        package var id: CredentialID
        /// iOS libraries do not send it.
        package var rawID: CredentialID?
        /// iOS libraries do not send it.
        package var type: String?
        package var clientDataJSON: OctetString
        package var attestationObject: OctetString
        package var transports: [String]

        package init(
            id: CredentialID, rawID: CredentialID? = nil, type: String? = nil, clientDataJSON: OctetString,
            attestationObject: OctetString, transports: [String] = []
        ) {
            self.id = id
            self.rawID = rawID
            self.type = type
            self.clientDataJSON = clientDataJSON
            self.attestationObject = attestationObject
            self.transports = transports
        }
    }

    /// Verifies the response of a registration ceremony and adds the passkey to the account.
    package struct FinishEnrollment: BusRequest, Equatable {
        package static let operation = Passkey.Operation.finishEnrollment
        // The challenge is redeemed.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var idToken: Secret<String>?
        package var response: RegistrationResponse
        /// The name of the passkey; absent: the name of the authenticator's model, or `Unnamed Passkey`.
        package var name: String?
        /// The language of the notice by e-mail: BCP 47.
        package var locale: String?
        package var client: ClientContext

        package init(
            realm: Realm, idToken: Secret<String>?, response: RegistrationResponse, name: String? = nil,
            locale: String? = nil, client: ClientContext = .init()
        ) {
            self.realm = realm
            self.idToken = idToken
            self.response = response
            self.name = name
            self.locale = locale
            self.client = client
        }

        package typealias Reply = Identity.SessionReply
    }
}
