import Contracts
import Crypto
import Vocabulary
import WebAuthn

/// A ceremony between its start and its end. Its challenge works once, for the same purpose, realm and account.
struct Ceremony: Equatable, Sendable {
    enum Purpose: String, CaseIterable, Sendable { case registration, authentication }

    /// The account whose credential may complete the ceremony.
    enum Owner: Equatable, Sendable {
        /// The response says which.
        case anyAccount
        case account(AccountID)
        /// The ceremony was started for a name that has no passkey, which its reply did not reveal (security rule EN5).
        case noAccount
    }

    /// SHA-256 of the challenge.
    var challengeDigest: [UInt8]
    var realm: Realm
    var purpose: Purpose
    var owner: Owner
    /// What the client was asked for.
    var userVerification: Passkey.UserVerification
    /// Without asking the user (conditional create), so the user need not be present.
    var isConditional = false
    var createdAt: Moment
    /// Set once a request has enrolled a credential: the same request again gets the same reply.
    var redemption: Redemption?

    struct Redemption: Equatable, Sendable {
        /// The digest of the request without its client.
        var request: [UInt8]
        var credentialID: CredentialID

        func isBy(_ request: [UInt8]) -> Bool { constantTimeEquals(self.request, request) }
    }

    func check(_ purpose: Purpose, in realm: Realm, at now: Moment) throws(ServiceError) {
        guard self.purpose == purpose, self.realm == realm, redemption == nil else { throw .unknownChallenge }
        guard createdAt.beginsWindow(of: Passkey.ceremonyLifetime, containing: now) else { throw .expiredChallenge }
    }
}

/// The random bytes that an authenticator signs. The database has only their digest.
struct Challenge: Equatable, Sendable {
    /// WebAuthn 13.4.3 asks for at least 16.
    static let byteCount = 32

    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The challenge in the client data of a response.
    init(of clientDataJSON: OctetString) throws(ServiceError) {
        let text: String
        do throws(WebAuthnError) {
            text = try ClientData(json: clientDataJSON.bytes).challenge
        } catch {
            throw .rejected(for: error)
        }
        guard let bytes = Base64URL.decode(text) else { throw .rejected(for: .challenge) }
        self.bytes = bytes
    }

    var digest: [UInt8] { SHA2.sha256(bytes) }
}

extension Passkey.UserVerification {
    var requirement: UserVerificationRequirement {
        switch self {
        case .required: .required
        case .preferred: .preferred
        }
    }
}
