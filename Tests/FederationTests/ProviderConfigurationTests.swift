import Contracts
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct ProviderConfigurationTests {
    private static func oidc(
        _ id: String = "oidc.a", clientID: String = "c", issuer: String = "https://i.example", name: String? = nil,
        domains: [String] = []
    ) -> Federation.Provider {
        .init(
            id: id, isEnabled: true, clientID: clientID,
            kind: .oidc(.init(displayName: name, issuer: issuer, authoritativeDomains: domains)))
    }

    @Test(arguments: [
        "https://i.example", "https://i.example/realms/a", "https://i.example:8443/", "https://127.0.0.1",
    ])
    func validIssuerIsAccepted(issuer: String) throws {
        try Self.oidc(issuer: issuer).validate(isDev: false)
    }

    @Test(arguments: [
        "", "ftp:", "i.example", "http://i.example", "http://127.0.0.1:1", "https://", "https://i.example?a=b",
        "https://i.example/#a", "https://u:p@i.example", "https://i.example\\@evil.example", "https://i example",
        "javascript:alert(1)",
    ])
    func invalidIssuerIsRefused(issuer: String) {
        #expect(throws: ServiceError(.invalidIssuer)) { try Self.oidc(issuer: issuer).validate(isDev: false) }
    }

    @Test(arguments: [("http://127.0.0.1:1", true), ("http://localhost", true), ("http://i.example", false)])
    func devModeAllowsIssuerOnThisMachine(issuer: String, isAccepted: Bool) {
        #expect(((try? Self.oidc(issuer: issuer).validate(isDev: true)) != nil) == isAccepted)
    }

    @Test(arguments: [
        oidc("google.com"), oidc("oidc."), oidc("oidc.a/b"), oidc("saml.a"),
        oidc("oidc." + String(repeating: "a", count: 60)),
        oidc(clientID: ""), oidc(clientID: "a b"), oidc(clientID: "a\n"), oidc(domains: ["a b"]), oidc(domains: ["@a"]),
        oidc(name: String(repeating: "a", count: 257)), FederationFixture.supported(.google, secret: ""),
        FederationFixture.supported(.google, apple: .init()),
        FederationFixture.supported(.apple, apple: .init(bundleIDs: ["a b"])),
        FederationFixture.supported(.apple, apple: .init(teamID: "TEAM567890")),
        FederationFixture.supported(
            .apple, apple: .init(teamID: "TEAM567890", keyID: "KEY4567890", privateKey: Secret("no key"))),
        FederationFixture.supported(
            .apple, apple: .init(teamID: "short", keyID: "KEY4567890", privateKey: Secret(CodeFlowTests.applePEM))),
        .init(id: "twitter.com", isEnabled: true, clientID: "c", kind: .supported(nil)),
    ])
    func invalidConfigurationIsRefusedWithReason(provider: Federation.Provider) {
        let error = #expect(throws: ServiceError.self) { try provider.validate(isDev: false) }
        #expect(error?.code == .invalidProviderConfiguration)
        #expect(error?.message?.isEmpty == false)
    }

    /// Version 0.1.0 accepted such names: one that is stored refuses no change of another member.
    @Test func storedNameStays() throws {
        let stored = Self.oidc(name: "Sh\u{202e}op")
        try stored.validate(after: stored, isDev: false)
        for other in [nil, Self.oidc(name: "Shop")] {
            #expect(throws: ServiceError.self) { try stored.validate(after: other, isDev: false) }
        }
    }

    /// An issuer that does not resolve is stored with a warning, in the reply and in the log.
    @Test func issuerThatDoesNotResolveIsAWarning() async throws {
        try await FakeProviders.running { providers in
            let fixture = try await FederationFixture(providers)
            let service = try fixture.service()
            let realm = FederationFixture.realm
            func isLogged() -> Bool {
                fixture.lines.all.withLock { lines in lines.contains { $0.contains("provider-issuer.unresolved") } }
            }
            let good = fixture.openIDProvider()
            let created = try await fixture.send(
                Federation.CreateProvider(realm: realm, provider: good, client: FederationFixture.client), to: service)
            #expect(created.warning == nil)
            #expect(!isLogged())
            // Nothing listens on this port.
            var lost = Self.oidc("oidc.lost", issuer: "http://127.0.0.1:1")
            let stored = try await fixture.send(
                Federation.CreateProvider(realm: realm, provider: lost, client: FederationFixture.client), to: service)
            #expect(stored.warning?.contains("http://127.0.0.1:1 does not resolve") == true)
            #expect(isLogged())
            #expect(
                try await fixture.send(Federation.ReadProvider(realm: realm, id: "oidc.lost"), to: service).provider
                    == lost)
            // The document names another issuer.
            guard case .oidc(var openID) = good.kind else {
                Issue.record("no OpenID provider")
                return
            }
            openID.issuer += "/other"
            lost.kind = .oidc(openID)
            let replaced = try await fixture.send(
                Federation.ReplaceProvider(
                    realm: realm, provider: lost, expectedRevision: 1, client: FederationFixture.client), to: service)
            #expect(replaced.warning?.isEmpty == false)
            openID.issuer = String(openID.issuer.dropLast("/other".count))
            lost.kind = .oidc(openID)
            let repaired = try await fixture.send(
                Federation.ReplaceProvider(
                    realm: realm, provider: lost, expectedRevision: 2, client: FederationFixture.client), to: service)
            #expect(repaired.warning == nil)
        }
    }

    /// Pages show them: without those that are off, and without Game Center, whose players have no page.
    @Test func providersForSignInHaveTheirNames() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        var off = FederationFixture.supported(.microsoft)
        off.isEnabled = false
        let all = [
            Self.oidc("oidc.plain"), Self.oidc("oidc.named", name: "Bolt"), FederationFixture.supported(.google),
            FederationFixture.supported(.apple), FederationFixture.supported(.gameCenter), off,
        ]
        for provider in all { try await fixture.insert(provider) }
        let reply = try await fixture.send(
            Federation.ListSignInProviders(realm: FederationFixture.realm), to: fixture.service())
        #expect(
            reply.providers == [
                .init(id: "apple.com", name: "Apple"), .init(id: "oidc.named", name: "Bolt"),
                .init(id: "google.com", name: "Google"), .init(id: "oidc.plain", name: "plain"),
            ])
    }

    @Test func configurationIsCreatedReadReplacedAndDeleted() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let service = try fixture.service()
        let realm = FederationFixture.realm
        var provider = Self.oidc()
        var created = try await fixture.send(
            Federation.CreateProvider(realm: realm, provider: provider, client: FederationFixture.client), to: service)
        #expect((created.provider, created.revision, created.projectNumber) == (provider, 1, "12345"))
        // Nobody serves the issuer.
        #expect(created.warning != nil)
        created.warning = nil
        #expect(
            await errorCode {
                _ = try await fixture.send(
                    Federation.CreateProvider(realm: realm, provider: provider, client: FederationFixture.client),
                    to: service)
            } == .providerExists)
        #expect(
            try await fixture.send(Federation.ReadProvider(realm: realm, id: "oidc.a"), to: service) == created)
        provider.isEnabled = false
        let replace = Federation.ReplaceProvider(
            realm: realm, provider: provider, expectedRevision: 1, client: FederationFixture.client)
        #expect(try await fixture.send(replace, to: service).revision == 2)
        #expect(await errorCode { _ = try await fixture.send(replace, to: service) } == .configurationConflict)
        let list = try await fixture.send(
            Federation.ListProviders(realm: realm, list: .oidc, pageSize: 1), to: service)
        #expect(list == .init(providers: [provider], hasMore: false, projectNumber: "12345"))
        for size in [0, 101] {
            let request = Federation.ListProviders(realm: realm, list: .oidc, pageSize: size)
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidRequest)
        }
        _ = try await fixture.send(
            Federation.DeleteProvider(realm: realm, id: "oidc.a", client: FederationFixture.client), to: service)
        #expect(
            await errorCode {
                _ = try await fixture.send(
                    Federation.DeleteProvider(realm: realm, id: "oidc.a", client: FederationFixture.client), to: service
                )
            } == .providerNotFound)
        #expect(
            await errorCode {
                _ = try await fixture.send(Federation.ReadProvider(realm: realm, id: "oidc.a"), to: service)
            } == .providerNotFound)
        #expect(await errorCode { _ = try await fixture.send(replace, to: service) } == .providerNotFound)
    }
}
