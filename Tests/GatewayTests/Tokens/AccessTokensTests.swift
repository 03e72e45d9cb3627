import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The token endpoint and the access that its tokens give (RFC 6749 §5; RFC 7523 §2.1; security rules AD1 and HT13).
@Suite struct AccessTokensTests {
    private static let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
    private static let formType = ["Content-Type": "application/x-www-form-urlencoded"]

    private func harness(
        dev: Bool = false, _ permissions: [Identity.AdminPermission] = [.read, .write]
    ) throws -> GatewayHarness {
        let harness = dev ? try GatewayHarness() : try GatewayHarness.production()
        harness.mesh.reply(to: Identity.IssueAccessToken.self) { request in
            switch request.assertion?.reveal() {
            case "good": .init(accessToken: Secret("lkat_1"), expiresInSeconds: 3600)
            case "no-scope": throw ServiceError(.invalidScope)
            default: throw ServiceError(.invalidAssertion, "It has expired.")
            }
        }
        harness.mesh.reply(to: Identity.IntrospectAccessToken.self) { request in
            guard request.accessToken.reveal() == "lkat_1" else { throw ServiceError(.invalidAccessToken) }
            return .init(
                project: ProjectID("shop"), serviceAccount: "robot@shop.example", permissions: permissions,
                expiresAt: Moment(milliseconds: 0))
        }
        harness.mesh.reply(to: Identity.ReadConfiguration.self) { _ in
            .init(configuration: .init(), revision: 1, projectNumber: "42")
        }
        harness.mesh.reply(to: Identity.FindAccounts.self) { _ in .init(accounts: []) }
        harness.mesh.reply(to: Identity.DeleteAccount.self) { _ in EmptyReply() }
        return harness
    }

    @Test(arguments: ["/token", "/oauth2.googleapis.com/token", "/www.googleapis.com/oauth2/v4/token"])
    func validAssertionReturnsAccessToken(path: String) async throws {
        let harness = try harness()
        let response = try await harness.send(
            .post, path, headers: Self.formType, body: "grant_type=\(Self.grantType)&assertion=good", on: .admin)
        #expect(
            response.json == (try json(#"{"access_token":"lkat_1","expires_in":3600,"token_type":"Bearer"}"#)))
        #expect(response.header("cache-control") == "no-store")
        let audiences = try #require(harness.mesh.sent(Identity.IssueAccessToken.self).first).audiences
        // Only names of this installation, for every path that a library uses.
        #expect(audiences.allSatisfy { !$0.contains("googleapis.com") })
        #expect(audiences.contains("http://127.0.0.1:9098/token"))
    }

    @Test(arguments: [
        ("assertion=good", "invalid_request"), ("grant_type=\(grantType)", "invalid_request"),
        ("grant_type=password&assertion=good", "unsupported_grant_type"),
        ("grant_type=\(grantType)&assertion=bad", "invalid_grant"),
        ("grant_type=\(grantType)&assertion=no-scope", "invalid_scope"),
    ])
    func errorsHaveOAuthFormat(body: String, code: String) async throws {
        let response = try await harness().send(.post, "/token", headers: Self.formType, body: body, on: .admin)
        #expect((response.status, response.json["error"]) == (400, .string(code)))
    }

    /// `firebase` presents its token itself after this status only.
    @Test(arguments: ["/oauth2/v3/token", "/www.googleapis.com/oauth2/v3/token"])
    func firebaseCommandKeepsItsToken(path: String) async throws {
        let response = try await harness().send(
            .post, path, headers: ["Content-Type": "multipart/form-data; boundary=x"], body: "--x--", on: .admin)
        #expect((response.status, response.json["error"]) == (400, .string("unsupported_grant_type")))
    }

    @Test func tokenEndpointIsNotPublic() async throws {
        let response = try await harness().send(
            .post, "/token", headers: Self.formType, body: "grant_type=\(Self.grantType)&assertion=good")
        #expect(response.status == 404)
    }

    private func call(
        _ harness: GatewayHarness, _ method: HTTPMethod, _ path: String, token: String = "lkat_1",
        on listener: Listener = .admin, body: String? = nil
    ) async throws -> TestResponse {
        try await harness.send(
            method, path, headers: ["Authorization": "Bearer \(token)"], body: body, on: listener)
    }

    @Test func tokenIsLimitedToItsProject() async throws {
        let harness = try harness()
        #expect(try await call(harness, .get, "/v2/projects/shop/config").status == 200)
        let other = try await call(harness, .get, "/v2/projects/other/config")
        #expect((other.status, other.error?["status"]) == (403, .string("PERMISSION_DENIED")))
        let target = try await call(
            harness, .post, "/v1/accounts:lookup", body: #"{"localId":["a"],"targetProjectId":"other"}"#)
        #expect(target.status == 403)
        #expect(try await call(harness, .post, "/v1/accounts:lookup", body: #"{"localId":["a"]}"#).status == 200)
        #expect(harness.mesh.sent(Identity.FindAccounts.self).map(\.realm.project) == [ProjectID("shop")])
    }

    @Test(arguments: ["lkat_2", "intruder", "owner", "lkat_" + String(repeating: "A", count: 200)])
    func invalidBearerIsRejected(token: String) async throws {
        let response = try await call(harness(), .get, "/v2/projects/shop/config", token: token)
        #expect((response.status, response.error?["status"]) == (401, .string("UNAUTHENTICATED")))
    }

    @Test func readPermissionAllowsOnlyReads() async throws {
        let harness = try harness([.read])
        #expect(try await call(harness, .get, "/v2/projects/shop/config").status == 200)
        #expect(try await call(harness, .post, "/v1/projects/shop/accounts:lookup", body: "{}").status == 200)
        for (method, path) in [
            (HTTPMethod.patch, "/v2/projects/shop/config"), (.post, "/v1/projects/shop/accounts:delete"),
            (.delete, "/v2/projects/shop/tenants/t"),
        ] {
            #expect(try await call(harness, method, path, body: "{}").status == 403)
        }
        #expect(harness.mesh.sent(Identity.DeleteAccount.self).isEmpty)
    }

    /// Security rule AD6: a right of its own, which no scope grants.
    @Test(arguments: [[], [.readPasswordHashes]] as [[Identity.AdminPermission]])
    func hashesNeedTheirOwnPermission(_ more: [Identity.AdminPermission]) async throws {
        let harness = try harness([.read] + more)
        harness.mesh.reply(to: Identity.ListAccounts.self) { _ in .init(accounts: [], nextPageToken: nil) }
        harness.mesh.reply(to: Identity.ExportAccounts.self) { _ in .init(accounts: [], nextPageToken: nil) }
        #expect(try await call(harness, .get, "/v1/projects/shop/accounts:batchGet").status == 200)
        let legacy = "/identitytoolkit/v3/relyingparty/downloadAccount"
        #expect(try await call(harness, .post, legacy, body: "{}").status == 200)
        #expect(harness.mesh.sent(Identity.ExportAccounts.self).count == (more.isEmpty ? 0 : 2))
        #expect(harness.mesh.sent(Identity.ListAccounts.self).count == (more.isEmpty ? 2 : 0))
        #expect(harness.mesh.sent(Identity.ExportAccounts.self).allSatisfy { !$0.includesPeppers })
    }

    private static let providers = [
        Federation.Provider(
            id: "google.com", isEnabled: true, clientID: "c", clientSecret: Secret("hidden-1"), kind: .supported(nil)),
        Federation.Provider(
            id: "apple.com", isEnabled: true, clientID: "c", clientSecret: Secret("hidden-2"),
            kind: .supported(.init(bundleIDs: [], teamID: "T", keyID: "K", privateKey: Secret("hidden-3")))),
        Federation.Provider(
            id: "oidc.acme", isEnabled: true, clientID: "c", clientSecret: Secret("hidden-4"),
            kind: .oidc(.init(issuer: "https://i.example", usesCodeFlow: true))),
        Federation.Provider(
            id: "saml.acme", isEnabled: true, clientID: "",
            kind: .saml(
                .init(
                    displayName: "Acme", entityID: "https://idp.example", signOnURL: "https://idp.example/sso",
                    certificates: ["A"], serviceProviderEntityID: "https://sp.example",
                    callbackURL: "https://auth.example/__/auth/handler"))),
    ]

    /// Every operation that returns a provider, for each kind of provider and caller.
    @Test(
        arguments: [[.read], [.read, .readPasswordHashes], [.read, .write]] as [[Identity.AdminPermission]],
        ["", "/tenants/t"])
    func secretsOfProvidersNeedPermissionToWrite(_ permissions: [Identity.AdminPermission], tenant: String) async throws
    {
        let harness = try harness(permissions)
        harness.mesh.reply(to: Federation.ReadProvider.self) { request in
            guard let provider = Self.providers.first(where: { $0.id == request.id }) else {
                throw ServiceError(.providerNotFound)
            }
            return .init(provider: provider, revision: 1, projectNumber: "42")
        }
        harness.mesh.reply(to: Federation.ListProviders.self) { request in
            let prefixes: [Federation.ProviderList: String] = [.oidc: "oidc.", .saml: "saml."]
            let prefix = prefixes[request.list] ?? ""
            let providers = Self.providers.filter {
                prefix.isEmpty ? !$0.id.contains(".acme") : $0.id.hasPrefix(prefix)
            }
            return .init(providers: providers, hasMore: false, projectNumber: "42")
        }
        harness.mesh.reply(to: Federation.ReplaceProvider.self) { request in
            .init(provider: request.provider, revision: 2, projectNumber: "42")
        }
        let mayWrite = permissions.contains(.write)
        var shown: Set<String> = []
        for (collection, ids) in [
            ("defaultSupportedIdpConfigs", ["google.com", "apple.com"]), ("oauthIdpConfigs", ["oidc.acme"]),
            ("inboundSamlConfigs", ["saml.acme"]),
        ] {
            let path = "/v2/projects/shop\(tenant)/\(collection)"
            var responses = [try await call(harness, .get, path)]
            for id in ids {
                responses.append(try await call(harness, .get, "\(path)/\(id)"))
                let change = try await harness.send(
                    .patch, "\(path)/\(id)", query: "updateMask=enabled", headers: ["Authorization": "Bearer lkat_1"],
                    body: #"{"enabled":false}"#, on: .admin)
                #expect(change.status == (mayWrite ? 200 : 403))
                if mayWrite { responses.append(change) }
            }
            for response in responses {
                #expect(response.status == 200)
                let text = String(decoding: try WireJSON.encode(response.json), as: UTF8.self)
                #expect(text.contains("hidden-") == (mayWrite && collection != "inboundSamlConfigs"))
                #expect(text.contains("REDACTED") == (!mayWrite && collection != "inboundSamlConfigs"))
                for number in 1...4 where text.contains("hidden-\(number)") { shown.insert("\(number)") }
            }
        }
        #expect(shown.count == (mayWrite ? 4 : 0))
        // A change keeps the secrets.
        let stored = harness.mesh.sent(Federation.ReplaceProvider.self).map(\.provider.clientSecret)
        #expect(stored.allSatisfy { $0 != Secret("REDACTED") })
    }

    /// Application operations with an administrator's bearer token are also administration.
    @Test func publicListenerRejectsAccessToken() async throws {
        let harness = try harness()
        #expect(try await call(harness, .post, "/v1/accounts:lookup", on: .public, body: "{}").status == 401)
        #expect(try await call(harness, .get, "/v2/projects/shop/config", on: .public).status == 404)
        let dev = try self.harness(dev: true)
        #expect(try await call(dev, .get, "/v2/projects/shop/config", on: .public).status == 200)
    }

    @Test func introspectionIsCachedForFiveSecondsOrUntilEvent() async throws {
        let harness = try harness()
        func sent() async throws -> Int {
            _ = try await call(harness, .get, "/v2/projects/shop/config")
            return harness.mesh.sent(Identity.IntrospectAccessToken.self).count
        }
        #expect(try await [sent(), sent()] == [1, 1])
        harness.gateway.handle(.configurationChanged(Realm(project: ProjectID("shop"))))
        #expect(try await sent() == 2)
        harness.clock.advance(by: .seconds(5))
        #expect(try await sent() == 3)
    }
}
