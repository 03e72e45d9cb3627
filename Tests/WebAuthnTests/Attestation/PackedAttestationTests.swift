import Crypto
import TestSupport
import Testing
import WebAuthn

@Suite struct PackedAttestationTests {
    private let registration: AttestedRegistration

    init() throws { registration = try AttestedRegistration() }

    /// The AAGUID extension.
    private static func aaguid(_ bytes: [UInt8], isCritical: Bool = false) -> CertificateBuilder.Extension {
        ("1.3.6.1.4.1.45724.1.1.4", isCritical, DERWriter.octetString(bytes))
    }

    /// A certificate with the AAGUID.
    private func certificate(change: (inout CertificateBuilder) -> Void = { _ in }) throws -> [UInt8] {
        try registration.packedCertificate {
            $0.extensions.append(Self.aaguid(AttestedRegistration.aaguid))
            change(&$0)
        }
    }

    private func register(
        _ certificates: [[UInt8]], algorithm: Int = -7, signature: [UInt8]? = nil
    ) throws -> RegisteredCredential {
        let valid = try CertificateBuilder.signature(of: registration.signedBytes, by: registration.attestationKey)
        return try registration.register(
            format: "packed",
            AttestedRegistration.statement(
                algorithm: algorithm, signature: signature ?? valid, certificates: certificates))
    }

    @Test func statementIsAccepted() throws {
        let attestation = try register([certificate()]).attestation
        #expect(attestation.format == .packed && attestation.type == .basic)
        let path = [try certificate(), registration.root.certificate.der]
        #expect(try register(path).attestation.trustPath.map(\.der) == path)
    }

    @Test func aaguidExtensionIsOptional() throws {
        let certificate = try certificate { $0.extensions.removeLast() }
        #expect(try register([certificate]).attestation.type == .basic)
    }

    @Test func rsaKeyIsAccepted() throws {
        let registration = try AttestedRegistration(attestationKey: TestKey.rsa())
        let certificate = try registration.packedCertificate()
        let signature = try CertificateBuilder.signature(of: registration.signedBytes, by: registration.attestationKey)
        for (algorithm, isAccepted) in [(-257, true), (-7, false), (-37, false), (-65535, false)] {
            let statement = AttestedRegistration.statement(
                algorithm: algorithm, signature: signature, certificates: [certificate])
            let result = Result { try registration.register(format: "packed", statement) }
            let isVerified = if case .success = result { true } else { false }
            #expect(isVerified == isAccepted, "algorithm \(algorithm)")
        }
    }

    enum Deviation: CaseIterable {
        case version, country, longCountry, organization, unit, secondUnit, commonName
        case authority, noBasicConstraints, otherAAGUID, criticalAAGUID, bareAAGUID
    }

    @Test(arguments: Deviation.allCases)
    func certificateWithDeviationIsRefused(deviation: Deviation) throws {
        let certificate = try certificate {
            switch deviation {
            case .version: $0.version = 2
            case .country: $0.subject.remove(at: 0)
            case .longCountry: $0.subject[0].value = "Sweden"
            case .organization: $0.subject.remove(at: 1)
            case .unit: $0.subject[2].value = "authenticator attestation"
            case .secondUnit: $0.subject.append(("2.5.4.11", "Other"))
            case .commonName: $0.subject.removeLast()
            case .authority: $0.extensions[0] = CertificateBuilder.basicConstraints(isAuthority: true)
            case .noBasicConstraints: $0.extensions.remove(at: 0)
            case .otherAAGUID: $0.extensions[1] = Self.aaguid(.init(repeating: 0xab, count: 16))
            case .criticalAAGUID: $0.extensions[1] = Self.aaguid(AttestedRegistration.aaguid, isCritical: true)
            case .bareAAGUID: $0.extensions[1].value = AttestedRegistration.aaguid
            }
        }
        #expect(throws: WebAuthnError.attestationStatement) { try register([certificate]) }
    }

    @Test func certificatesMustBeAListOfOneToEightCertificates() throws {
        let certificate = try certificate()
        let many = [[UInt8]](repeating: certificate, count: 9)
        #expect(throws: Never.self) { try register(Array(many.dropLast())) }
        for certificates in [[], many, [certificate + [0]], [[1, 2, 3]], [certificate, []]] {
            #expect(throws: WebAuthnError.attestationStatement) { try register(certificates) }
        }
        let signature = try CertificateBuilder.signature(of: registration.signedBytes, by: registration.attestationKey)
        var statement = AttestedRegistration.statement(signature: signature, certificates: [certificate])
        for value in [CBORBytes.bytes(certificate), CBORBytes.array([CBORBytes.text("certificate")])] {
            statement[2].value = value
            #expect(throws: WebAuthnError.attestationStatement) {
                try registration.register(format: "packed", statement)
            }
        }
    }

    @Test(arguments: [-257, -35, -8, -65535, 0])
    func algorithmOfAnotherKeyTypeIsRefused(algorithm: Int) throws {
        #expect(throws: WebAuthnError.attestationStatement) { try register([certificate()], algorithm: algorithm) }
    }

    @Test func signatureOfAnotherKeyOrMessageIsRefused() throws {
        let other = try CertificateBuilder.signature(of: registration.signedBytes, by: .generateP256())
        let withoutHash = try CertificateBuilder.signature(
            of: registration.authenticator.registrationData, by: registration.attestationKey)
        let ofCredential = try registration.authenticator.sign(registration.signedBytes)
        for signature in [other, withoutHash, ofCredential, []] {
            #expect(throws: WebAuthnError.attestationSignature) { try register([certificate()], signature: signature) }
        }
    }

    @Test func signatureWithFlippedBitIsRefused() throws {
        let signature = try CertificateBuilder.signature(of: registration.signedBytes, by: registration.attestationKey)
        let statement = AttestedRegistration.statement(signature: signature, certificates: [try certificate()])
        try registration.expectFlippedSignatureBitsAreRefused(format: "packed", statement, signature: signature)
    }
}
