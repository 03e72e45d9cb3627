import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 5.3 as requests.
@Suite struct ProviderConfigurationsTests {
    private static let client = ClientContext(ipAddress: "127.0.0.1")
    private static let realm = Realm(project: ProjectID("demo-latchkey"))
    private static let google = Federation.Provider(
        id: "google.com", isEnabled: true, clientID: "c", clientSecret: Secret("s"), kind: .supported(nil))
    private static let apple = Federation.Provider(
        id: "apple.com", isEnabled: true, clientID: "c",
        kind: .supported(
            .init(bundleIDs: ["org.example"], teamID: "T", keyID: "K", privateKey: Secret("PEM"))))
    private static let openID = Federation.Provider(
        id: "oidc.acme", isEnabled: false, clientID: "c",
        kind: .oidc(.init(displayName: "Acme", issuer: "https://i.example")))
    private static let codeFlow = Federation.Provider(
        id: "oidc.acme", isEnabled: true, clientID: "c", clientSecret: Secret("s"),
        kind: .oidc(.init(issuer: "https://i.example", usesCodeFlow: true, authoritativeDomains: ["example.com"])))

    private static let saml = Federation.Provider(
        id: "saml.acme", isEnabled: true, clientID: "",
        kind: .saml(
            .init(
                displayName: "Acme", entityID: "https://idp.example", signOnURL: "https://idp.example/sso",
                certificates: ["A", "B"], serviceProviderEntityID: "https://sp.example",
                callbackURL: "https://auth.example/__/auth/handler", authoritativeDomains: ["example.com"])))

    private static let prefix = #""name":"projects/12"#
    private static let documents: [(String, Federation.Provider, String, String)] = [
        (
            "defaultSupportedIdpConfigs?idpId=google.com", google,
            #"{"enabled":true,"clientId":"c","client_secret":"s","name":"ignored"}"#,
            #"{\#(prefix)/defaultSupportedIdpConfigs/google.com","enabled":true,"clientId":"c","clientSecret":"s"}"#
        ),
        (
            "defaultSupportedIdpConfigs?idpId=apple.com", apple,
            #"""
            {"enabled":true,"clientId":"c","appleSignInConfig":{"bundleIds":["org.example"],
            "codeFlowConfig":{"teamId":"T","keyId":"K","privateKey":"PEM"}}}
            """#,
            #"""
            {\#(prefix)/defaultSupportedIdpConfigs/apple.com","enabled":true,"clientId":"c","appleSignInConfig":
            {"bundleIds":["org.example"],"codeFlowConfig":{"teamId":"T","keyId":"K","privateKey":"PEM"}}}
            """#
        ),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.acme", openID,
            #"{"displayName":"Acme","clientId":"c","issuer":"https://i.example"}"#,
            #"""
            {\#(prefix)/oauthIdpConfigs/oidc.acme","displayName":"Acme","enabled":false,"clientId":"c",
            "issuer":"https://i.example","responseType":{"idToken":true}}
            """#
        ),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.acme", codeFlow,
            #"""
            {"enabled":true,"clientId":"c","clientSecret":"s","issuer":"https://i.example",
            "responseType":{"code":true,"idToken":false},"authoritativeDomains":["example.com"]}
            """#,
            #"""
            {\#(prefix)/oauthIdpConfigs/oidc.acme","enabled":true,"clientId":"c","clientSecret":"s",
            "issuer":"https://i.example","responseType":{"code":true},"authoritativeDomains":["example.com"]}
            """#
        ),
        (
            "inboundSamlConfigs?inboundSamlConfigId=saml.acme", saml,
            #"""
            {"displayName":"Acme","enabled":true,"idpConfig":{"idpEntityId":"https://idp.example",
            "ssoUrl":"https://idp.example/sso","idpCertificates":[{"x509Certificate":"A","expiresAt":"ignored"},
            {"x509Certificate":"B"}]},"spConfig":{"spEntityId":"https://sp.example",
            "callbackUri":"https://auth.example/__/auth/handler","spCertificates":[{"x509Certificate":"ignored"}]},
            "authoritativeDomains":["example.com"]}
            """#,
            #"""
            {\#(prefix)/inboundSamlConfigs/saml.acme","displayName":"Acme","enabled":true,"idpConfig":
            {"idpEntityId":"https://idp.example","ssoUrl":"https://idp.example/sso","signRequest":false,
            "idpCertificates":[{"x509Certificate":"A"},{"x509Certificate":"B"}]},
            "spConfig":{"spEntityId":"https://sp.example","callbackUri":"https://auth.example/__/auth/handler"},
            "authoritativeDomains":["example.com"]}
            """#
        ),
    ]

    private static func harness(_ stored: Federation.Provider? = nil) throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.CreateProvider.self) { request in
            .init(provider: request.provider, revision: 1, projectNumber: "12")
        }
        harness.mesh.reply(to: Federation.ReadProvider.self) { _ in
            guard let stored else { throw ServiceError(.providerNotFound) }
            return .init(provider: stored, revision: 7, projectNumber: "12")
        }
        harness.mesh.reply(to: Federation.ReplaceProvider.self) { request in
            .init(provider: request.provider, revision: request.expectedRevision + 1, projectNumber: "12")
        }
        harness.mesh.reply(to: Federation.DeleteProvider.self) { _ in EmptyReply() }
        return harness
    }

    /// - Parameter path: with a query after `?`.
    private static func send(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, to harness: GatewayHarness,
        version: String = "v2"
    ) async throws -> TestResponse {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        return try await harness.admin(
            method, "/\(parts[0])", body, version: version, query: parts.count > 1 ? parts[1] : nil)
    }

    // MARK: Documents

    @Test(arguments: documents.indices, ["v2", "admin/v2"])
    func providerIsCreatedFromBody(number: Int, version: String) async throws {
        let (path, provider, body, document) = Self.documents[number]
        let harness = try Self.harness()
        let response = try await Self.send(.post, path, body, to: harness, version: version)
        #expect(response.status == 200)
        #expect(
            harness.mesh.sent(Federation.CreateProvider.self) == [
                .init(realm: Self.realm, provider: provider, client: Self.client)
            ])
        #expect(response.json == (try json(document)))
    }

    @Test(arguments: documents.indices) func providerIsReadAndWrittenBack(number: Int) async throws {
        let (path, provider, _, document) = Self.documents[number]
        let resource = "\(path.split(separator: "?")[0])/\(provider.id)"
        let harness = try Self.harness(provider)
        let read = try await Self.send(.get, resource, to: harness)
        #expect(read.json == (try json(document)))
        // A document that was read changes nothing.
        let body = read.text
        for mask in ["", "?updateMask=*"] {
            let written = try await Self.send(.patch, resource + mask, body, to: harness)
            #expect(written.json == read.json, "\(mask)")
        }
        #expect(
            harness.mesh.sent(Federation.ReplaceProvider.self).allSatisfy {
                $0 == .init(realm: Self.realm, provider: provider, expectedRevision: 7, client: Self.client)
            })
    }

    @Test func tenantIsPartOfTheName() async throws {
        let harness = try Self.harness(Self.google)
        let response = try await Self.send(
            .get, "tenants/t1/defaultSupportedIdpConfigs/google.com", to: harness)
        #expect(
            response.json["name"] == .string("projects/12/tenants/t1/defaultSupportedIdpConfigs/google.com"))
        #expect(harness.mesh.sent(Federation.ReadProvider.self).map(\.realm.tenant) == [TenantID("t1")])
    }

    @Test func providerIsDeleted() async throws {
        let harness = try Self.harness()
        let response = try await Self.send(.delete, "oauthIdpConfigs/oidc.acme", to: harness)
        #expect(response.text == "{}")
        #expect(
            harness.mesh.sent(Federation.DeleteProvider.self) == [
                .init(realm: Self.realm, id: "oidc.acme", client: Self.client)
            ])
    }

    // MARK: Masks

    @Test(arguments: [
        ("displayName", #"{"displayName":"Two","clientId":"no"}"#, #"{"displayName":"Two","clientId":"c"}"#),
        ("display_name,enabled", "{}", #"{"clientId":"c","enabled":false}"#),
        (
            "clientSecret,responseType.code", #"{"clientSecret":"n","responseType":{"code":true}}"#,
            #"{"clientSecret":"n"}"#
        ),
    ])
    func maskChangesOnlyNamedFields(mask: String, body: String, expected: String) async throws {
        let harness = try Self.harness(Self.openID)
        let response = try await Self.send(.patch, "oauthIdpConfigs/oidc.acme?updateMask=\(mask)", body, to: harness)
        let members = try #require(try json(expected).members)
        for (name, value) in members { #expect(response.json[name] == value) }
        #expect((response.json["displayName"] == nil) == (mask.hasPrefix("display_name")))
        #expect(response.json["responseType"]?["code"] == (mask.contains("responseType") ? .bool(true) : nil))
    }

    @Test func partOfTheAppleConfigurationIsChanged() async throws {
        let harness = try Self.harness(Self.apple)
        _ = try await Self.send(
            .patch, "defaultSupportedIdpConfigs/apple.com?updateMask=appleSignInConfig.codeFlowConfig.keyId",
            #"{"appleSignInConfig":{"codeFlowConfig":{"keyId":"L"}}}"#, to: harness)
        var expected = Self.apple
        expected.kind = .supported(
            .init(bundleIDs: ["org.example"], teamID: "T", keyID: "L", privateKey: Secret("PEM")))
        #expect(harness.mesh.sent(Federation.ReplaceProvider.self).map(\.provider) == [expected])
    }

    /// The certificates of this service are shown, and a change does not contain them.
    @Test func partOfTheSAMLConfigurationIsChanged() async throws {
        guard case .saml(var saml) = Self.saml.kind else { return }
        saml.signsRequests = true
        saml.signingCertificates = [.init(certificate: "PEM", expiresAt: Timestamp(seconds: 1_700_000_000))]
        var provider = Self.saml
        provider.kind = .saml(saml)
        let harness = try Self.harness(provider)
        let path = "inboundSamlConfigs/saml.acme"
        let read = try await Self.send(.get, path, to: harness)
        #expect(
            read.json["spConfig"]?["spCertificates"]
                == (try json(#"[{"x509Certificate":"PEM","expiresAt":"2023-11-14T22:13:20.000Z"}]"#)))
        _ = try await Self.send(
            .patch, "\(path)?updateMask=idpConfig.idpCertificates,spConfig.callbackUri",
            #"{"idpConfig":{"idpCertificates":[{"x509Certificate":"C"}]},"spConfig":{"callbackUri":"https://b.example"}}"#,
            to: harness)
        saml.certificates = ["C"]
        saml.callbackURL = "https://b.example"
        saml.signingCertificates = []
        provider.kind = .saml(saml)
        #expect(harness.mesh.sent(Federation.ReplaceProvider.self).map(\.provider) == [provider])
    }

    @Test func conflictIsRetried() async throws {
        let harness = try Self.harness(Self.google)
        harness.mesh.reply(to: Federation.ReplaceProvider.self) { _ in throw ServiceError(.configurationConflict) }
        let response = try await Self.send(
            .patch, "defaultSupportedIdpConfigs/google.com?updateMask=enabled", "{}", to: harness)
        #expect(response.status == 409)
        #expect(harness.mesh.sent(Federation.ReplaceProvider.self).count == 5)
    }

    // MARK: Errors

    @Test(arguments: [
        ("oauthIdpConfigs", "{}", "MISSING_CONFIG_ID"),
        ("oauthIdpConfigs?oauthIdpConfigId=google.com", "{}", "INVALID_CONFIG_ID"),
        ("oauthIdpConfigs?oauthIdpConfigId=oidc.", "{}", "INVALID_CONFIG_ID"),
        ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", "{}", "MISSING_CONFIG"),
        ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"issuer":"https://i.example"}"#, "MISSING_OAUTH_CLIENT_ID"),
        ("oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"clientId":"c","issuer":""}"#, "MISSING_ISSUER"),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.a",
            #"{"clientId":"c","issuer":"https://i.example","responseType":{"code":true}}"#,
            "MISSING_OAUTH_CLIENT_SECRET"
        ),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.a",
            #"{"clientId":"c","issuer":"https://i.example","responseType":{"code":true,"idToken":true}}"#,
            "INVALID_CONFIG : responseType has more than one type"
        ),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.a",
            #"{"clientId":"c","issuer":"https://i.example","responseType":{"idToken":false}}"#,
            "INVALID_CONFIG : responseType has no type"
        ),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.a",
            #"{"clientId":"c","issuer":"https://i.example","responseType":{"token":true}}"#,
            "INVALID_CONFIG : responseType.token is not supported"
        ),
        (
            "oauthIdpConfigs?oauthIdpConfigId=oidc.a", #"{"colour":"red"}"#,
            #"Invalid JSON payload received. Unknown name "colour" at 'config': Cannot find field."#
        ),
        ("inboundSamlConfigs?inboundSamlConfigId=oidc.a", "{}", "INVALID_CONFIG_ID"),
        ("inboundSamlConfigs?inboundSamlConfigId=saml.", "{}", "INVALID_CONFIG_ID"),
        (
            "inboundSamlConfigs?inboundSamlConfigId=saml.a", #"{"displayName":"A"}"#,
            "MISSING_SAML_RELYING_PARTY_CONFIG"
        ),
        (
            "inboundSamlConfigs?inboundSamlConfigId=saml.a", #"{"spConfig":{"spEntityId":"a"}}"#,
            "MISSING_SAML_RELYING_PARTY_CONFIG"
        ),
        ("defaultSupportedIdpConfigs?idpId=example.com", #"{"clientId":"c"}"#, "INVALID_PROVIDER_ID"),
        ("defaultSupportedIdpConfigs?idpId=oidc.a", #"{"clientId":"c"}"#, "INVALID_PROVIDER_ID"),
        (
            "defaultSupportedIdpConfigs?idpId=yahoo.com", #"{"clientId":"c"}"#,
            "OPERATION_NOT_ALLOWED : Not available: the provider yahoo.com."
        ),
        ("defaultSupportedIdpConfigs?idpId=google.com", #"{"enabled":true}"#, "MISSING_OAUTH_CLIENT_ID"),
        ("defaultSupportedIdpConfigs?idpId=github.com", #"{"clientId":"c"}"#, "MISSING_OAUTH_CLIENT_SECRET"),
        ("defaultSupportedIdpConfigs?idpId=linkedin.com", #"{"clientId":"c"}"#, "MISSING_OAUTH_CLIENT_SECRET"),
    ])
    func invalidProviderIsRefused(path: String, body: String, message: String) async throws {
        let harness = try Self.harness()
        let response = try await Self.send(.post, path, body, to: harness)
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [
        ("oauthIdpConfigs/oidc.acme", "displayName,clientId", #"{"displayName":"A"}"#, "MISSING_OAUTH_CLIENT_ID"),
        (
            "oauthIdpConfigs/oidc.acme", "responseType.code", #"{"responseType":{"code":true}}"#,
            "MISSING_OAUTH_CLIENT_SECRET"
        ),
        ("oauthIdpConfigs/oidc.acme", "scopes", "{}", "Invalid field mask."),
    ])
    func invalidChangeIsRefused(path: String, mask: String, body: String, message: String) async throws {
        let harness = try Self.harness(Self.openID)
        let response = try await Self.send(.patch, "\(path)?updateMask=\(mask)", body, to: harness)
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.sent(Federation.ReplaceProvider.self).isEmpty)
    }

    @Test(arguments: [
        "oauthIdpConfigs/oidc.unknown", "oauthIdpConfigs/google.com", "defaultSupportedIdpConfigs/oidc.acme",
        "defaultSupportedIdpConfigs/google.com", "defaultSupportedIdpConfigs/yahoo.com",
    ])
    func unknownProviderIsNotFound(path: String) async throws {
        let harness = try Self.harness()
        harness.mesh.reply(to: Federation.DeleteProvider.self) { _ in throw ServiceError(.providerNotFound) }
        for (method, body) in [(HTTPMethod.get, nil), (.patch, "{}"), (.delete, nil)] as [(HTTPMethod, String?)] {
            let response = try await Self.send(method, path, body, to: harness)
            #expect((response.status, response.message) == (404, "CONFIGURATION_NOT_FOUND"))
            #expect(response.error?["status"] == .string("NOT_FOUND"))
        }
    }

    @Test func existingProviderIsAConflict() async throws {
        let harness = try Self.harness()
        harness.mesh.reply(to: Federation.CreateProvider.self) { _ in throw ServiceError(.providerExists) }
        let response = try await Self.send(
            .post, "defaultSupportedIdpConfigs?idpId=google.com", #"{"clientId":"c"}"#, to: harness)
        #expect((response.status, response.message) == (409, "CONFIGURATION_EXISTS"))
        #expect(response.error?["status"] == .string("ALREADY_EXISTS"))
    }

    @Test(arguments: [nil, "The issuer https://i.example does not resolve.", "two\nlines"])
    func warningIsAHeader(warning: String?) async throws {
        let harness = try Self.harness()
        harness.mesh.reply(to: Federation.CreateProvider.self) { _ in
            .init(provider: Self.openID, revision: 1, projectNumber: "12", warning: warning)
        }
        let response = try await Self.send(
            .post, "oauthIdpConfigs?oauthIdpConfigId=oidc.acme", #"{"clientId":"c","issuer":"https://i.example"}"#,
            to: harness)
        #expect(response.status == 200)
        #expect(
            response.http.headers.first { $0.name == "X-Latchkey-Warning" }?.value
                == (warning?.contains("\n") == true ? nil : warning))
    }

    // MARK: Lists

    @Test func providersAreListedInPages() async throws {
        let harness = try Self.harness()
        harness.mesh.reply(to: Federation.ListProviders.self) { request in
            .init(providers: [Self.openID], hasMore: request.after == nil, projectNumber: "12")
        }
        let first = try await Self.send(.get, "oauthIdpConfigs?pageSize=1000", to: harness)
        guard case .string(let token)? = first.json["nextPageToken"] else {
            Issue.record("no token")
            return
        }
        let second = try await Self.send(.get, "oauthIdpConfigs?pageToken=\(token)", to: harness)
        #expect(
            second.json
                == (try json(
                    #"""
                    {"oauthIdpConfigs":[{\#(Self.prefix)/oauthIdpConfigs/oidc.acme","displayName":"Acme",
                    "enabled":false,"clientId":"c","issuer":"https://i.example","responseType":{"idToken":true}}]}
                    """#)))
        #expect(
            harness.mesh.sent(Federation.ListProviders.self) == [
                .init(realm: Self.realm, list: .oidc, pageSize: 100),
                .init(realm: Self.realm, list: .oidc, pageSize: 20, after: "oidc.acme"),
            ])
    }

    @Test func emptyListHasNoMembers() async throws {
        let harness = try Self.harness()
        harness.mesh.reply(to: Federation.ListProviders.self) { _ in
            .init(providers: [], hasMore: false, projectNumber: "12")
        }
        let response = try await Self.send(.get, "tenants/t1/defaultSupportedIdpConfigs", to: harness)
        #expect(response.text == "{}")
        #expect(
            harness.mesh.sent(Federation.ListProviders.self) == [
                .init(
                    realm: Realm(project: Self.realm.project, tenant: TenantID("t1")), list: .supported, pageSize: 20)
            ])
    }

    @Test(arguments: [
        ("pageSize=-1", "Invalid value at 'page_size' (TYPE_INT32)"), ("pageToken=!", "INVALID_PAGE_SELECTION"),
    ])
    func invalidPageIsRefused(query: String, message: String) async throws {
        let harness = try Self.harness()
        let response = try await Self.send(.get, "oauthIdpConfigs?\(query)", to: harness)
        #expect((response.status, response.message) == (400, message))
    }

    @Test(arguments: ["v2", "admin/v2"]) func catalogueListsAvailableProviders(version: String) async throws {
        let response = try await GatewayHarness().send(
            .get, "/identitytoolkit.googleapis.com/\(version)/defaultSupportedIdps",
            headers: ["Authorization": "Bearer owner"])
        guard case .array(let entries)? = response.json["defaultSupportedIdps"] else {
            Issue.record("no list")
            return
        }
        #expect(entries.first == (try json(#"{"idpId":"apple.com","description":"Apple"}"#)))
        #expect(entries.count == Federation.SupportedProvider.allCases.count)
    }

    /// What Google Identity Platform knows by name and the catalogue does not contain.
    @Test(arguments: Federation.SupportedProvider.unavailableIDs)
    func providerOutsideTheCatalogueIsNotAvailable(id: String) async throws {
        #expect(Federation.SupportedProvider(rawValue: id) == nil)
        let harness = try Self.harness()
        let response = try await Self.send(
            .post, "defaultSupportedIdpConfigs?idpId=\(id)", #"{"clientId":"c"}"#, to: harness)
        #expect(response.message == "OPERATION_NOT_ALLOWED : Not available: the provider \(id).")
    }
}
