package import Vocabulary

extension Passkey {
    /// Starts an authentication ceremony. The challenge is valid once, for five minutes. Without `idToken` and
    /// `identifier`, the authenticator offers its own list of accounts.
    package struct StartSignIn: BusRequest, Equatable {
        package static let operation = Passkey.Operation.startSignIn
        // A second request starts another ceremony, and the first one expires unused.
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm
        /// The user of this session signs in again: only a passkey of the same account is accepted.
        package var idToken: Secret<String>?
        /// E-mail address or phone number. The reply has an allow list, also for an unknown one: then of false
        /// credentials, the same ones each time (security rule EN5).
        package var identifier: String?

        package init(realm: Realm, idToken: Secret<String>? = nil, identifier: String? = nil) {
            self.realm = realm
            self.idToken = idToken
            self.identifier = identifier
        }

        /// The values of `PublicKeyCredentialRequestOptions`.
        package struct Reply: Codable, Equatable, Sendable {
            package var relyingPartyID: String
            package var challenge: Secret<OctetString>
            package var timeoutMilliseconds: Int
            package var userVerification: UserVerification
            /// Empty: any passkey of the relying party.
            package var allowedCredentials: [CredentialDescriptor]

            package init(
                relyingPartyID: String, challenge: Secret<OctetString>, timeoutMilliseconds: Int,
                userVerification: UserVerification, allowedCredentials: [CredentialDescriptor]
            ) {
                self.relyingPartyID = relyingPartyID
                self.challenge = challenge
                self.timeoutMilliseconds = timeoutMilliseconds
                self.userVerification = userVerification
                self.allowedCredentials = allowedCredentials
            }
        }
    }

    /// The client's response to request options (`AuthenticationResponseJSON`), with decoded bytes.
    package struct AuthenticationResponse: Codable, Equatable, Sendable {
        package var id: CredentialID
        /// iOS libraries do not send it.
        package var rawID: CredentialID?
        /// iOS libraries do not send it.
        package var type: String?
        package var clientDataJSON: OctetString
        package var authenticatorData: OctetString
        package var signature: OctetString
        package var userHandle: OctetString?

        package init(
            id: CredentialID, rawID: CredentialID? = nil, type: String? = nil, clientDataJSON: OctetString,
            authenticatorData: OctetString, signature: OctetString, userHandle: OctetString? = nil
        ) {
            self.id = id
            self.rawID = rawID
            self.type = type
            self.clientDataJSON = clientDataJSON
            self.authenticatorData = authenticatorData
            self.signature = signature
            self.userHandle = userHandle
        }
    }

    /// Verifies the response of an authentication ceremony and opens a session.
    package struct FinishSignIn: BusRequest, Equatable {
        package static let operation = Passkey.Operation.finishSignIn
        // The challenge is redeemed.
        package static let retrySemantics = RetrySemantics.atMostOnce
        package var realm: Realm
        package var response: AuthenticationResponse
        package var client: ClientContext

        package init(realm: Realm, response: AuthenticationResponse, client: ClientContext = .init()) {
            self.realm = realm
            self.response = response
            self.client = client
        }

        package typealias Reply = Identity.FirstFactorReply
    }

    /// What the well-known files say about the relying party of a project.
    package struct DescribeRelyingParty: BusRequest, Equatable {
        package static let operation = Passkey.Operation.describeRelyingParty
        package static let retrySemantics = RetrySemantics.idempotent
        package var realm: Realm

        package init(realm: Realm) {
            self.realm = realm
        }

        package struct Reply: Codable, Equatable, Sendable {
            package var relyingPartyID: String
            /// The web origins that are neither the relying party's host nor below it (WebAuthn 5.11).
            package var relatedOrigins: [String]
            package var appleApps: [String]
            package var androidApps: [ProjectConfiguration.Passkeys.AndroidApp]
            package var enrollURL: String?
            package var manageURL: String?

            package init(
                relyingPartyID: String, relatedOrigins: [String], appleApps: [String],
                androidApps: [ProjectConfiguration.Passkeys.AndroidApp], enrollURL: String?, manageURL: String?
            ) {
                self.relyingPartyID = relyingPartyID
                self.relatedOrigins = relatedOrigins
                self.appleApps = appleApps
                self.androidApps = androidApps
                self.enrollURL = enrollURL
                self.manageURL = manageURL
            }
        }
    }
}
