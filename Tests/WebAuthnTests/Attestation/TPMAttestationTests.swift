import Crypto
import Foundation
import TestSupport
import Testing
import WebAuthn

@Suite struct TPMAttestationTests {
    private var registration: AttestedRegistration

    init() throws { registration = try AttestedRegistration() }

    // MARK: Parts of a statement

    private func structures(change: (inout TPMStructures) -> Void = { _ in }) throws -> TPMStructures {
        let point = try #require(registration.authenticator.privateKey.publicKey.p256Coordinates)
        var structures = TPMStructures(
            extraData: SHA2.sha256(registration.signedBytes), x: point.x, y: point.y)
        change(&structures)
        return structures
    }

    private static func alternativeName(_ attributes: [CertificateBuilder.Attribute]) -> CertificateBuilder.Extension {
        ("2.5.29.17", true, DERWriter.sequence(DERWriter.context(4, CertificateBuilder.name(attributes))))
    }

    private static let attributes: [CertificateBuilder.Attribute] = [
        ("2.23.133.2.1", "id:4E544300"), ("2.23.133.2.2", "NPCT75x"), ("2.23.133.2.3", "id:00070002"),
    ]

    private static func usage(_ identifiers: String...) -> CertificateBuilder.Extension {
        ("2.5.29.37", false, DERWriter.element(0x30, identifiers.flatMap(DERWriter.objectIdentifier)))
    }

    private static let aaguidExtension = "1.3.6.1.4.1.45724.1.1.4"

    /// A certificate as section 8.3.1 requires it.
    private func certificate(
        _ key: PublicKey? = nil, change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> [UInt8] {
        try registration.root.issueDER(to: key ?? registration.attestationKey.publicKey) {
            $0.subject = []
            $0.extensions = [
                CertificateBuilder.basicConstraints(isAuthority: nil), Self.usage("2.23.133.8.3"),
                Self.alternativeName(Self.attributes),
                (Self.aaguidExtension, false, DERWriter.octetString(AttestedRegistration.aaguid)),
            ]
            change(&$0)
        }
    }

    private func statement(
        _ structures: TPMStructures, certificate: [UInt8]? = nil, algorithm: Int = -7, signature: [UInt8]? = nil,
        key: PrivateKey? = nil
    ) throws -> [(key: String, value: [UInt8])] {
        let valid = try CertificateBuilder.signature(
            of: structures.certifyInfo, by: key ?? registration.attestationKey)
        let certificate = try certificate ?? self.certificate()
        return [
            ("ver", CBORBytes.text("2.0")), ("certInfo", CBORBytes.bytes(structures.certifyInfo)),
            ("pubArea", CBORBytes.bytes(structures.publicArea)),
        ]
            + AttestedRegistration.statement(
                algorithm: algorithm, signature: signature ?? valid, certificates: [certificate])
    }

    private func register(_ statement: [(key: String, value: [UInt8])]) throws -> RegisteredCredential {
        try registration.register(format: "tpm", statement)
    }

    // MARK: Accepted

    @Test func statementIsAccepted() throws {
        let attestation = try register(statement(structures())).attestation
        #expect(attestation.format == .tpm && attestation.type == .attestationCA && attestation.trustPath.count == 1)
    }

    @Test func keyWithASchemeIsAccepted() throws {
        let structures = try structures {
            // ECDSA with SHA-256.
            $0.parameters =
                TPMStructures.number(0x0010) + TPMStructures.number(0x0018) + TPMStructures.number(0x000b)
                + TPMStructures.number(0x0003) + TPMStructures.number(0x0010)
        }
        #expect(throws: Never.self) { try register(statement(structures)) }
    }

    @Test func rsaKeysAreAccepted() throws {
        var tests = self
        let key = try TestKey.rsa()
        let modulus = try #require(key.publicKey.rsaComponents).modulus
        tests.registration.authenticator.publicKey = COSEKeyBytes.rsa(
            algorithm: -257, modulus: modulus, exponent: [1, 0, 1])
        let structures = TPMStructures(
            extraData: SHA2.sha256(tests.registration.signedBytes), modulus: modulus)
        // The attestation key is RSA too.
        let statement = try tests.statement(
            structures, certificate: tests.certificate(key.publicKey), algorithm: -257, key: key)
        #expect(throws: Never.self) { try tests.register(statement) }
        var otherExponent = structures
        otherExponent.parameters.replaceSubrange(8..<12, with: [0, 0, 0, 3])
        #expect(throws: WebAuthnError.attestationStatement) {
            try tests.register(
                tests.statement(
                    otherExponent, certificate: tests.certificate(key.publicKey), algorithm: -257, key: key))
        }
    }

    /// RSA with SHA-1, which only TPMs may use. `openssl` signs: this project cannot.
    @Test func rs1IsAccepted() async throws {
        let key = try TestKey.rsa()
        let hash = try await openssl(["dgst", "-sha1", "-binary"], input: registration.signedBytes)
        let structures = try structures { $0.extraData = hash }
        let signature = try await openssl(
            ["dgst", "-sha1", "-sign", "KEY"], input: structures.certifyInfo, key: key.pkcs8DER)
        let certificate = try certificate(key.publicKey)
        let valid = try statement(structures, certificate: certificate, algorithm: -65535, signature: signature)
        #expect(throws: Never.self) { try register(valid) }
        var changed = signature
        changed[100] ^= 1
        #expect(throws: WebAuthnError.attestationSignature) {
            try register(statement(structures, certificate: certificate, algorithm: -65535, signature: changed))
        }
        #expect(throws: WebAuthnError.attestationStatement) {
            try register(
                statement(
                    self.structures(), certificate: certificate, algorithm: -65535, signature: signature))
        }
    }

    /// - Parameter key: DER, for the argument `KEY`.
    private func openssl(_ arguments: [String], input: [UInt8], key: [UInt8] = []) async throws -> [UInt8] {
        let folder = try TemporaryDirectory()
        let files = ["input", "key", "output"].map { folder.appending($0) }
        try Data(input).write(to: URL(filePath: files[0]))
        try Data(key).write(to: URL(filePath: files[1]))
        let arguments = arguments.map { $0 == "KEY" ? files[1] : $0 }
        let program = try RunningProgram(
            "/usr/bin/openssl", arguments + ["-out", files[2], files[0]], in: folder)
        #expect(try await program.ending() == .code(0))
        return Array(try Data(contentsOf: URL(filePath: files[2])))
    }

    // MARK: Refused

    enum StructureDeviation: CaseIterable {
        case magic, type, extraData, emptyExtraData, name, emptyName, nameWithOtherAlgorithm, trailingByte
        case unknownNameAlgorithm, keyType, otherCurve, symmetricCipher, otherKey, trailingByteInPublicArea
    }

    @Test(arguments: StructureDeviation.allCases)
    func structureWithDeviationIsRefused(deviation: StructureDeviation) throws {
        let other = try #require(registration.attestationKey.publicKey.p256Coordinates)
        let structures = try structures {
            switch deviation {
            case .magic: $0.magic = 0xff54_4348
            case .type: $0.type = 0x8018
            case .extraData: $0.extraData = SHA2.sha256(registration.authenticator.registrationData)
            case .emptyExtraData: $0.extraData = []
            case .name: $0.attestedName = $0.name.dropLast() + [UInt8](repeating: 0, count: 1)
            case .emptyName: $0.attestedName = []
            case .nameWithOtherAlgorithm: $0.attestedName = [0, 0x0c] + $0.name.dropFirst(2)
            case .trailingByte: $0.trailingBytes = [0]
            case .unknownNameAlgorithm: $0.nameAlgorithm = 0x0004
            case .keyType: $0.keyType = 0x0008
            case .otherCurve: $0.parameters[5] = 4
            case .symmetricCipher: $0.parameters[1] = 6
            case .otherKey: $0.key = TPMStructures.sized(other.x) + TPMStructures.sized(other.y)
            case .trailingByteInPublicArea: $0.key.append(0)
            }
        }
        #expect(throws: WebAuthnError.attestationStatement) { try register(statement(structures)) }
    }

    enum CertificateDeviation: CaseIterable {
        case version, subject, authority, noBasicConstraints, noUsage, otherUsage
        case noAlternativeName, manufacturer, bareManufacturer, noModel, noVersion, otherAAGUID, criticalAAGUID
    }

    @Test(arguments: CertificateDeviation.allCases)
    func certificateWithDeviationIsRefused(deviation: CertificateDeviation) throws {
        var attributes = Self.attributes
        let certificate = try certificate {
            switch deviation {
            case .version: $0.version = 2
            case .subject: $0.subject = [("2.5.4.3", "TPM")]
            case .authority: $0.extensions[0] = CertificateBuilder.basicConstraints(isAuthority: true)
            case .noBasicConstraints: $0.extensions.remove(at: 0)
            case .noUsage: $0.extensions.remove(at: 1)
            case .otherUsage: $0.extensions[1] = Self.usage("2.23.133.8.1")
            case .noAlternativeName: $0.extensions.remove(at: 2)
            case .manufacturer: attributes[0].value = "id:4E54430G"
            case .bareManufacturer: attributes[0].value = "4E544300"
            case .noModel: attributes.remove(at: 1)
            case .noVersion: attributes.remove(at: 2)
            case .otherAAGUID: $0.extensions[3].value = DERWriter.octetString(.init(repeating: 1, count: 16))
            case .criticalAAGUID: $0.extensions[3].isCritical = true
            }
            if attributes.map(\.value) != Self.attributes.map(\.value) {
                $0.extensions[2] = Self.alternativeName(attributes)
            }
        }
        #expect(throws: WebAuthnError.attestationStatement) {
            try register(statement(structures(), certificate: certificate))
        }
    }

    @Test func missingOrChangedMemberIsRefused() throws {
        let valid = try statement(structures())
        for index in valid.indices {
            var statement = valid
            statement.remove(at: index)
            #expect(throws: WebAuthnError.attestationStatement, "\(valid[index].key)") { try register(statement) }
        }
        var statement = valid
        for version in ["2", "1.2", ""] {
            statement[0].value = CBORBytes.text(version)
            #expect(throws: WebAuthnError.attestationStatement) { try register(statement) }
        }
    }

    @Test func everyPrefixOfTheStructuresIsRefused() throws {
        let structures = try structures()
        let valid = try statement(structures)
        for (index, bytes) in [(1, structures.certifyInfo), (2, structures.publicArea)] {
            for count in 0..<bytes.count {
                var statement = valid
                statement[index].value = CBORBytes.bytes(Array(bytes.prefix(count)))
                #expect(throws: WebAuthnError.attestationStatement) { try register(statement) }
            }
        }
    }

    @Test func everyFlippedBitOfTheStructuresIsRefused() throws {
        let structures = try structures()
        let valid = try statement(structures)
        for (index, bytes) in [(1, structures.certifyInfo), (2, structures.publicArea)] {
            for bit in 0..<bytes.count * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                var statement = valid
                statement[index].value = CBORBytes.bytes(changed)
                #expect(throws: WebAuthnError.self, "member \(index), bit \(bit)") { try register(statement) }
            }
        }
    }

    @Test func signatureWithFlippedBitIsRefused() throws {
        let structures = try structures()
        let signature = try CertificateBuilder.signature(
            of: structures.certifyInfo, by: registration.attestationKey)
        let statement = try statement(structures, signature: signature)
        try registration.expectFlippedSignatureBitsAreRefused(format: "tpm", statement, signature: signature)
    }

    @Test(arguments: [-257, -8, -65535, 0])
    func algorithmOfAnotherKeyTypeIsRefused(algorithm: Int) throws {
        #expect(throws: WebAuthnError.attestationStatement) {
            try register(statement(structures(), algorithm: algorithm))
        }
    }
}
