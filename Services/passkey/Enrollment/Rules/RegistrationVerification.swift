import Contracts
import Vocabulary
import WebAuthn

/// The verification of the response of an enrollment (security rules WR2 to WR21).
struct RegistrationVerification: Sendable {
    /// Offered to authenticators, the preferred first (security rule WR17).
    static let algorithms: [COSEAlgorithm] = [.es256, .edDSA, .rs256, .es384]

    private static let transportBytes = 1...32

    var ceremony: Ceremony
    var challenge: Challenge
    var relyingParty: EffectiveRelyingParty
    var attestation: AttestationPolicy

    /// - Returns: the credential for the account, as it is to be stored.
    func verify(
        _ response: Passkey.RegistrationResponse, account: AccountID, userHandle: OctetString, at now: Moment
    ) throws(ServiceError) -> PasskeyCredential {
        let verification = RegistrationCeremony(
            challenge: challenge.bytes, relyingParty: relyingParty.expectations,
            userVerification: ceremony.userVerification.requirement, requiresUserPresence: !ceremony.isConditional,
            algorithms: Self.algorithms, attestation: attestation)
        let registered: RegisteredCredential
        do throws(WebAuthnError) {
            registered = try verification.verify(
                .init(
                    id: response.id.bytes, rawID: response.rawID?.bytes, type: response.type,
                    clientDataJSON: response.clientDataJSON.bytes,
                    attestationObject: response.attestationObject.bytes, transports: response.transports),
                at: now.timestamp.seconds)
        } catch {
            throw .rejected(for: error)
        }
        return PasskeyCredential(
            id: response.id, realm: ceremony.realm, accountID: account, relyingPartyID: relyingParty.id.rawValue,
            userHandle: userHandle, publicKey: registered.publicKey, algorithm: registered.algorithm,
            signCount: registered.signCount, isBackupEligible: registered.isBackupEligible,
            isBackedUp: registered.isBackedUp, hasVerifiedUser: registered.isUserVerified,
            aaguid: registered.aaguid.description, attestationFormat: registered.attestation.format.rawValue,
            attestationType: registered.attestation.type.rawValue,
            isAttestationTrusted: registered.isAttestationTrusted,
            transports: registered.transports.filter(Self.isTransport), createdAt: now)
    }

    /// `internal`, `smart-card` and future ones. They are hints, so that others are left out.
    private static func isTransport(_ text: String) -> Bool {
        transportBytes.contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIINameByte)
    }
}
