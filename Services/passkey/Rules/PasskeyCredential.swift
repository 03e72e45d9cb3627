import Contracts
import Vocabulary
import WebAuthn

/// The stored part of a credential (WebAuthn 4, credential record). Identity has the list of an account's passkeys; a
/// credential that it does not list cannot be used to sign in.
struct PasskeyCredential: Equatable, Sendable {
    /// Unique in the project, over all tenants.
    var id: CredentialID
    var realm: Realm
    var accountID: AccountID
    var relyingPartyID: String
    var userHandle: OctetString
    /// A COSE key.
    var publicKey: [UInt8]
    var algorithm: COSEAlgorithm
    var signCount: UInt32
    /// Fixed at registration (BE).
    var isBackupEligible: Bool
    /// At the last use (BS).
    var isBackedUp: Bool
    /// The user was verified at the registration or at a use since.
    var hasVerifiedUser: Bool
    /// As a UUID in lower case.
    var aaguid: String
    var attestationFormat: String
    var attestationType: String
    /// The attestation leads to a trusted certificate, so the model is what it claims.
    var isAttestationTrusted: Bool
    /// As the client reported them.
    var transports: [String]
    var createdAt: Moment
    var lastUsedAt: Moment?

    func belongs(to relyingParty: RelyingPartyID, in realm: Realm) -> Bool {
        self.realm == realm && relyingPartyID == relyingParty.rawValue
    }

    var key: PasskeyCredentialKey { .init(id: id, realm: realm, accountID: accountID) }
}

/// A credential with its owner.
struct PasskeyCredentialKey: Hashable, Sendable {
    var id: CredentialID
    var realm: Realm
    var accountID: AccountID
}

extension Account {
    /// The passkeys of a relying party ID, in the order they were added.
    func passkeys(of id: RelyingPartyID) -> [AccountPasskey] {
        passkeys.filter { $0.relyingPartyID == id.rawValue }
    }
}
