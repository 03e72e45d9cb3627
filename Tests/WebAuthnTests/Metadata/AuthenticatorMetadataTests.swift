import Crypto
import TestSupport
import Testing
import Vocabulary
import WebAuthn

@Suite struct AuthenticatorMetadataTests {
    private static let aaguid = "ee882879-721c-4913-9775-3dfcce97072a"

    private func expectUntrusted(
        sourceLocation: SourceLocation = #_sourceLocation, _ parse: () throws -> AuthenticatorMetadata
    ) {
        let error = #expect(throws: MetadataError.self, sourceLocation: sourceLocation) { try parse() }
        guard case .untrustedSigner = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }

    private func blob(
        signingKey: PrivateKey? = nil, commonName: String = "mds.fidoalliance.org",
        change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> MetadataBLOB {
        var blob = try MetadataBLOB(signingKey: signingKey, commonName: commonName, change: change)
        blob.entries = [
            MetadataBLOB.entry(
                aaguid: Self.aaguid, description: "Example Key", roots: [blob.root.certificate],
                statuses: ["FIDO_CERTIFIED"]),
            MetadataBLOB.entry(aaguid: "00000000-0000-0000-0000-000000000001", statuses: ["REVOKED"]),
        ]
        return blob
    }

    @Test(arguments: [false, true])
    func blobIsParsed(isRSA: Bool) throws {
        var blob = try blob(signingKey: isRSA ? TestKey.rsa() : nil)
        if isRSA { blob.algorithm = "RS256" }
        let metadata = try blob.parse()
        #expect(metadata.number == 77)
        #expect(metadata.nextUpdate == 1_751_328_000)
        let aaguid = try #require(AAGUID(text: Self.aaguid))
        let entry = try #require(metadata[aaguid])
        #expect(entry.description == "Example Key" && entry.attestationRoots == [blob.root.certificate])
        #expect(entry.statuses == ["FIDO_CERTIFIED"] && !entry.isCompromised)
        let revoked = try #require(AAGUID(text: "00000000-0000-0000-0000-000000000001"))
        #expect(metadata[revoked]?.isCompromised == true)
        #expect(metadata[.zero] == nil)
    }

    @Test func fileMayEndWithALineBreak() throws {
        let blob = try blob()
        for end in ["\n", "\r\n"] { #expect(throws: Never.self) { try blob.parse(blob.bytes + Array(end.utf8)) } }
        #expect(throws: MetadataError.malformed) { try blob.parse(blob.bytes + Array(" ".utf8)) }
    }

    @Test func outdatedBlobIsReported() throws {
        let metadata = try blob().parse()
        #expect(!metadata.isOutdated(at: metadata.nextUpdate))
        #expect(metadata.isOutdated(at: metadata.nextUpdate + 1))
    }

    @Test func everyFlippedBitOfTheSignatureIsRefused() throws {
        let blob = try blob()
        let signature = try blob.signature
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let text = blob.signingInput + "." + Base64URL.encode(changed)
            #expect(throws: MetadataError.invalidSignature, "bit \(bit)") { try blob.parse(Array(text.utf8)) }
        }
    }

    @Test func changedPayloadIsRefused() throws {
        let blob = try blob()
        var other = blob
        other.entries.removeLast()
        let text = other.signingInput + "." + Base64URL.encode(try blob.signature)
        #expect(throws: MetadataError.invalidSignature) { try blob.parse(Array(text.utf8)) }
    }

    @Test func signerMustHaveAPathToTheRoot() throws {
        let blob = try blob()
        let bytes = try blob.bytes
        let otherRoot = try CertificateAuthority(commonName: "metadata root").certificate
        expectUntrusted { try AuthenticatorMetadata(blob: bytes, root: otherRoot, at: MetadataBLOB.now) }
        var withoutIssuer = blob
        withoutIssuer.certificates.removeLast()
        expectUntrusted { try withoutIssuer.parse() }
    }

    @Test func expiredSignerIsRefused() throws {
        let blob = try blob { $0.notAfter = MetadataBLOB.now - 1 }
        expectUntrusted { try blob.parse() }
        #expect(throws: Never.self) { try blob.parse(at: MetadataBLOB.now - 2) }
    }

    /// The root of the published BLOB also issues certificates for others.
    @Test func signerMustHaveTheName() throws {
        let blob = try blob(commonName: "mds.example.com")
        expectUntrusted { try blob.parse() }
        #expect(throws: Never.self) {
            try AuthenticatorMetadata(
                blob: blob.bytes, root: blob.root.certificate, signer: "mds.example.com", at: MetadataBLOB.now)
        }
    }

    @Test(arguments: ["none", "HS256", "RS256", "ES384", ""])
    func otherAlgorithmIsRefused(algorithm: String) throws {
        var blob = try blob()
        blob.algorithm = algorithm
        let error = #expect(throws: MetadataError.self) { try blob.parse() }
        #expect(error == (algorithm == "RS256" ? .invalidSignature : .unsupportedAlgorithm))
    }

    @Test func criticalHeaderMemberIsRefused() throws {
        var blob = try blob()
        blob.furtherHeaderMembers = ",\"crit\":[\"exp\"]"
        #expect(throws: MetadataError.unsupportedAlgorithm) { try blob.parse() }
    }

    @Test(arguments: ["2025-13-01", "tomorrow", ""])
    func malformedDateIsRefused(date: String) throws {
        var blob = try blob()
        blob.nextUpdate = date
        #expect(throws: MetadataError.malformed) { try blob.parse() }
    }

    @Test func malformedBlobIsRefused() throws {
        let blob = try blob()
        let parts = String(decoding: try blob.bytes, as: UTF8.self).split(separator: ".")
        for text in [
            "", ".", "..", "...", "\(parts[0]).\(parts[1])", "\(parts[0])=.\(parts[1]).\(parts[2])",
            "e30.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).\(parts[2]).",
        ] {
            #expect(throws: MetadataError.malformed, "\(text.prefix(20))") { try blob.parse(Array(text.utf8)) }
        }
        var signedGarbage = blob
        signedGarbage.entries = ["1"]
        #expect(throws: MetadataError.malformed) { try signedGarbage.parse() }
        #expect(throws: MetadataError.malformed) {
            try blob.parse([UInt8](repeating: 0x61, count: AuthenticatorMetadata.maximumBytes + 1))
        }
    }

    /// Published metadata contains entries of other protocols, and certificates that do not parse.
    @Test func unusableEntryIsIgnored() throws {
        var blob = try blob()
        blob.entries = [
            "{\"aaid\":\"4e4e#4005\",\"statusReports\":[]}",
            "{\"aaguid\":\"not an AAGUID\",\"statusReports\":[]}",
            """
            {"aaguid":"\(Self.aaguid)","metadataStatement":{"description":"Example Key",\
            "attestationRootCertificates":["AAAA"]},"statusReports":[]}
            """,
        ]
        let aaguid = try #require(AAGUID(text: Self.aaguid))
        let entry = try blob.parse()[aaguid]
        #expect(entry?.attestationRoots.isEmpty == true)
    }

    @Test func knownAuthenticatorsHaveNames() throws {
        let aaguid = try #require(AAGUID(text: Self.aaguid))
        #expect(KnownAuthenticators.name(of: aaguid) == "YubiKey 5 Series")
        #expect(KnownAuthenticators.name(of: .zero) == nil)
        for text in KnownAuthenticators.names.keys { #expect(AAGUID(text: text)?.description == text) }
        let models = KnownAuthenticators.names.keys.compactMap { KnownAuthenticators.model($0) }
        #expect(models.map(\.name).sorted() == KnownAuthenticators.names.values.sorted())
        // A name is that of one kind.
        let keys = Set(models.filter(\.isSecurityKey).map(\.name))
        #expect(keys.contains("YubiKey 5 Series") && !keys.contains("iCloud Keychain"))
        #expect(keys.isDisjoint(with: models.filter { !$0.isSecurityKey }.map(\.name)))
        for text in ["", "no AAGUID", AAGUID.zero.description] { #expect(KnownAuthenticators.model(text) == nil) }
    }

    @Test(
        arguments: [
            "", "ee882879-721c-4913-9775-3dfcce97072", "ee882879-721c-4913-9775-3dfcce97072ag",
            "ee882879721c491397753dfcce97072a", "ee882879-721c-4913-97753-dfcce97072a",
            "ee882879-721c-4913-9775-3dfcce97072a-", "ee882879-721c-4913-9775-3dfcce97072g",
        ])
    func malformedAAGUIDIsRefused(text: String) {
        #expect(AAGUID(text: text) == nil)
        #expect(AAGUID(text: Self.aaguid.uppercased())?.description == Self.aaguid)
    }
}
