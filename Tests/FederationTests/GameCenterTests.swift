import Contracts
import Crypto
import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct GameCenterTests {
    private static let bundleID = "com.example.game"
    private static let player = Federation.GameCenterPlayer(
        teamPlayerID: "T:_1", gamePlayerID: "A:_1", playerID: "G:1", displayName: "Ada")
    private static let certificatePath = "/gamecenter/public-key/gc-prod-10.cer"
    private static let issuerPath = "/digicert/CodeSigning.crt"

    private static let signer = Result { try GameCenterSigner() }

    private struct Mesh {
        var fixture: FederationFixture
        var service: FederationService
        var signer: GameCenterSigner

        func proof(
            _ playerID: String = "T:_1", bundleID: String = GameCenterTests.bundleID, at time: Moment? = nil,
            salt: [UInt8] = [1, 2, 3, 4], url: String = GameCenterSigner.certificateURL
        ) throws -> Federation.GameCenterProof {
            let time = time ?? fixture.clock.now
            let signature = try signer.sign(
                playerID: playerID, bundleID: bundleID, milliseconds: time.milliseconds, salt: salt)
            return .init(
                publicKeyURL: url, signature: OctetString(signature), salt: OctetString(salt), signedAt: time)
        }

        @discardableResult func signIn(
            _ proof: Federation.GameCenterProof, _ player: Federation.GameCenterPlayer = GameCenterTests.player
        ) async throws -> Identity.ProviderSignInReply {
            try await fixture.send(
                Federation.SignInWithGameCenter(realm: FederationFixture.realm, player: player, proof: proof),
                to: service)
        }

        func error(
            _ proof: @autoclosure () throws -> Federation.GameCenterProof
        ) async -> WireError.Code? {
            await errorCode { try await signIn(proof()) }
        }
    }

    private func running(
        trusting anchors: ((GameCenterSigner) -> [Certificate])? = nil, signer: GameCenterSigner? = nil,
        _ body: (FakeProviders, Mesh) async throws -> Void
    ) async throws {
        try await FakeProviders.running { providers in
            let signer = try signer ?? Self.signer.get()
            var fixture = try await FederationFixture(providers)
            fixture.anchors = TrustAnchors(anchors.map { $0(signer) } ?? [signer.root])
            var provider = FederationFixture.supported(.gameCenter)
            provider.clientID = Self.bundleID
            try await fixture.insert(provider)
            providers.state.withLock {
                $0.files[Self.certificatePath] = signer.certificate.der
                $0.files[Self.issuerPath] = signer.intermediate.der
            }
            try await body(providers, Mesh(fixture: fixture, service: fixture.service(), signer: signer))
        }
    }

    // MARK: Signatures

    @Test(arguments: ["T:_1", "A:_1", "G:1"]) func signedPlayerIDIsTheSubject(playerID: String) async throws {
        try await running { providers, mesh in
            #expect(try await mesh.signIn(mesh.proof(playerID)) == FakeIdentity.session)
            let received = try #require(mesh.fixture.identity.received.last)
            #expect(
                received.identity
                    == ProviderIdentity(providerID: "gc.apple.com", subject: playerID, displayName: "Ada"))
            #expect(received.createsAccount && received.linkIDToken == nil)
            #expect(providers.count(of: Self.certificatePath) == 1)
        }
    }

    @Test func registeredApplicationsMaySignIn() async throws {
        try await running { _, mesh in
            let proof = try mesh.proof(bundleID: "com.example.second")
            #expect(await mesh.error(proof) == .invalidProviderResponse)
            var app = ProjectConfiguration.MobileApp()
            app.bundleId = "com.example.second"
            mesh.fixture.identity.state.withLock { $0.configuration.mobileApps = [app] }
            mesh.fixture.endConfigurations()
            #expect(await mesh.error(proof) == nil)
        }
    }

    @Test func everyFlippedBitOfTheSignatureIsRejected() throws {
        let signer = try Self.signer.get()
        let key = try PublicKey(subjectPublicKeyInfo: signer.certificate.subjectPublicKeyInfo)
        let time = Moment(milliseconds: 1_700_000_000_000)
        let salt: [UInt8] = [1, 2, 3, 4]
        let signature = try signer.sign(
            playerID: "T:_1", bundleID: Self.bundleID, milliseconds: time.milliseconds, salt: salt)
        func isValid(_ signature: [UInt8], at time: Moment, _ salt: [UInt8], _ player: String, _ bundle: String) -> Bool
        {
            let proof = Federation.GameCenterProof(
                publicKeyURL: "", signature: OctetString(signature), salt: OctetString(salt), signedAt: time)
            return
                (try? GameCenterSignature.verify(
                    proof, of: .init(teamPlayerID: player), bundleIDs: [bundle], with: key)) != nil
        }
        #expect(isValid(signature, at: time, salt, "T:_1", Self.bundleID))
        for bit in 0..<signature.count * 8 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!isValid(changed, at: time, salt, "T:_1", Self.bundleID), "bit \(bit)")
        }
        for bit in 0..<salt.count * 8 {
            var changed = salt
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!isValid(signature, at: time, changed, "T:_1", Self.bundleID), "bit \(bit) of the salt")
        }
        for bit in 0..<63 {
            let changed = Moment(milliseconds: time.milliseconds ^ 1 << bit)
            #expect(!isValid(signature, at: changed, salt, "T:_1", Self.bundleID), "bit \(bit) of the time")
        }
        #expect(!isValid(signature, at: time, salt, "T:_2", Self.bundleID))
        #expect(!isValid(signature, at: time, salt, "T:_1", "com.example.gamf"))
        #expect(!isValid(signature, at: time, salt, "", Self.bundleID))
    }

    @Test(
        arguments: [
            (-3659, nil), (-3660, .invalidProviderResponse), (-86_400, .invalidProviderResponse), (59, nil),
            (60, .invalidProviderResponse),
        ] as [(Int, WireError.Code?)])
    func timeOfSignatureIsBounded(seconds: Int, expected: WireError.Code?) async throws {
        try await running { providers, mesh in
            let time = mesh.fixture.clock.now + .seconds(seconds)
            #expect(await mesh.error(try mesh.proof(at: time)) == expected)
            #expect(providers.state.withLock { $0.requests.isEmpty } == (expected != nil))
        }
    }

    @Test(arguments: [0, 65]) func lengthOfSaltIsBounded(count: Int) async throws {
        try await running { _, mesh in
            let salts = [count, count == 0 ? 1 : 64].map { [UInt8](repeating: 1, count: $0) }
            #expect(await mesh.error(try mesh.proof(salt: salts[0])) == .invalidProviderResponse)
            #expect(await mesh.error(try mesh.proof(salt: salts[1])) == nil)
        }
    }

    @Test func extremeTimesAreRejected() async throws {
        try await running { _, mesh in
            for milliseconds in [Int64.min, -1, 0, .max] {
                let proof = try mesh.proof(at: Moment(milliseconds: milliseconds))
                #expect(await mesh.error(proof) == .invalidProviderResponse)
            }
        }
    }

    // MARK: Replays

    @Test func signatureIsUsedOnce() async throws {
        try await running { _, mesh in
            let proof = try mesh.proof()
            let codes = await withTaskGroup { group in
                for _ in 0..<20 { group.addTask { await mesh.error(proof) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == nil }.count == 1)
            #expect(codes.filter { $0 == .duplicateProviderCredential }.count == 19)
            #expect(await mesh.error(try mesh.proof(salt: [9])) == nil)
        }
    }

    /// An application that cannot link the player signs in to the player's account with the same signature.
    @Test func signatureOfConflictIsUsableAgain() async throws {
        try await running { _, mesh in
            let proof = try mesh.proof()
            mesh.fixture.identity.state.withLock { $0.reply = .init(conflict: .identityLinked) }
            #expect(try await mesh.signIn(proof).conflict == .identityLinked)
            mesh.fixture.identity.state.withLock { $0.reply = nil }
            #expect(await mesh.error(proof) == nil)
            #expect(await mesh.error(proof) == .duplicateProviderCredential)
        }
    }

    // MARK: Certificates

    @Test(arguments: [
        "https://static.gc.apple.com/public-key/gc-prod-10.cer", "https://sandbox.gc.apple.com/public-key/gc-sb-2.cer",
        "https://STATIC.gc.apple.com/public-key/a",
    ]) func addressOfGameCenterIsAccepted(url: String) { #expect(GameCenterURL.isCertificate(url)) }

    @Test(arguments: [
        "http://static.gc.apple.com/public-key/a.cer", "https://static.gc.apple.com.evil.example/public-key/a.cer",
        "https://evil.example/public-key/a.cer", "https://evilgc.apple.com/public-key/a.cer",
        "https://gc.apple.com/public-key/a.cer",
        "https://other.gc.apple.com/public-key/a.cer", "https://a.static.gc.apple.com/public-key/a.cer",
        "https://www.apple.com/public-key/a.cer",
        "https://static.gc.apple.com:8443/public-key/a.cer", "https://u@static.gc.apple.com/public-key/a.cer",
        "https://static.gc.apple.com/public-key/a.cer?b=c", "https://static.gc.apple.com/public-key/a.cer#b",
        "https://static.gc.apple.com/public-key/../a.cer", "https://static.gc.apple.com/public-key/%2e%2e/a",
        "https://static.gc.apple.com/public-key/..", "https://static.gc.apple.com/public-key/",
        "https://static.gc.apple.com/", "https://static.gc.apple.com", "", "ftp:", "https://127.0.0.1/public-key/a.cer",
        "https://static.gc.apple.com/public-key/" + String(repeating: "a", count: 65),
    ]) func addressOfOthersIsRejected(url: String) { #expect(!GameCenterURL.isCertificate(url)) }

    @Test func addressOfOthersIsNotRequested() async throws {
        try await running { providers, mesh in
            let url = "https://static.gc.apple.com.evil.example/public-key/a.cer"
            #expect(await mesh.error(try mesh.proof(url: url)) == .invalidProviderResponse)
            #expect(providers.state.withLock { $0.requests.isEmpty })
        }
    }

    @Test(arguments: [
        ("http://cacerts.digicert.com/a.crt", "https://cacerts.digicert.com/a.crt"),
        ("https://cacerts.digicert.com/a.crt", "https://cacerts.digicert.com/a.crt"),
        ("http://cacerts.digicert.com:80/a.crt", nil), ("http://evil.example/a.crt", nil), ("ldap://a", nil),
        ("http://cacerts.digicert.com/a.crt?b", nil),
    ]) func issuerIsFetchedFromItsPublisherOnly(url: String, expected: String?) {
        #expect(GameCenterURL.issuer(url) == expected)
    }

    @Test func certificateIsFetchedOnce() async throws {
        try await running { providers, mesh in
            for number in UInt8(0)..<10 { #expect(await mesh.error(try mesh.proof(salt: [number])) == nil) }
            #expect(providers.count(of: Self.certificatePath) == 1)
            #expect(providers.count(of: Self.issuerPath) == 1)
        }
    }

    @Test func anchorCanBeTheIntermediateCertificate() async throws {
        try await running(trusting: { [$0.intermediate] }) { providers, mesh in
            #expect(await mesh.error(try mesh.proof()) == nil)
            #expect(providers.count(of: Self.issuerPath) == 0)
        }
    }

    @Test func certificateWithoutAnchorIsRejected() async throws {
        let other = try CertificateAuthority(commonName: "Root G4").certificate
        for anchors in [[], [other]] {
            try await running(trusting: { _ in anchors }) { _, mesh in
                #expect(await mesh.error(try mesh.proof()) == .providerUnavailable)
                let lines = mesh.fixture.lines.all.withLock { $0 }
                #expect(lines.contains { $0.contains("provider-certificate.rejected") })
            }
        }
    }

    @Test func missingIssuerIsRejected() async throws {
        try await running { providers, mesh in
            providers.state.withLock { $0.files[Self.issuerPath] = nil }
            #expect(await mesh.error(try mesh.proof()) == .providerUnavailable)
            providers.state.withLock { $0.files[Self.issuerPath] = [0x30, 0x00] }
            #expect(await mesh.error(try mesh.proof()) == .providerUnavailable)
        }
    }

    static let changes: [(String, @Sendable (inout CertificateBuilder) -> Void)] = [
        ("organization", { $0.subject = [("2.5.4.10", "Apple Inc"), ("2.5.4.3", "Apple Inc.")] }),
        ("two organizations", { $0.subject.append(("2.5.4.10", "Evil")) }),
        ("no usage", { $0.extensions.removeAll { $0.identifier == "2.5.29.37" } }),
        (
            "other usage",
            {
                $0.extensions.removeAll { $0.identifier == "2.5.29.37" }
                $0.extensions.append(
                    ("2.5.29.37", false, DERWriter.sequence(DERWriter.objectIdentifier("1.3.6.1.5.5.7.3.1"))))
            }
        ),
        ("expired", { $0.notAfter = 1_699_999_999 }), ("not yet valid", { $0.notBefore = 1_700_000_001 }),
        (
            "other host of the issuer",
            {
                $0.extensions.removeAll { $0.identifier == "1.3.6.1.5.5.7.1.1" }
                $0.extensions.append(GameCenterSigner.issuerAccess("http://evil.example/CodeSigning.crt"))
            }
        ),
    ]

    @Test(arguments: changes.indices) func certificateOfOthersIsRejected(number: Int) async throws {
        let (name, change) = Self.changes[number]
        try await running(
            signer: try GameCenterSigner {
                $0.notBefore = 1_600_000_000; change(&$0)
            }
        ) { _, mesh in
            #expect(await mesh.error(try mesh.proof()) == .providerUnavailable, "\(name)")
        }
    }

    @Test func keyMustBeRSA() async throws {
        try await running(signer: try GameCenterSigner(key: .generateP256())) { _, mesh in
            var proof = try mesh.proof()
            proof.signature = OctetString([UInt8](repeating: 1, count: 256))
            #expect(await mesh.error(proof) == .providerUnavailable)
        }
    }

    @Test func certificateThatExpiresInTheCacheIsRejected() async throws {
        let signer = try GameCenterSigner {
            $0.notBefore = 1_600_000_000
            $0.notAfter = 1_700_000_100
        }
        try await running(signer: signer) { _, mesh in
            #expect(await mesh.error(try mesh.proof()) == nil)
            mesh.fixture.clock.advance(by: .seconds(101))
            #expect(await mesh.error(try mesh.proof()) == .providerUnavailable)
        }
    }

    @Test func flippedBitsOfTheCertificateAreRejected() async throws {
        let signer = try Self.signer.get()
        for position in stride(from: 0, to: signer.certificate.der.count, by: 37) {
            try await running(signer: signer) { providers, mesh in
                providers.state.withLock { $0.files[Self.certificatePath]?[position] ^= 1 }
                #expect(await mesh.error(try mesh.proof()) != nil, "byte \(position)")
                #expect(mesh.fixture.identity.received.isEmpty)
            }
        }
    }

    // MARK: Configuration

    @Test func providerMustBeEnabled() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let mesh = Mesh(fixture: fixture, service: try fixture.service(), signer: try Self.signer.get())
            #expect(await mesh.error(try mesh.proof()) == .providerNotFound)
            var provider = FederationFixture.supported(.gameCenter)
            provider.isEnabled = false
            try await fixture.insert(provider)
            #expect(await mesh.error(try mesh.proof()) == .providerDisabled)
        }
    }

    @Test func tokensAreNoCredentialsOfGameCenter() async throws {
        try await running { _, mesh in
            for request in [
                mesh.fixture.request("gc.apple.com", idToken: "a.b.c"),
                mesh.fixture.request("gc.apple.com", accessToken: "a"),
            ] {
                let code = await errorCode { _ = try await mesh.fixture.send(request, to: mesh.service) }
                #expect(code == .invalidProviderCredential)
            }
        }
    }

    @Test func clientIDIsABundleID() throws {
        var provider = FederationFixture.supported(.gameCenter)
        for (clientID, isValid) in [(Self.bundleID, true), ("com.example_game", false), ("https://a", false)] {
            provider.clientID = clientID
            #expect(((try? provider.validate(isDev: false)) != nil) == isValid, "\(clientID)")
        }
    }
}
