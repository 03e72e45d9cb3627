import Crypto
import TestSupport
import Testing
import WebAuthn

@Suite struct AppleAttestationTests {
    private let registration: AttestedRegistration

    init() throws { registration = try AttestedRegistration() }

    private static let nonceExtension = "1.2.840.113635.100.8.2"

    private func nonceValue(_ nonce: [UInt8]) -> [UInt8] {
        DERWriter.sequence(DERWriter.context(1, DERWriter.octetString(nonce)))
    }

    /// - Parameters:
    ///   - value: of the nonce extension; nil omits it.
    ///   - key: of the certificate; nil is the key of the credential.
    private func register(_ value: [UInt8]?, key: PublicKey? = nil) throws -> RegisteredCredential {
        let certificate = try registration.root.issueDER(
            to: key ?? registration.authenticator.privateKey.publicKey
        ) {
            if let value { $0.extensions.append((Self.nonceExtension, false, value)) }
        }
        return try registration.register(
            format: "apple", [("x5c", CBORBytes.array([CBORBytes.bytes(certificate)]))])
    }

    @Test func statementIsAccepted() throws {
        let attestation = try register(nonceValue(SHA2.sha256(registration.signedBytes))).attestation
        #expect(attestation.format == .apple && attestation.type == .anonymizationCA)
        #expect(attestation.trustPath.count == 1)
    }

    @Test func everyFlippedBitOfTheNonceIsRefused() throws {
        let nonce = SHA2.sha256(registration.signedBytes)
        for bit in 0..<nonce.count * 8 {
            var changed = nonce
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: WebAuthnError.attestationStatement) { try register(nonceValue(changed)) }
        }
    }

    @Test func nonceInAnotherFormIsRefused() throws {
        let nonce = SHA2.sha256(registration.signedBytes)
        let octets = DERWriter.octetString(nonce)
        let values: [[UInt8]?] = [
            nil, [], nonce, octets, DERWriter.sequence(octets), DERWriter.sequence(DERWriter.context(2, octets)),
            DERWriter.set(DERWriter.context(1, octets)), nonceValue(nonce) + [0],
            DERWriter.sequence(DERWriter.context(1, octets), octets), nonceValue(nonce + [0]),
            nonceValue(SHA2.sha256(registration.authenticator.registrationData)),
        ]
        for value in values { #expect(throws: WebAuthnError.attestationStatement) { try register(value) } }
    }

    @Test func certificateOfAnotherKeyIsRefused() throws {
        let nonce = SHA2.sha256(registration.signedBytes)
        #expect(throws: WebAuthnError.attestationStatement) {
            try register(nonceValue(nonce), key: registration.attestationKey.publicKey)
        }
    }

    @Test func statementWithoutCertificateIsRefused() {
        #expect(throws: WebAuthnError.attestationStatement) { try registration.register(format: "apple", []) }
    }
}
