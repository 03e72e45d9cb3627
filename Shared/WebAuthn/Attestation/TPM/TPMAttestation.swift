import CBOR
import Crypto

/// Format `tpm` (Web Authentication Level 3 §8.3): a key inside of the TPM certifies the key of the credential.
enum TPMAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        // Step 1.
        guard statement.map["ver"]?.text == "2.0", let number = statement.map["alg"]?.integer,
            let algorithm = SignatureAlgorithm(number), let signature = statement.map["sig"]?.bytes,
            let certifyInfoBytes = statement.map["certInfo"]?.bytes,
            let publicAreaBytes = statement.map["pubArea"]?.bytes
        else { throw .attestationStatement }
        let certificates = try AttestationCertificates(statement)
        // Step 2.
        guard let publicArea = TPMPublicArea(publicAreaBytes),
            publicArea.publicKey == statement.publicKey.verificationKey
        else { throw .attestationStatement }
        // Steps 3 and 4: the parser checks magic and type.
        guard let certifyInfo = TPMCertifyInfo(certifyInfoBytes),
            certifyInfo.extraData == algorithm.scheme.digest(of: statement.signedBytes),
            certifyInfo.attestedName == publicArea.name
        else { throw .attestationStatement }
        // Step 5.
        guard certificates.publicKey.type == algorithm.keyType else { throw .attestationStatement }
        guard certificates.publicKey.isValid(signature: signature, for: certifyInfoBytes, algorithm.scheme) else {
            throw .attestationSignature
        }
        try TPMCertificateRequirements.check(certificates.leaf)
        try certificates.checkAAGUID(statement.credential.aaguid)
        // Step 6.
        return VerifiedAttestation(format: .tpm, type: .attestationCA, trustPath: certificates.trustPath)
    }
}
