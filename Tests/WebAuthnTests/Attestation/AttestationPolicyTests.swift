import Crypto
import TestSupport
import Testing
import WebAuthn

@Suite struct AttestationPolicyTests {
    private let registration: AttestedRegistration

    init() throws { registration = try AttestedRegistration() }

    /// Registers with format `packed`.
    private func register(
        _ policy: AttestationPolicy, at now: Int64 = AttestedRegistration.now, certificate: [UInt8]? = nil
    ) throws -> RegisteredCredential {
        let signature = try CertificateBuilder.signature(of: registration.signedBytes, by: registration.attestationKey)
        let certificate = try certificate ?? registration.packedCertificate()
        let statement = AttestedRegistration.statement(signature: signature, certificates: [certificate])
        return try registration.register(format: "packed", statement, policy: policy, at: now)
    }

    /// Registers with format `fido-u2f`.
    private func registerU2F(_ policy: AttestationPolicy, certificate: [UInt8]) throws -> RegisteredCredential {
        let signature = try CertificateBuilder.signature(
            of: registration.u2fVerificationData(), by: registration.attestationKey)
        let statement = AttestedRegistration.statement(signature: signature, certificates: [certificate])
        return try registration.register(format: "fido-u2f", Array(statement.dropFirst()), policy: policy)
    }

    private var aaguid: AAGUID {
        get throws { try #require(AAGUID(AttestedRegistration.aaguid)) }
    }

    @Test func nothingIsRequestedOrRequiredByDefault() throws {
        #expect(AttestationPolicy.any.conveyance == .none)
        #expect(try !register(.any).isAttestationTrusted)
        let none = try registration.register(format: "none", [])
        #expect(none.attestation.type == .none && !none.isAttestationTrusted)
    }

    @Test func pathToAnAnchorIsReported() throws {
        let unrelated = try CertificateAuthority(commonName: "unrelated").certificate
        #expect(try register(AttestationPolicy(trustAnchors: [registration.root.certificate])).isAttestationTrusted)
        #expect(try !register(AttestationPolicy(trustAnchors: [unrelated])).isAttestationTrusted)
    }

    /// Security rule WR20.
    @Test func requiredTrustNeedsAPathThatIsValidNow() throws {
        let root = registration.root.certificate
        let policy = AttestationPolicy(requiresTrust: true, trustAnchors: [root])
        #expect(try register(policy).isAttestationTrusted)
        let unrelated = try CertificateAuthority(commonName: "attestation root").certificate
        for anchors in [[], [unrelated]] {
            #expect(throws: WebAuthnError.attestationTrust) {
                try register(AttestationPolicy(requiresTrust: true, trustAnchors: anchors))
            }
        }
        for time in [root.notBefore - 1, root.notAfter + 1] {
            #expect(throws: WebAuthnError.attestationTrust) { try register(policy, at: time) }
        }
        #expect(throws: WebAuthnError.attestationTrust) {
            try register(
                policy, certificate: registration.packedCertificate { $0.notAfter = AttestedRegistration.now - 1 })
        }
        // Certificates are not part of these statements.
        #expect(throws: WebAuthnError.attestationTrust) {
            try registration.register(format: "none", [], policy: policy)
        }
        let signature = try registration.authenticator.sign(registration.signedBytes)
        let selfAttestation = [("alg", CBORBytes.integer(-7)), ("sig", CBORBytes.bytes(signature))]
        #expect(try registration.register(format: "packed", selfAttestation).attestation.type == .self)
        #expect(throws: WebAuthnError.attestationTrust) {
            try registration.register(format: "packed", selfAttestation, policy: policy)
        }
    }

    @Test func attestationCertificateItselfCanBeAnAnchor() throws {
        let certificates = [try registration.packedCertificate(), try registration.packedCertificate()]
        let policy = AttestationPolicy(trustAnchors: [try Certificate(der: certificates[0])])
        #expect(try certificates.map { try register(policy, certificate: $0).isAttestationTrusted } == [true, false])
    }

    @Test func formatMustBeAccepted() throws {
        let policy = AttestationPolicy(acceptedFormats: [.none, .tpm])
        #expect(throws: WebAuthnError.attestationFormat) { try register(policy) }
        #expect(throws: Never.self) { try registration.register(format: "none", [], policy: policy) }
    }

    @Test(arguments: ["android-safetynet", "compound", "Packed", ""])
    func otherFormatIsRefused(format: String) {
        #expect(throws: WebAuthnError.attestationFormat) { try registration.register(format: format, []) }
    }

    @Test func aaguidListsAreApplied() throws {
        let aaguid = try aaguid
        for policy in [
            AttestationPolicy(deniedAAGUIDs: [aaguid]), AttestationPolicy(allowedAAGUIDs: []),
            AttestationPolicy(allowedAAGUIDs: [.zero]),
            AttestationPolicy(allowedAAGUIDs: [aaguid], deniedAAGUIDs: [aaguid]),
        ] {
            #expect(throws: WebAuthnError.attestationTrust) { try register(policy) }
        }
        #expect(throws: Never.self) {
            try register(AttestationPolicy(allowedAAGUIDs: [aaguid], deniedAAGUIDs: [.zero]))
        }
    }

    @Test func metadataAddsAnchorsOfTheModel() throws {
        let root = registration.root.certificate
        let known = try MetadataBLOB.metadata(aaguid: try aaguid, roots: [root])
        #expect(try register(AttestationPolicy(requiresTrust: true, metadata: known)).isAttestationTrusted)
        let otherModel = try MetadataBLOB.metadata(aaguid: .zero, roots: [root])
        #expect(throws: WebAuthnError.attestationTrust) {
            try register(AttestationPolicy(requiresTrust: true, metadata: otherModel))
        }
        #expect(try !register(AttestationPolicy(metadata: otherModel)).isAttestationTrusted)
    }

    /// U2F authenticators have no AAGUID.
    @Test func metadataOfU2FIsFoundByTheKeyOfTheCertificate() throws {
        let root = registration.root.certificate
        let certificate = try registration.root.issueDER(to: registration.attestationKey.publicKey)
        let known = try Certificate(der: certificate).publicKeyIdentifier
        for (identifier, isKnown) in [(known, true), (known.reversed(), false)] {
            var blob = try MetadataBLOB()
            blob.entries = [MetadataBLOB.entry(keyIdentifier: identifier, roots: [root])]
            let policy = AttestationPolicy(metadata: try blob.parse())
            #expect(try registerU2F(policy, certificate: certificate).isAttestationTrusted == isKnown)
            // The key identifiers are for U2F only.
            #expect(try !register(policy).isAttestationTrusted)
        }
        var blob = try MetadataBLOB()
        blob.entries = [MetadataBLOB.entry(keyIdentifier: known, roots: [root], statuses: ["REVOKED"])]
        #expect(throws: WebAuthnError.attestationTrust) {
            try registerU2F(AttestationPolicy(metadata: blob.parse()), certificate: certificate)
        }
    }

    /// Roots of some models also issue certificates for web servers, which a U2F statement could contain.
    @Test func u2fStatementIsNotTrustedByItsAAGUID() throws {
        let certificate = try registration.root.issueDER(to: registration.attestationKey.publicKey)
        let metadata = try MetadataBLOB.metadata(aaguid: try aaguid, roots: [registration.root.certificate])
        #expect(try !registerU2F(AttestationPolicy(metadata: metadata), certificate: certificate).isAttestationTrusted)
        let anchors = [registration.root.certificate]
        #expect(
            try registerU2F(AttestationPolicy(trustAnchors: anchors), certificate: certificate).isAttestationTrusted)
        let revoked = try MetadataBLOB.metadata(aaguid: try aaguid, roots: [], statuses: ["REVOKED"])
        #expect(throws: WebAuthnError.attestationTrust) {
            try registerU2F(AttestationPolicy(metadata: revoked), certificate: certificate)
        }
    }

    @Test(
        arguments: [
            "REVOKED", "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
            "USER_KEY_PHYSICAL_COMPROMISE",
        ])
    func compromisedModelIsRefused(status: String) throws {
        for statuses in [[status], ["FIDO_CERTIFIED_L1", status, "UPDATE_AVAILABLE"]] {
            let metadata = try MetadataBLOB.metadata(
                aaguid: try aaguid, roots: [registration.root.certificate], statuses: statuses)
            #expect(throws: WebAuthnError.attestationTrust) { try register(AttestationPolicy(metadata: metadata)) }
            #expect(throws: WebAuthnError.attestationTrust) {
                try registration.register(format: "none", [], policy: AttestationPolicy(metadata: metadata))
            }
        }
        let certified = try MetadataBLOB.metadata(
            aaguid: try aaguid, roots: [], statuses: ["FIDO_CERTIFIED_L1", "UPDATE_AVAILABLE"])
        #expect(throws: Never.self) { try register(AttestationPolicy(metadata: certified)) }
    }
}
