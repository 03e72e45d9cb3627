import Bus
import Contracts
import Vocabulary
import WebAuthn

/// Takes over the public keys of another installation. Identity lists the passkeys afterwards, so no account lists a
/// passkey without a public key.
struct ImportHandler: PasskeyComponent {
    let dependencies: PasskeyService.Dependencies

    func importCredentials(
        _ request: Passkey.ImportCredentials, _ call: BusCall
    ) async throws -> Passkey.ImportCredentials.Reply {
        guard request.credentials.count <= Passkey.ImportCredentials.maximumCount else {
            throw ServiceError(.invalidRequest, "at most \(Passkey.ImportCredentials.maximumCount) credentials")
        }
        let credentials = request.credentials.map { PasskeyCredential($0, in: request.realm) }
        let refused = try await store.insert(credentials.compactMap(\.self), at: now())
        let indices = credentials.enumerated().filter { _, credential in
            credential.map { refused.contains($0.key) } ?? true
        }.map(\.offset)
        return .init(refusedIndices: indices)
    }
}

extension PasskeyCredential {
    /// - Returns: nil for a public key that is malformed or of an unknown algorithm.
    init?(_ imported: Passkey.ImportedCredential, in realm: Realm) {
        let (passkey, record) = (imported.passkey, imported.publicKey)
        // `try?`: the caller names the credential.
        guard let key = try? CredentialPublicKey(record.coseKey.bytes) else { return nil }
        self.init(
            id: passkey.credentialID, realm: realm, accountID: imported.accountID,
            relyingPartyID: passkey.relyingPartyID, userHandle: passkey.userHandle, publicKey: key.bytes,
            algorithm: key.algorithm, signCount: record.signCount, isBackupEligible: record.isBackupEligible,
            isBackedUp: passkey.isBackedUp, hasVerifiedUser: record.hasVerifiedUser, aaguid: passkey.aaguid,
            attestationFormat: record.attestationFormat, attestationType: record.attestationType,
            isAttestationTrusted: passkey.isModelVerified ?? false, transports: record.transports,
            createdAt: passkey.createdAt, lastUsedAt: passkey.lastUsedAt)
    }

    /// What identity does not have.
    var publicKeyRecord: Passkey.PublicKeyRecord {
        .init(
            coseKey: OctetString(publicKey), signCount: signCount, isBackupEligible: isBackupEligible,
            hasVerifiedUser: hasVerifiedUser, attestationFormat: attestationFormat, attestationType: attestationType,
            transports: transports)
    }
}
