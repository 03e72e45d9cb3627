import Contracts
import Crypto
import DatabaseService
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct SAMLConfigurationTests {
    struct Row: Sendable {
        var isAccepted = false
        var change: @Sendable (inout Federation.Provider.SAML) -> Void
    }

    static let rows: [Row] = [
        Row(isAccepted: true) { _ in },
        Row(isAccepted: true) { $0.certificates += $0.certificates },
        Row(isAccepted: true) { $0.callbackURL = "http://127.0.0.1:9099/__/auth/handler" },
        Row(isAccepted: true) { $0.signOnURL = "https://idp.example/sso?tenant=a" },
        Row { $0.certificates = [] },
        Row { $0.certificates = Array(repeating: $0.certificates.first ?? "", count: 11) },
        Row { $0.certificates = ["no certificate"] },
        Row { $0.entityID = "" },
        Row { $0.entityID = "a b" },
        Row { $0.entityID = String(repeating: "a", count: 1025) },
        Row { $0.serviceProviderEntityID = "" },
        Row { $0.signOnURL = "http://idp.example/sso" },
        Row { $0.signOnURL = "https://idp.example/sso#a" },
        Row { $0.signOnURL = "javascript:alert(1)" },
        Row { $0.callbackURL = "http://auth.example/__/auth/handler" },
        Row { $0.callbackURL = "https://auth.example/__/auth/handler?a" },
        Row { $0.callbackURL = "" },
        Row { $0.authoritativeDomains = ["a b"] },
        Row { $0.displayName = String(repeating: "a", count: 257) },
        Row { $0.displayName = "Sh\u{202e}op" },
    ]

    @Test(arguments: rows.indices)
    func configurationIsChecked(index: Int) throws {
        let row = Self.rows[index]
        let provider = try SAMLSignInTests.provider {
            $0.callbackURL = "https://auth.example/__/auth/handler"
            row.change(&$0)
        }
        guard !row.isAccepted else { return try provider.validate(isDev: false) }
        let error = #expect(throws: ServiceError.self) { try provider.validate(isDev: false) }
        #expect(error?.code == .invalidProviderConfiguration && error?.message?.isEmpty == false)
    }

    @Test(arguments: ["saml.", "oidc.a", "a", "saml.a/b", "saml.\(String(repeating: "a", count: 60))"])
    func otherIDIsRefused(id: String) throws {
        #expect(throws: ServiceError.self) { try SAMLSignInTests.provider(id: id).validate(isDev: true) }
    }

    @Test func clientIDIsRefused() throws {
        var provider = try SAMLSignInTests.provider()
        provider.clientID = "a"
        #expect(throws: ServiceError.self) { try provider.validate(isDev: true) }
    }

    /// The key is created with `signsRequests`, stays while that is set, and never leaves federation.
    @Test(arguments: StoreEngine.allCases)
    func signingKeyBelongsToProvider(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let service = try fixture.service()
        let realm = FederationFixture.realm
        func provider(signs: Bool, name: String = "A") throws -> Federation.Provider {
            try SAMLSignInTests.provider {
                ($0.signsRequests, $0.displayName) = (signs, name)
                // Ignored.
                $0.signingCertificates = [.init(certificate: "a", expiresAt: Timestamp(seconds: 1))]
            }
        }
        func certificates(_ provider: Federation.Provider) -> [Federation.Provider.SAML.SigningCertificate] {
            guard case .saml(let saml) = provider.kind else { return [] }
            return saml.signingCertificates
        }
        func replace(signs: Bool, name: String, revision: Int64) async throws -> Federation.Provider {
            try await fixture.send(
                Federation.ReplaceProvider(
                    realm: realm, provider: try provider(signs: signs, name: name), expectedRevision: revision,
                    client: FederationFixture.client),
                to: service
            ).provider
        }
        let created = try await fixture.send(
            Federation.CreateProvider(realm: realm, provider: provider(signs: true), client: FederationFixture.client),
            to: service)
        let first = try #require(certificates(created.provider).first)
        #expect(first.expiresAt == fixture.clock.now.timestamp + 10 * 365 * 86_400)
        #expect(try Certificate.all(inPEM: first.certificate).first?.notAfter == first.expiresAt.seconds)
        #expect(try await fixture.store.signingKey(of: "saml.test", in: realm) != nil)
        #expect(
            try await fixture.send(Federation.ReadProvider(realm: realm, id: "saml.test"), to: service) == created)
        #expect(try certificates(await replace(signs: true, name: "B", revision: 1)) == [first])
        #expect(
            await errorCode { _ = try await replace(signs: true, name: "C", revision: 1) } == .configurationConflict)
        // The request is signed.
        let started = try await fixture.send(
            Federation.StartSignIn(
                realm: realm, providerID: "saml.test", continueURL: "http://localhost/__/auth/handler"),
            to: service)
        #expect(started.authorizationURL.contains("&SigAlg=") && started.authorizationURL.contains("&Signature="))
        let list = try await fixture.send(
            Federation.ListProviders(realm: realm, list: .saml, pageSize: 9), to: service)
        #expect(list.providers.map(certificates) == [[first]])
        #expect(try certificates(await replace(signs: false, name: "D", revision: 2)).isEmpty)
        #expect(try await fixture.store.signingKey(of: "saml.test", in: realm) == nil)
        let second = try await replace(signs: true, name: "E", revision: 3)
        #expect(certificates(second).count == 1 && certificates(second) != [first])
        await fixture.store.close()
    }
}
