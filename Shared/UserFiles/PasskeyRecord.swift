package import Contracts
import Vocabulary

/// A passkey of a record, with its public key.
package struct PasskeyEntry: Equatable, Sendable {
    package var passkey: AccountPasskey
    package var publicKey: Passkey.PublicKeyRecord

    package init(passkey: AccountPasskey, publicKey: Passkey.PublicKeyRecord) {
        self.passkey = passkey
        self.publicKey = publicKey
    }
}

/// A passkey of a user in JSON. Bytes are base64url without padding, times milliseconds.
struct PasskeyRecord: Codable {
    var credentialId: String?
    var name: String?
    var rpId: String?
    /// Only a sealed file has it. Without it the passkey cannot be imported.
    var credential: Credential?

    struct Credential: Codable {
        var publicKey: OctetString
        var userHandle: OctetString
        var signCount: UInt32
        var backupEligible: Bool
        var backedUp: Bool
        var userVerified: Bool
        var aaguid: String
        var modelVerified: Bool?
        var attestationFormat: String
        var attestationType: String
        var transports: [String]
        var createdAt: Int64
        var lastUsedAt: Int64?
    }

    init(_ passkey: AccountPasskey, _ publicKey: Passkey.PublicKeyRecord?) {
        credentialId = passkey.credentialID.description
        name = passkey.name
        rpId = passkey.relyingPartyID
        credential = publicKey.map { publicKey in
            .init(
                publicKey: publicKey.coseKey, userHandle: passkey.userHandle, signCount: publicKey.signCount,
                backupEligible: publicKey.isBackupEligible, backedUp: passkey.isBackedUp,
                userVerified: publicKey.hasVerifiedUser, aaguid: passkey.aaguid,
                modelVerified: passkey.isModelVerified, attestationFormat: publicKey.attestationFormat,
                attestationType: publicKey.attestationType, transports: publicKey.transports,
                createdAt: passkey.createdAt.milliseconds, lastUsedAt: passkey.lastUsedAt?.milliseconds)
        }
    }

    /// Nil without a public key.
    var entry: PasskeyEntry? {
        guard let credential, let name, let rpId,
            let id = credentialId.flatMap(Base64URL.decode).flatMap(CredentialID.init)
        else { return nil }
        return PasskeyEntry(
            passkey: AccountPasskey(
                credentialID: id, name: name, relyingPartyID: rpId, userHandle: credential.userHandle,
                aaguid: credential.aaguid, isModelVerified: credential.modelVerified,
                isBackedUp: credential.backedUp, createdAt: Moment(milliseconds: credential.createdAt),
                lastUsedAt: credential.lastUsedAt.map { Moment(milliseconds: $0) }),
            publicKey: .init(
                coseKey: credential.publicKey, signCount: credential.signCount,
                isBackupEligible: credential.backupEligible, hasVerifiedUser: credential.userVerified,
                attestationFormat: credential.attestationFormat, attestationType: credential.attestationType,
                transports: credential.transports))
    }
}
