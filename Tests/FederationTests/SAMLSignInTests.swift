import Contracts
import Crypto
import DatabaseService
import FoundationEssentials
import JSON
import SAML
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct SAMLSignInTests {
    private static let callbackURL = "http://localhost/__/auth/handler"
    static let certificate = Result { try TestIdentityProvider.rsa.get().certificate }

    static func provider(
        _ change: (inout Federation.Provider.SAML) -> Void = { _ in }, id: String = "saml.test"
    ) throws -> Federation.Provider {
        var saml = Federation.Provider.SAML(
            displayName: "Test", entityID: TestIdentityProvider.entityID, signOnURL: "https://idp.example/sso",
            certificates: [try certificate.get()], serviceProviderEntityID: TestIdentityProvider.audience,
            callbackURL: callbackURL)
        change(&saml)
        return .init(id: id, isEnabled: true, clientID: "", kind: .saml(saml))
    }

    private struct Started {
        var sessionID: Secret<String>
        var request: TestSAMLRequest
        var url: String
    }

    private func start(
        _ fixture: FederationFixture, _ service: FederationService, continueURL: String = callbackURL
    ) async throws -> Started {
        let reply = try await fixture.send(
            Federation.StartSignIn(
                realm: FederationFixture.realm, providerID: "saml.test", continueURL: continueURL, context: "ctx"),
            to: service)
        let request = try #require(TestSAMLRequest(url: reply.authorizationURL))
        return Started(sessionID: reply.sessionID, request: request, url: reply.authorizationURL)
    }

    /// A valid response to the request.
    private func response(to started: Started, at now: Timestamp) -> TestSAMLResponse {
        started.request.response(callbackURL: Self.callbackURL, at: now)
    }

    private func request(
        _ started: Started, _ response: TestSAMLResponse, key: TestIdentityProvider? = nil
    ) throws -> Federation.SignIn {
        let xml = try response.xml(key ?? TestIdentityProvider.rsa.get())
        return .init(
            realm: FederationFixture.realm, requestURL: Self.callbackURL,
            response: .init(
                samlResponse: Secret(Data(xml.utf8).base64EncodedString()),
                relayState: Secret(started.request.relayState)),
            sessionID: started.sessionID)
    }

    @Test(arguments: StoreEngine.shared)
    func userSignsIn(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let service = try fixture.service()
        try await fixture.insert(Self.provider { $0.authoritativeDomains = ["example.com"] })
        let started = try await start(fixture, service)
        #expect(started.url.hasPrefix("https://idp.example/sso?SAMLRequest="))
        var response = response(to: started, at: fixture.clock.now.timestamp)
        response.attributes = """
            <saml:AttributeStatement>\
            <saml:Attribute Name="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress">\
            <saml:AttributeValue>Ada@Example.com</saml:AttributeValue></saml:Attribute>\
            <saml:Attribute Name="givenName"><saml:AttributeValue>Ada</saml:AttributeValue></saml:Attribute>\
            <saml:Attribute Name="urn:oid:2.5.4.4"><saml:AttributeValue>King</saml:AttributeValue></saml:Attribute>\
            <saml:Attribute Name="groups"><saml:AttributeValue>a</saml:AttributeValue>\
            <saml:AttributeValue>b</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>
            """
        let request = try request(started, response)
        let reply = try await fixture.send(request, to: service)
        #expect(reply.context == "ctx" && reply.pendingToken != nil)
        let profile = reply.profile
        #expect(profile.firstName == "Ada" && profile.lastName == "King" && profile.fullName == "Ada King")
        let identity = try #require(fixture.identity.received.last?.identity)
        #expect(identity.providerID == "saml.test" && identity.subject == "ada-1" && identity.displayName == "Ada King")
        #expect(identity.email == EmailAddress("Ada@Example.com")?.rawValue)
        #expect(identity.isEmailVerified && identity.isEmailAuthoritative)
        let attributes = """
            {"givenName":"Ada","groups":["a","b"],\
            "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress":"Ada@Example.com",\
            "urn:oid:2.5.4.4":"King"}
            """
        #expect(profile.rawUserInfo == attributes && identity.attributes == attributes)
        // The state is redeemed.
        #expect(
            await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderResponse)
        await fixture.store.close()
    }

    /// The same assertion for another sign-in, as a provider could issue it by mistake.
    @Test func assertionIsAcceptedOnce() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let service = try fixture.service()
        try await fixture.insert(Self.provider())
        for expected: WireError.Code? in [nil, .duplicateProviderCredential] {
            let started = try await start(fixture, service)
            let response = response(to: started, at: fixture.clock.now.timestamp)
            let request = try request(started, response)
            #expect(await errorCode { _ = try await fixture.send(request, to: service) } == expected)
        }
    }

    enum Change: CaseIterable {
        case relayState, noRelayState, session, realm, address, key, otherRequest, time, expiry, provider, none
    }

    @Test(arguments: Change.allCases)
    func responseIsBoundToItsRequest(change: Change) async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let service = try fixture.service()
        try await fixture.insert(Self.provider())
        let (started, other) = (try await start(fixture, service), try await start(fixture, service))
        let response = response(
            to: change == .otherRequest ? other : started, at: fixture.clock.now.timestamp)
        var request = try request(
            started, response, key: change == .key ? TestIdentityProvider.other.get() : nil)
        switch change {
        case .relayState: request.response.relayState = Secret(other.request.relayState)
        case .noRelayState: request.response.relayState = nil
        case .session: request.sessionID = other.sessionID
        case .realm: request.realm.tenant = TenantID("t")
        case .address: request.requestURL = "http://localhost/other"
        case .time: fixture.clock.advance(by: Federation.browserSignInLifetime)
        case .expiry: fixture.clock.advance(by: .seconds(361))
        case .provider: request.response.providerID = "oidc.test"
        case .key, .otherRequest, .none: break
        }
        let code = await errorCode { _ = try await fixture.send(request, to: service) }
        #expect(code == (change == .none ? nil : .invalidProviderResponse))
    }

    @Test func tokenInsteadOfResponseIsRefused() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let service = try fixture.service()
        try await fixture.insert(Self.provider())
        let started = try await start(fixture, service)
        var request = fixture.request(nil, idToken: "a.b.c", state: started.request.relayState)
        (request.requestURL, request.sessionID) = (Self.callbackURL, started.sessionID)
        #expect(await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderCredential)
        for request in [
            fixture.request("saml.test", idToken: "a.b.c"), fixture.request("saml.test", accessToken: "a"),
        ] {
            #expect(
                await errorCode { _ = try await fixture.send(request, to: service) } == .invalidProviderCredential)
        }
    }

    @Test func responseIsPostedToConfiguredAddressOnly() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let service = try fixture.service()
        try await fixture.insert(Self.provider())
        #expect(
            await errorCode { _ = try await start(fixture, service, continueURL: "http://localhost/other") }
                == .invalidContinueURL)
        _ = try await start(fixture, service, continueURL: "\(Self.callbackURL)?a=b")
    }

    @Test func addressOutsideConfiguredDomainsIsNotVerified() throws {
        func identity(
            _ format: SAMLAssertion.NameIDFormat, _ attributes: [SAMLAssertion.Attribute], domains: [String]
        ) throws -> ProviderIdentity {
            guard case .saml(let saml) = try Self.provider({ $0.authoritativeDomains = domains }).kind else {
                throw ServiceError(.internal)
            }
            let assertion = SAMLAssertion(
                id: "a", subject: "ada@example.com", nameIDFormat: format, attributes: attributes,
                acceptableUntil: Timestamp(seconds: 0))
            return Federation.ProviderProfile(assertion, of: "saml.a", saml).identity
        }
        let mail = SAMLAssertion.Attribute(name: "Mail", values: ["", "b@other.example"])
        var found = try identity(.emailAddress, [], domains: ["example.com"])
        #expect(found.email == "ada@example.com" && found.isEmailAuthoritative && found.attributes == nil)
        found = try identity(.emailAddress, [mail], domains: ["example.com"])
        #expect(found.email == "b@other.example" && !found.isEmailVerified && !found.isEmailAuthoritative)
        found = try identity(.emailAddress, [mail], domains: ["*"])
        #expect(found.isEmailVerified && found.isEmailAuthoritative)
        found = try identity(.persistent, [], domains: ["*"])
        #expect(found.email == nil && !found.isEmailVerified)
        let long = SAMLAssertion.Attribute(name: "a", values: [String(repeating: "a", count: 4096)])
        #expect(try identity(.persistent, [long], domains: []).attributes == nil)
    }
}
