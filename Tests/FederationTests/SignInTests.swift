import Contracts
import Crypto
import DatabaseService
import FoundationEssentials
import JSON
import SQL
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct SignInTests {
    private func hashed(_ nonce: String) -> JSONValue { .string(IDTokenRules.nonceClaim(forRaw: nonce)) }

    @Test func openIDTokenSignsIn() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider(domains: ["example.com"]))
            let token = try providers.token(
                at: fixture.clock.now,
                [
                    "email": "Pat@example.com", "email_verified": true, "name": "Pat Doe",
                    "picture": "https://img.example/p.png", "department": "x",
                ])
            let reply = try await fixture.send(fixture.request(FederationFixture.openID, idToken: token), to: service)
            #expect(reply.signIn == FakeIdentity.session)
            #expect(reply.credential.idToken?.reveal() == token)
            #expect(reply.pendingToken != nil)
            #expect(ProviderClaims(json: Data(reply.profile.rawUserInfo.utf8))?.text("sub") == "subject-1")
            let identity = try #require(fixture.identity.received.last?.identity)
            #expect(
                identity
                    == ProviderIdentity(
                        providerID: FederationFixture.openID, subject: "subject-1", email: "pat@example.com",
                        isEmailVerified: true, isEmailAuthoritative: true, displayName: "Pat Doe",
                        photoURL: "https://img.example/p.png", attributes: #"{"department":"x"}"#))
        }
    }

    @Test func invalidClaimsAreRejected() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            let seconds = fixture.clock.now.timestamp.seconds
            let changes: [[String: JSONValue]] = [
                ["exp": .integer(seconds - 61)], ["aud": "other"], ["iss": "https://accounts.example"], ["sub": .null],
                ["iss": .null], ["aud": .null], ["exp": .null], ["iat": .null], ["sub": ""],
                ["iat": .integer(seconds + 120)], ["iat": .integer(seconds - 90_000)],
                ["aud": .array([.string(FederationFixture.clientID), "other"])], ["azp": "other"],
            ]
            for change in changes {
                let token = try providers.token(at: fixture.clock.now, change)
                let code = await errorCode {
                    _ = try await fixture.send(fixture.request(FederationFixture.openID, idToken: token), to: service)
                }
                #expect(code == .invalidProviderResponse, "\(change)")
            }
            #expect(fixture.identity.received.isEmpty)
        }
    }

    /// Every flipped bit of the signature, in steps, and every other form of the token.
    @Test func changedTokensAreRejected() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            let token = try providers.token(at: fixture.clock.now)
            let (signed, signatureText) = try #require(token.lastHalves(at: "."))
            let signature = try #require(Base64URL.decode(signatureText))
            var tokens = ["garbage", "", String(signed) + ".", "{}"]
            for bit in stride(from: 0, to: signature.count * 8, by: 37) {
                var changed = signature
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                tokens.append("\(signed).\(Base64URL.encode(changed))")
            }
            for token in tokens.filter({ !$0.isEmpty }) {
                let code = await errorCode {
                    _ = try await fixture.send(fixture.request(FederationFixture.openID, idToken: token), to: service)
                }
                #expect(code == .invalidProviderResponse)
            }
            #expect(providers.count(of: "/jwks") == 1)
        }
    }

    @Test func providerMustBeConfiguredAndEnabled() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let cases: [(String?, WireError.Code)] = [
                (nil, .invalidProviderCredential), ("oidc.unknown", .providerNotFound), ("saml.x", .providerNotFound),
                (FederationFixture.openID, .providerDisabled),
            ]
            try await fixture.insert(fixture.openIDProvider(isEnabled: false))
            for (id, expected) in cases {
                let code = await errorCode {
                    _ = try await fixture.send(fixture.request(id, idToken: "x"), to: service)
                }
                #expect(code == expected)
            }
            let denied = await errorCode {
                _ = try await fixture.send(
                    fixture.request(FederationFixture.openID, error: "<script>"), to: service)
            }
            #expect(denied == .invalidProviderResponse)
            #expect(!fixture.lines.all.withLock { $0.contains { $0.contains("<script>") } })
        }
    }

    /// Security rule FE3.
    @Test func nonceIsRequiredComparedAndUsedOnce() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            func result(_ token: String, nonce: String?) async -> WireError.Code? {
                await errorCode {
                    _ = try await fixture.send(
                        fixture.request(FederationFixture.openID, idToken: token, nonce: nonce), to: service)
                }
            }
            let plain = try providers.token(at: fixture.clock.now)
            #expect(await result(plain, nonce: "unused") == nil)
            #expect(await result(plain, nonce: nil) == nil)
            let token = try providers.token(at: fixture.clock.now, ["nonce": hashed("raw")])
            #expect(await result(token, nonce: nil) == .missingNonce)
            #expect(await result(token, nonce: "other") == .nonceMismatch)
            #expect(await result(token, nonce: "raw") == nil)
            #expect(await result(token, nonce: "raw") == .duplicateProviderCredential)
            // A provider that includes the raw nonce does not follow the rule.
            let raw = try providers.token(at: fixture.clock.now, ["nonce": "raw"])
            #expect(await result(raw, nonce: "raw") == .nonceMismatch)
        }
    }

    /// Security rules, section 14: two processes share one database.
    @Test(arguments: StoreEngine.shared)
    func tokenWithNonceIsAcceptedOnceByConcurrentProcesses(engine: StoreEngine) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers, engine)
            let second = try await FederationStore(try await fixture.place.open(), keys: fixture.masterKeys)
            let services = [try fixture.service(), try fixture.service(on: second)]
            try await fixture.insert(fixture.openIDProvider())
            let token = try providers.token(at: fixture.clock.now, ["nonce": hashed("raw")])
            let codes = await withTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        await errorCode {
                            _ = try await fixture.send(
                                fixture.request(FederationFixture.openID, idToken: token, nonce: "raw"),
                                to: services[number % 2])
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.filter { $0 == nil }.count == 1)
            #expect(codes.filter { $0 == .duplicateProviderCredential }.count == 49)
            await second.close()
            await fixture.store.close()
        }
    }

    @Test func pendingTokenSignsInAgainInItsRealmForAnHour() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            let token = try providers.token(at: fixture.clock.now, ["email": "a@example.com"])
            let first = try await fixture.send(fixture.request(FederationFixture.openID, idToken: token), to: service)
            let pending = try #require(first.pendingToken)
            for _ in 0..<2 {
                let again = try await fixture.send(fixture.request(nil, pendingToken: pending), to: service)
                #expect(again.credential == first.credential)
                #expect(again.profile == first.profile)
                #expect(again.pendingToken == pending)
            }
            // Identity learns when the identity was verified.
            #expect(
                fixture.identity.received.map(\.verifiedAt) == [
                    nil, fixture.clock.now, fixture.clock.now,
                ])
            var other = fixture.request(nil, pendingToken: pending)
            other.realm.tenant = TenantID("t")
            #expect(await errorCode { _ = try await fixture.send(other, to: service) } == .invalidPendingToken)
            fixture.clock.advance(by: PendingTokenSealer.Channel.application.lifetime)
            let late = fixture.request(nil, pendingToken: pending)
            #expect(await errorCode { _ = try await fixture.send(late, to: service) } == .invalidPendingToken)
            let foreign = fixture.request(nil, pendingToken: Secret("AQAA"))
            #expect(await errorCode { _ = try await fixture.send(foreign, to: service) } == .invalidPendingToken)
        }
    }

    @Test func pendingTokenOfDisabledProviderIsRefused() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            var provider = fixture.openIDProvider()
            try await fixture.insert(provider)
            let token = try providers.token(at: fixture.clock.now, ["email": "a@example.com"])
            let first = try await fixture.send(fixture.request(FederationFixture.openID, idToken: token), to: service)
            let pending = try #require(first.pendingToken)
            let again = fixture.request(nil, pendingToken: pending)
            provider.isEnabled = false
            let result = try await fixture.store.replace(
                provider, in: FederationFixture.realm, expectedRevision: 1, FederationFixture.change())
            #expect(result == .replaced)
            #expect(await errorCode { _ = try await fixture.send(again, to: service) } == .providerDisabled)
        }
    }

    /// Whoever verified the identity is not the provider that has the ID now.
    @Test(arguments: StoreEngine.allCases) func pendingTokenEndsWithItsProvider(engine: StoreEngine) async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers, engine)
            let service = try fixture.service()
            let (store, realm) = (fixture.store, FederationFixture.realm)
            var provider = fixture.openIDProvider()
            var revision: Int64 = 1
            func pendingToken() async throws -> Federation.SignIn {
                // In time before the next change.
                let token = try providers.token(at: fixture.clock.now, ["email": "a@example.com"])
                let reply = try await fixture.send(
                    fixture.request(FederationFixture.openID, idToken: token), to: service)
                return fixture.request(nil, pendingToken: reply.pendingToken)
            }
            func replace(_ change: (inout Federation.Provider) -> Void) async throws {
                fixture.clock.advance(by: .milliseconds(1))
                change(&provider)
                #expect(
                    try await store.replace(
                        provider, in: realm, expectedRevision: revision,
                        FederationFixture.change(at: fixture.clock.now.milliseconds)) == .replaced)
                revision += 1
            }
            #expect(
                try await store.insert(
                    provider, in: realm, revision: 1, FederationFixture.change(at: fixture.clock.now.milliseconds)))
            let first = try await pendingToken()
            // Another name is no other provider.
            try await replace { provider in
                if case .oidc(var openID) = provider.kind {
                    openID.displayName = "Company"
                    provider.kind = .oidc(openID)
                }
            }
            _ = try await fixture.send(first, to: service)
            // Disabled and enabled again.
            try await replace { $0.isEnabled = false }
            try await replace { $0.isEnabled = true }
            #expect(await errorCode { _ = try await fixture.send(first, to: service) } == .invalidPendingToken)
            let second = try await pendingToken()
            _ = try await fixture.send(second, to: service)
            // Another client, and back.
            let clientID = provider.clientID
            try await replace { $0.clientID = "another" }
            try await replace { $0.clientID = clientID }
            #expect(await errorCode { _ = try await fixture.send(second, to: service) } == .invalidPendingToken)
            let third = try await pendingToken()
            // Removed and created again.
            #expect(try await store.deleteProvider(provider.id, in: realm, FederationFixture.change()))
            #expect(await errorCode { _ = try await fixture.send(third, to: service) } == .providerNotFound)
            fixture.clock.advance(by: .milliseconds(1))
            #expect(
                try await store.insert(
                    provider, in: realm, revision: 1, FederationFixture.change(at: fixture.clock.now.milliseconds)))
            #expect(await errorCode { _ = try await fixture.send(third, to: service) } == .invalidPendingToken)
            _ = try await fixture.send(try await pendingToken(), to: service)
        }
    }

    /// Between the page and the application a token may stay in a history or a log.
    @Test func pendingTokenOfPageIsValidForTenMinutes() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let (sealer, realm, now) = (fixture.store.pendingTokens, FederationFixture.realm, fixture.clock.now)
        let signIn = VerifiedSignIn(
            profile: .init(
                identity: .init(providerID: FederationFixture.openID, subject: "sub"), rawUserInfo: "{}"),
            credential: .init())
        for (channel, seconds) in [(PendingTokenSealer.Channel.page, 600), (.application, 3600)] {
            let token = try #require(try sealer.seal(signIn, for: realm, channel, at: now))
            let last = now + .seconds(seconds) - .milliseconds(1)
            #expect(try sealer.open(token, for: realm, at: last) == .init(signIn: signIn, verifiedAt: now))
            #expect(throws: ServiceError(.invalidPendingToken)) {
                try sealer.open(token, for: realm, at: now + .seconds(seconds))
            }
        }
    }

    /// "sign_in_attempts.expires_at": what was issued while the clock was ahead has expired when it is right again.
    @Test(arguments: [(200, true), (700, false), (365 * 86_400, false)] as [(Int64, Bool)])
    func lifetimeThatBeginsInTheFutureIsOver(seconds: Int64, isValid: Bool) async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let (sealer, realm, now) = (fixture.store.pendingTokens, FederationFixture.realm, fixture.clock.now)
        let ahead = now + .seconds(seconds)
        let browserSignIn = BrowserSignIn(
            stateDigest: [1], realm: realm, providerID: "google.com", sessionDigest: [2],
            redirectURL: "http://localhost",
            context: nil, expiresAt: ahead + Federation.browserSignInLifetime)
        #expect(browserSignIn.isOpen(at: now) == isValid)
        let signIn = VerifiedSignIn(
            profile: .init(
                identity: .init(providerID: FederationFixture.openID, subject: "sub"), rawUserInfo: "{}"),
            credential: .init())
        for channel in [PendingTokenSealer.Channel.page, .application] {
            let token = try #require(try sealer.seal(signIn, for: realm, channel, at: ahead))
            // `try?`: the error is the other result.
            #expect(((try? sealer.open(token, for: realm, at: now)) != nil) == isValid)
        }
    }

    @Test func rotatedKeysAreFetched() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            try await fixture.insert(fixture.openIDProvider())
            func signIn() async throws {
                let token = try providers.token(at: fixture.clock.now)
                _ = try await fixture.send(fixture.request(FederationFixture.openID, idToken: token), to: service)
            }
            try await signIn()
            try providers.addKey("k2", replacing: true)
            try await signIn()
            #expect(providers.count(of: "/jwks") == 2)
            try providers.addKey("k3")
            await #expect(throws: ServiceError.self) { try await signIn() }
            fixture.clock.advance(by: .seconds(60))
            try await signIn()
            #expect(providers.count(of: "/jwks") == 3)
        }
    }
}
