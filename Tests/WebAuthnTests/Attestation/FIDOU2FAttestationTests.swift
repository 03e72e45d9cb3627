import Crypto
import TestSupport
import Testing
import WebAuthn

@Suite struct FIDOU2FAttestationTests {
    private var registration: AttestedRegistration

    init() throws { registration = try AttestedRegistration() }

    private func statement(
        _ data: [UInt8]? = nil, certificates: [[UInt8]]? = nil
    ) throws -> [(key: String, value: [UInt8])] {
        let signature = try CertificateBuilder.signature(
            of: data ?? registration.u2fVerificationData(), by: registration.attestationKey)
        let certificate = try registration.root.issueDER(to: registration.attestationKey.publicKey)
        let statement = AttestedRegistration.statement(
            signature: signature, certificates: certificates ?? [certificate])
        return Array(statement.dropFirst())
    }

    @Test func statementIsAccepted() throws {
        let attestation = try registration.register(format: "fido-u2f", statement()).attestation
        #expect(attestation.format == .fidoU2F && attestation.type == .basic && attestation.trustPath.count == 1)
    }

    @Test func otherNumberOfCertificatesIsRefused() throws {
        let certificate = try registration.root.issueDER(to: registration.attestationKey.publicKey)
        for certificates in [[], [certificate, registration.root.certificate.der]] {
            #expect(throws: WebAuthnError.attestationStatement) {
                try registration.register(format: "fido-u2f", statement(certificates: certificates))
            }
        }
    }

    @Test func keyOfTheCertificateMustBeOnP256() throws {
        let rsa = try TestKey.rsa().publicKey.subjectPublicKeyInfo
        for key in [FixedKeys.p384, rsa] {
            let certificate = try registration.root.issueDER(to: registration.attestationKey.publicKey) {
                $0.subjectPublicKeyInfo = key
            }
            #expect(throws: WebAuthnError.attestationStatement) {
                try registration.register(format: "fido-u2f", statement(certificates: [certificate]))
            }
        }
    }

    @Test func keyOfTheCredentialMustBeOnP256() throws {
        var registration = registration
        let point = Array(FixedKeys.p384.suffix(96))
        registration.authenticator.publicKey = COSEKeyBytes.ellipticCurve(
            algorithm: -35, curve: 2, x: Array(point.prefix(48)), y: Array(point.suffix(48)))
        #expect(throws: WebAuthnError.attestationStatement) {
            try registration.register(format: "fido-u2f", statement())
        }
    }

    @Test func signatureOfOtherDataIsRefused() throws {
        let valid = try registration.u2fVerificationData()
        for data in [
            try registration.u2fVerificationData(reserved: 1), Array(valid.dropLast()), registration.signedBytes,
        ] {
            #expect(throws: WebAuthnError.attestationSignature) {
                try registration.register(format: "fido-u2f", statement(data))
            }
        }
    }

    @Test func missingMemberIsRefused() throws {
        for key in ["sig", "x5c"] {
            let incomplete = try statement().filter { $0.key != key }
            #expect(throws: WebAuthnError.attestationStatement) {
                try registration.register(format: "fido-u2f", incomplete)
            }
        }
    }

    @Test func signatureWithFlippedBitIsRefused() throws {
        let signature = try CertificateBuilder.signature(
            of: registration.u2fVerificationData(), by: registration.attestationKey)
        var statement = try statement()
        statement[0].value = CBORBytes.bytes(signature)
        try registration.expectFlippedSignatureBitsAreRefused(format: "fido-u2f", statement, signature: signature)
    }
}
