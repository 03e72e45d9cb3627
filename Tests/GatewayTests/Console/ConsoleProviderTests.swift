import Contracts
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Identity providers at the console.
@Suite struct ConsoleProviderTests {
    private static let path = "/console/projects/shop/settings/provider"

    @Test func secretIsWrittenAndNeverShown() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let replaced = Mutex<[Federation.ReplaceProvider]>([])
        browser.harness.mesh.reply(to: Federation.ReplaceProvider.self) { request in
            replaced.withLock { $0.append(request) }
            return .init(provider: request.provider, revision: 4, projectNumber: "1")
        }
        let page = try await browser.get(Self.path, "id=google.com")
        #expect(page.text.contains("/__/auth/handler") && page.text.contains("It is stored and not shown."))
        #expect(!page.text.contains("swordfish"))
        let form = ["id": "google.com", "clientID": "new", "clientSecret": "", "enabled": "off"]
        #expect(try await browser.post(Self.path, form).status == 303)
        _ = try await browser.post(Self.path, ["id": "google.com", "clientSecret": "other"])
        let providers = replaced.withLock { $0.map(\.provider) }
        #expect(providers.map(\.clientID) == ["new", "<b>"] && providers.map(\.isEnabled) == [false, true])
        #expect(providers.map(\.clientSecret) == [Secret("swordfish"), Secret("other")])
    }

    @Test func newProviderNeedsWhatRESTNeeds() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let created = Mutex<[Federation.Provider]>([])
        browser.harness.mesh.reply(to: Federation.CreateProvider.self) { request in
            created.withLock { $0.append(request.provider) }
            return .init(provider: request.provider, revision: 1, projectNumber: "1")
        }
        let refused = try await browser.post(Self.path, ["id": "oidc.shop", "clientID": "c", "issuer": ""])
        #expect(refused.status == 400 && refused.text.contains(#"id="issuer-error">This is needed."#))
        let form = [
            "id": "oidc.shop", "clientID": "c", "issuer": "https://idp.example", "usesCode": "on",
            "clientSecret": "swordfish", "domains": "a.example\r\n", "enabled": "on",
        ]
        #expect(try await browser.post(Self.path, form).status == 303)
        let provider = try #require(created.withLock { $0.first })
        #expect(provider.isEnabled && provider.clientSecret == Secret("swordfish"))
        #expect(
            provider.kind
                == .oidc(.init(issuer: "https://idp.example", usesCodeFlow: true, authoritativeDomains: ["a.example"])))
        #expect(try await browser.get(Self.path, "id=other.com").status == 404)
    }

    /// The page says whom it concerns, and the request is that of REST.
    @Test(arguments: [false, true]) func removalSaysWhomItConcerns(isCut: Bool) async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.SearchAccounts.self) { request in
            #expect(request.criterion == .provider("google.com"))
            var only = ConsoleBrowser.account
            only.hasPassword = false
            only.passkeys = []
            only.providers = [.init(providerID: "google.com", providerAccountID: "1")]
            let isLast = !isCut && request.after != nil
            return .init(
                accounts: Array(repeating: only, count: 60) + Array(repeating: ConsoleBrowser.account, count: 40),
                hasMore: !isLast, next: isLast ? nil : .init(accountID: AccountID("a")))
        }
        let page = try await browser.get("\(Self.path)/remove", "id=google.com")
        let (count, without) = isCut ? ("at least 1000", "at least 600") : ("200", "120")
        #expect(page.text.contains("<dd>\(count)</dd>") && page.text.contains("<dd>\(without)</dd>"))
        #expect(mesh.sent(Federation.DeleteProvider.self).isEmpty)
        let removed = try await browser.post("\(Self.path)/remove", ["id": "google.com"])
        #expect(removed.header("Location") == "/console/projects/shop/settings/providers?done=done")
        let request = try #require(mesh.sent(Federation.DeleteProvider.self).first)
        #expect(request.id == "google.com" && request.client.operatorName == "ola@example.com")
        #expect(try await browser.post("\(Self.path)/remove", ["id": "oidc.none"]).status == 404)
    }

    @Test func everyProviderIsListed() async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        browser.harness.mesh.reply(to: Federation.ListProviders.self) { request in
            guard request.list == .oidc else { return .init(providers: [], hasMore: false, projectNumber: "1") }
            let id = request.after == nil ? "oidc.first" : "oidc.second"
            let provider = Federation.Provider(
                id: id, isEnabled: true, clientID: "c", kind: .oidc(.init(issuer: "https://idp.example")))
            return .init(providers: [provider], hasMore: request.after == nil, projectNumber: "1")
        }
        let page = try await browser.get("/console/projects/shop/settings/providers")
        #expect(page.text.contains("oidc.first") && page.text.contains("oidc.second"))
    }

    @Test func samlProviderHasItsCertificate() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        browser.harness.mesh.reply(to: Federation.CreateProvider.self) { request in
            guard case .saml(let saml) = request.provider.kind else { throw ServiceError(.internal) }
            #expect(saml.certificates == ["PEM"] && saml.callbackURL.hasSuffix("/__/auth/handler"))
            return .init(provider: request.provider, revision: 1, projectNumber: "1")
        }
        let form = [
            "id": "saml.shop", "entityID": "idp", "signOnPage": "https://idp.example", "certificate": "PEM",
            "ownEntityID": "shop",
        ]
        #expect(try await browser.post(Self.path, form).status == 303)
    }

    @Test func checkSaysWhereASignInLeads() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        browser.harness.mesh.reply(to: Federation.StartSignIn.self) { _ in
            .init(
                authorizationURL: "https://idp.example/authorize?state=swordfish", sessionID: Secret("s"),
                state: Secret("swordfish"))
        }
        let page = try await browser.post("\(Self.path)/check", ["id": "google.com"])
        #expect(page.text.contains("https://idp.example/authorize") && !page.text.contains("swordfish"))
        browser.harness.mesh.reply(to: Federation.StartSignIn.self) { _ in
            throw ServiceError(.invalidProviderResponse, "the issuer is another one")
        }
        let refused = try await browser.post("\(Self.path)/check", ["id": "google.com"])
        #expect(refused.status == 400 && refused.text.contains("the issuer is another one"))
    }
}
