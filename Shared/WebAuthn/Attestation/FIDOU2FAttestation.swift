import CBOR
import Crypto

/// Format `fido-u2f` (Web Authentication Level 3 §8.6).
enum FIDOU2FAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        // Step 1.
        guard let signature = statement.map["sig"]?.bytes else { throw .attestationStatement }
        let certificates = try AttestationCertificates(statement)
        // Step 2.
        guard certificates.trustPath.count == 1, certificates.publicKey.type == .ellipticCurve(.p256) else {
            throw .attestationStatement
        }
        // Steps 3 and 4: the key as an uncompressed point (SEC 1 §2.3.3). Registration has checked its coordinates.
        guard case .ellipticCurve(.p256, let x, let y) = statement.publicKey.components else {
            throw .attestationStatement
        }
        let publicKey = [0x04] + x + y
        // Step 5. The first byte is reserved.
        let verificationData =
            [0x00] + statement.authenticatorData.relyingPartyIDHash + statement.clientDataHash
            + statement.credential.credentialID + publicKey
        // Step 6.
        try certificates.verify(signature: signature, of: verificationData, .es256)
        // Steps 7 and 8.
        return VerifiedAttestation(format: .fidoU2F, type: .basic, trustPath: certificates.trustPath)
    }
}
