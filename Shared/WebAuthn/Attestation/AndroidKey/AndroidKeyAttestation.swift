import CBOR
import Crypto

/// Format `android-key` (Web Authentication Level 3 §8.4). Android Keystore issues a certificate for the key of the
/// credential, which also describes that key.
enum AndroidKeyAttestation {
    /// KM_ORIGIN_GENERATED: the key was created inside of the keystore.
    private static let originGenerated = 0
    /// KM_PURPOSE_SIGN.
    private static let purposeSign = 2

    static func verify(_ statement: AttestationStatement) throws(WebAuthnError) -> VerifiedAttestation {
        // Step 1.
        guard let number = statement.map["alg"]?.integer, let algorithm = COSEAlgorithm(rawValue: number),
            let signature = statement.map["sig"]?.bytes
        else { throw .attestationStatement }
        // Step 2.
        let certificates = try AttestationCertificates(statement)
        try certificates.verify(signature: signature, of: statement.signedBytes, algorithm)
        // Step 3.
        guard certificates.publicKey == statement.publicKey.verificationKey else { throw .attestationStatement }
        // Step 4.
        guard let value = certificates.leaf[extension: AndroidKeyDescription.identifier]?.value,
            let description = AndroidKeyDescription(der: value),
            description.attestationChallenge == statement.clientDataHash
        else { throw .attestationStatement }
        // Step 5.
        try checkAuthorizations(in: description)
        // Step 6.
        return VerifiedAttestation(format: .androidKey, type: .basic, trustPath: certificates.trustPath)
    }

    /// Keys without secure hardware are accepted: a field counts in either list. A field in both lists must be right in
    /// both.
    private static func checkAuthorizations(in description: AndroidKeyDescription) throws(WebAuthnError) {
        let lists = [description.softwareEnforced, description.hardwareEnforced]
        // The key would not be bound to one application.
        guard !lists.contains(where: \.includesAllApplications) else { throw .attestationStatement }
        guard Set(lists.compactMap(\.origin)) == [originGenerated] else { throw .attestationStatement }
        guard Set(lists.flatMap(\.purposes)) == [purposeSign] else { throw .attestationStatement }
    }
}
