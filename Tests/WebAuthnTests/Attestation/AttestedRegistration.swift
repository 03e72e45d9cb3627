import Crypto
import TestSupport
import Testing
import WebAuthn

/// A registration with an attestation statement. A test changes one part of the statement or of the certificate.
struct AttestedRegistration {
    var authenticator: TestAuthenticator
    let root: CertificateAuthority
    /// Signs the statement.
    let attestationKey: PrivateKey

    static let now = TestAuthenticator.now
    /// That of `TestAuthenticator`.
    static let aaguid = [UInt8](repeating: 0xaa, count: 16)

    init(attestationKey: PrivateKey? = nil) throws {
        authenticator = try TestAuthenticator()
        root = try CertificateAuthority(commonName: "attestation root")
        self.attestationKey = try attestationKey ?? .generateP256()
    }

    var clientDataHash: [UInt8] { SHA2.sha256(authenticator.clientDataJSON(.registration)) }
    var signedBytes: [UInt8] { authenticator.registrationData + clientDataHash }

    /// Verifies the registration with this statement.
    func register(
        format: String, _ statement: [(key: String, value: [UInt8])], policy: AttestationPolicy = .any,
        at now: Int64 = now
    ) throws -> RegisteredCredential {
        let map = CBORBytes.map(statement.map { (CBORBytes.text($0.key), $0.value) })
        let object = TestAuthenticator.attestationObject(
            format: format, statement: map, authenticatorData: authenticator.registrationData)
        var ceremony = TestAuthenticator.registration
        ceremony.algorithms = COSEAlgorithm.allCases
        ceremony.attestation = policy
        return try ceremony.verify(
            RegistrationResponse(
                id: authenticator.credentialID, clientDataJSON: authenticator.clientDataJSON(.registration),
                attestationObject: object),
            at: now)
    }

    /// A certificate as section 8.2.1 requires it for format `packed`.
    func packedCertificate(change: (inout CertificateBuilder) -> Void = { _ in }) throws -> [UInt8] {
        try root.issueDER(to: attestationKey.publicKey) {
            $0.subject = [
                ("2.5.4.6", "SE"), ("2.5.4.10", "Vendor"), ("2.5.4.11", "Authenticator Attestation"),
                ("2.5.4.3", "Model"),
            ]
            change(&$0)
        }
    }

    /// What an authenticator signs for format `fido-u2f`.
    func u2fVerificationData(reserved: UInt8 = 0) throws -> [UInt8] {
        let point = try #require(authenticator.privateKey.publicKey.p256Coordinates)
        return [reserved] + SHA2.sha256(Array(authenticator.relyingPartyID.utf8)) + clientDataHash
            + authenticator.credentialID + [0x04] + point.x + point.y
    }

    /// A statement of the usual members: `alg`, `sig` and `x5c`.
    static func statement(
        algorithm: Int = -7, signature: [UInt8], certificates: [[UInt8]]
    ) -> [(key: String, value: [UInt8])] {
        [
            ("alg", CBORBytes.integer(algorithm)), ("sig", CBORBytes.bytes(signature)),
            ("x5c", CBORBytes.array(certificates.map(CBORBytes.bytes))),
        ]
    }

    /// Verifies the statement again with each bit of its member `sig` changed.
    func expectFlippedSignatureBitsAreRefused(
        format: String, _ statement: [(key: String, value: [UInt8])], signature: [UInt8],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let index = try #require(statement.firstIndex { $0.key == "sig" }, sourceLocation: sourceLocation)
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            var changedStatement = statement
            changedStatement[index].value = CBORBytes.bytes(changed)
            #expect(throws: WebAuthnError.attestationSignature, "bit \(bit)", sourceLocation: sourceLocation) {
                try register(format: format, changedStatement)
            }
        }
    }
}

/// Keys that this project cannot generate, made with the `openssl` command.
enum FixedKeys {
    /// DER SubjectPublicKeyInfo.
    static let p384 =
        Base64URL.decode(
            "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEuQ0Z4MUPk2KDCkhkpkhC09_yExXwmtKZFKlP4I_REFth0PSC"
                + "Yr0DlM2w_M0_nv5r_opxnd2N2fIoJAxxzqY88TbBBZr3_PCM8AbKLfq-ol2xO_4OzvpzgwA0AM9mUD16") ?? []
}
