import Contracts
import Crypto
import FoundationEssentials
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService
@testable import WebAuthn

/// Which authenticators a project accepts, and how their passkeys are named.
@Suite struct AttestationTests {
    private static let model = [UInt8](1...16)
    private static let modelText = "01020304-0506-0708-090a-0b0c0d0e0f10"

    /// A maker of authenticators.
    private struct Maker {
        let authority: CertificateAuthority
        let key: PrivateKey
        let certificate: Certificate

        init() throws {
            authority = try CertificateAuthority(commonName: "Maker")
            key = try .generateP256()
            certificate = try authority.issue(to: key.publicKey) {
                $0.subject = [
                    ("2.5.4.6", "SE"), ("2.5.4.10", "Maker"), ("2.5.4.11", "Authenticator Attestation"),
                    ("2.5.4.3", "Model 1"),
                ]
                $0.extensions = [CertificateBuilder.basicConstraints(isAuthority: false)]
            }
        }

        var trust: AttestationTrust { AttestationTrust(anchors: [authority.certificate], metadata: nil) }

        func prepare(_ device: inout SoftwareAuthenticator) {
            device.attestation = (key, certificate)
            device.aaguid = AttestationTests.model
        }
    }

    private static func require(
        _ change: (inout ProjectConfiguration.Passkeys.Attestation) -> Void = { _ in }, of fixture: PasskeyFixture
    ) {
        fixture.identity.configure {
            var attestation = ProjectConfiguration.Passkeys.Attestation()
            attestation.conveyance = .direct
            attestation.requireTrusted = true
            change(&attestation)
            $0.attestation = attestation
        }
    }

    @Test func trustedAttestationIsRequiredByConfiguration() async throws {
        let maker = try Maker()
        let fixture = try await PasskeyFixture(trust: maker.trust)
        Self.require(of: fixture)
        let device = try await fixture.enrolled("ada", maker.prepare)
        let stored = try #require(try await fixture.stored(device))
        #expect(stored.attestationFormat == "packed" && stored.attestationType == "basic")
        #expect(stored.aaguid == Self.modelText && stored.isAttestationTrusted)
        #expect(fixture.identity.passkeys(of: "ada").map(\.isModelVerified) == [true])
        // Without a statement, and from another maker.
        #expect(await errorCode { _ = try await fixture.enrolled() } == .invalidAuthenticatorResponse)
        let other = try Maker()
        #expect(
            await errorCode { _ = try await fixture.enrolled("ada", other.prepare) } == .invalidAuthenticatorResponse)
        #expect(fixture.logged.lines(of: "passkey.ceremony-rejected").count == 2)
        #expect(fixture.identity.passkeys(of: "ada").count == 1)
    }

    @Test func configurationNamesModels() async throws {
        let maker = try Maker()
        let fixture = try await PasskeyFixture(trust: maker.trust)
        let another = "00000000-0000-0000-0000-000000000001"
        for (allowed, denied, isAccepted) in [
            ([Self.modelText], nil, true), ([another], nil, false), (nil, [Self.modelText], false),
            (nil, [another], true), ([], [], true), ([Self.modelText], [Self.modelText], false),
        ] as [([String]?, [String]?, Bool)] {
            Self.require(
                {
                    $0.allowedAaguids = allowed
                    $0.deniedAaguids = denied
                }, of: fixture)
            let code = await errorCode { _ = try await fixture.enrolled("ada", maker.prepare) }
            #expect(code == (isAccepted ? nil : .invalidAuthenticatorResponse), "\(allowed ?? []) \(denied ?? [])")
        }
    }

    /// A statement that is not required must be correct too.
    @Test func wrongStatementIsRejectedWithoutPolicy() async throws {
        let (maker, other) = (try Maker(), try Maker())
        let fixture = try await PasskeyFixture()
        _ = try await fixture.enrolled("ada", maker.prepare)
        let code = await errorCode {
            _ = try await fixture.enrolled { $0.attestation = (other.key, maker.certificate) }
        }
        #expect(code == .invalidAuthenticatorResponse)
    }

    /// Without a trusted attestation, anybody can claim a model.
    @Test func claimedModelGivesDefaultNameThatSaysSo() async throws {
        let fixture = try await PasskeyFixture()
        var device = try SoftwareAuthenticator()
        device.aaguid = try #require(AAGUID(text: "bada5566-a7aa-401f-bd96-45619a55120d")).bytes
        try await fixture.finishEnrollment(device.register(try await fixture.startEnrollment()), name: nil)
        let passkey = try #require(fixture.identity.passkeys(of: "ada").first)
        #expect(passkey.name == "1Password (unverified)" && passkey.isModelVerified == nil)
        #expect(try await fixture.stored(device)?.isAttestationTrusted == false)
    }

    @Test func verifiedModelGivesDefaultName() async throws {
        let maker = try Maker()
        let trust = AttestationTrust(
            anchors: [maker.authority.certificate], metadata: try metadata("Model 1", ["FIDO_CERTIFIED"]))
        let fixture = try await PasskeyFixture(trust: trust)
        var device = try SoftwareAuthenticator()
        maker.prepare(&device)
        let response = try device.register(try await fixture.startEnrollment())
        try await fixture.finishEnrollment(response, name: nil)
        #expect(fixture.identity.passkeys(of: "ada").map(\.name) == ["Model 1"])
        // The same request again has the same parameters.
        try await fixture.finishEnrollment(response, name: nil)
        #expect(fixture.identity.passkeys(of: "ada").map(\.isModelVerified) == [true])
    }

    // MARK: Metadata

    private func metadata(_ description: String, _ statuses: [String]) throws -> AuthenticatorMetadata {
        let model = try #require(AAGUID(Self.model))
        return AuthenticatorMetadata(
            number: 1, nextUpdate: 1_700_000_000,
            entries: [model: .init(description: description, attestationRoots: [], statuses: statuses)],
            entriesByKeyIdentifier: [:])
    }

    @Test func metadataNamesModel() async throws {
        for (description, name) in [("Model 1", "Model 1"), (String(repeating: "x", count: 200), nil), ("", "")] {
            let trust = AttestationTrust(anchors: [], metadata: try metadata(description, ["FIDO_CERTIFIED"]))
            let fixture = try await PasskeyFixture(trust: trust)
            var device = try SoftwareAuthenticator()
            device.aaguid = Self.model
            try await fixture.finishEnrollment(device.register(try await fixture.startEnrollment()), name: nil)
            let suffix = " (unverified)"
            let length = AccountPasskey.maximumNameLength - suffix.count
            let expected = name ?? String(repeating: "x", count: length)
            #expect(
                fixture.identity.passkeys(of: "ada").map(\.name) == [
                    expected.isEmpty ? "Unnamed Passkey" : expected + suffix
                ])
        }
    }

    /// Also in a project that requires no trust.
    @Test func compromisedModelIsRefused() async throws {
        let trust = AttestationTrust(anchors: [], metadata: try metadata("Model 1", ["FIDO_CERTIFIED", "REVOKED"]))
        let fixture = try await PasskeyFixture(trust: trust)
        _ = try await fixture.enrolled()
        let code = await errorCode { _ = try await fixture.enrolled { $0.aaguid = Self.model } }
        #expect(code == .invalidAuthenticatorResponse)
    }

    @Test func outdatedMetadataIsDetected() throws {
        let trust = AttestationTrust(anchors: [], metadata: try metadata("Model 1", []))
        #expect(!trust.isOutdated(at: Moment(milliseconds: 1_700_000_000_000)))
        #expect(trust.isOutdated(at: Moment(milliseconds: 1_700_000_001_000)))
    }

    // MARK: Files

    private func settings(_ variables: [String: String]) throws -> PasskeySettings {
        let base = ["LATCHKEY_BROKERS": "ipc:///run/b.sock", "LATCHKEY_DATA": "/data", "LATCHKEY_PROJECT": "p"]
        return try PasskeySettings(
            Environment(base.merging(variables) { $1 }), at: Moment(milliseconds: 1_750_000_000_000))
    }

    @Test func trustAnchorsAreReadFromFile() throws {
        let directory = try TemporaryDirectory()
        let makers = [try Maker(), try Maker()]
        let file = directory.appending("anchors.pem")
        try makers.map(\.authority.certificate.pem).joined()
            .write(toFile: file, atomically: true, encoding: .utf8)
        let trust = try settings(["LATCHKEY_PASSKEY_TRUST_ANCHORS_FILE": file]).trust
        #expect(trust.anchors == makers.map(\.authority.certificate) && trust.metadata == nil)
        #expect(!trust.isOutdated(at: Moment(milliseconds: 0)))
    }

    @Test func unusableFilesAreRefused() throws {
        let directory = try TemporaryDirectory()
        let root = directory.appending("root.pem")
        let text = directory.appending("text")
        try Maker().authority.certificate.pem.write(toFile: root, atomically: true, encoding: .utf8)
        try "a.b.c".write(toFile: text, atomically: true, encoding: .utf8)
        let cases: [([String: String], String)] = [
            (["TRUST_ANCHORS_FILE": directory.appending("none")], "TRUST_ANCHORS_FILE"),
            (["TRUST_ANCHORS_FILE": text], "TRUST_ANCHORS_FILE"),
            (["MDS_FILE": text], "MDS_FILE"), (["MDS_ROOT_FILE": root], "MDS_FILE"),
            (["MDS_FILE": text, "MDS_ROOT_FILE": root], "MDS_FILE"),
            (["MDS_FILE": directory.appending("none"), "MDS_ROOT_FILE": root], "MDS_FILE"),
        ]
        for (variables, name) in cases {
            let named = Dictionary(uniqueKeysWithValues: variables.map { ("LATCHKEY_PASSKEY_\($0)", $1) })
            let error = #expect(throws: SettingsError.self) { try settings(named) }
            #expect(error?.issues.map(\.setting) == ["LATCHKEY_PASSKEY_\(name)"], "\(variables)")
        }
    }
}
