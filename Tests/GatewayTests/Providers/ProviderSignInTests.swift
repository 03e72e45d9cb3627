import Contracts
import HTTPServer
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 2.4 as requests.
@Suite struct ProviderSignInTests {
    static let identity = ProviderIdentity(
        providerID: "oidc.acme", subject: "s-1", email: "pat@example.com", isEmailVerified: true,
        displayName: "Pat Doe", photoURL: "https://img.example/p.png", attributes: #"{"team":"a"}"#)
    private static let profile = Federation.ProviderProfile(
        identity: identity, fullName: "Pat A. Doe", firstName: "Pat", lastName: "Doe", nickName: "P",
        screenName: "pat", language: "en", timeZone: "Europe/Rome", dateOfBirth: "2000-01-02",
        rawUserInfo: #"{"sub":"s-1"}"#)
    private static let credential = Federation.ProviderCredential(
        idToken: Secret("oi"), accessToken: Secret("oa"), expiresInSeconds: 3599, tokenSecret: Secret("os"),
        authorizationCode: Secret("oc"), refreshToken: Secret("or"), scopes: "openid email")
    private static let bare = Federation.ProviderProfile(
        identity: .init(providerID: "facebook.com", subject: "7"), rawUserInfo: "{}")
    private static func session(isNew: Bool, isRecycled: Bool = false) -> Identity.ProviderSignInReply {
        .init(
            session: .init(
                account: .example(), tokens: .example, isNewAccount: isNew, isEmailRecycled: isRecycled))
    }

    private static func harness(
        _ signIn: Identity.ProviderSignInReply, profile: Federation.ProviderProfile = profile,
        credential: Federation.ProviderCredential = credential, context: String? = nil, pendingToken: String? = nil
    ) throws -> GatewayHarness {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignIn.self) { _ in
            .init(
                signIn: signIn, profile: profile, credential: credential, context: context,
                pendingToken: pendingToken.map(Secret.init))
        }
        return harness
    }

    private static let request = #"{"requestUri":"http://localhost","postBody":"providerId=oidc.acme&id_token=t"}"#
    private static let softRequest =
        #"{"requestUri":"http://localhost","postBody":"id_token=t","returnIdpCredential":true}"#

    // MARK: Requests

    @Test(arguments: [
        "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp",
        "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyAssertion",
    ])
    func everyFieldReachesFederation(path: String) async throws {
        let harness = try Self.harness(Self.session(isNew: true))
        let body = #"""
            {"requestUri":"https://auth.example.com/__/auth/handler?state=s&iss=i#id_token=t",
            "postBody":"providerId=oidc.acme&nonce=n","sessionId":"x","idToken":"it","autoCreate":false,
            "returnIdpCredential":true,"returnSecureToken":true,"returnRefreshToken":true,"tenantId":"t1",
            "delegatedProjectNumber":"1"}
            """#
        _ = try await harness.send(
            .post, path, query: "key=fake-api-key", headers: ["User-Agent": "iOS"], body: body)
        let sent = try #require(harness.mesh.sent(Federation.SignIn.self).first)
        #expect(
            sent
                == .init(
                    realm: Realm(project: ProjectID("demo-latchkey"), tenant: TenantID("t1")),
                    requestURL: "https://auth.example.com/__/auth/handler",
                    response: .init(
                        providerID: "oidc.acme", idToken: Secret("t"), nonce: Secret("n"), state: Secret("s"),
                        issuer: "i"),
                    sessionID: Secret("x"), linkIDToken: Secret("it"), createsAccount: false,
                    client: .init(ipAddress: "127.0.0.1", userAgent: "iOS")))
    }

    @Test(arguments: [
        #"{"requestUri":"http://localhost","pendingToken":"p","postBody":"nonce=a&nonce=b"}"#,
        #"{"requestUri":"http://localhost","postBody":"pending_id_token=p"}"#,
    ])
    func pendingTokenWins(body: String) async throws {
        let harness = try Self.harness(Self.session(isNew: false))
        _ = try await harness.client("v1/accounts:signInWithIdp", body)
        let sent = try #require(harness.mesh.sent(Federation.SignIn.self).first)
        #expect(sent.pendingToken == Secret("p") && sent.response == .init() && sent.createsAccount)
    }

    @Test(arguments: [
        ("{}", "MISSING_REQUEST_URI"),
        (#"{"requestUri":"","postBody":"providerId=google.com"}"#, "MISSING_REQUEST_URI"),
        (#"{"pendingToken":"p"}"#, "MISSING_REQUEST_URI"),
        (#"{"requestUri":"no-scheme"}"#, "INVALID_REQUEST_URI"),
        (#"{"requestUri":"javascript:alert(1)"}"#, "INVALID_REQUEST_URI"),
        (#"{"requestUri":"https://user@host/"}"#, "INVALID_REQUEST_URI"),
        (
            #"{"requestUri":"http://localhost?state=a","postBody":"state=b"}"#,
            "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: state has two values"
        ),
    ])
    func invalidRequestIsRefused(body: String, message: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.client("v1/accounts:signInWithIdp", body)
        #expect((response.status, response.message) == (400, message))
        #expect(harness.mesh.count == 0)
    }

    /// A token in the URL can be longer than a URL that users are redirected to.
    @Test func longParametersOfTheURLAreRead() async throws {
        let harness = try Self.harness(Self.session(isNew: false))
        let token = String(repeating: "t", count: 10_000)
        _ = try await harness.client(
            "v1/accounts:signInWithIdp", #"{"requestUri":"http://localhost/#id_token=\#(token)"}"#)
        #expect(harness.mesh.sent(Federation.SignIn.self).map(\.response.idToken) == [Secret(token)])
    }

    // MARK: Replies

    @Test func newAccountHasEveryField() async throws {
        let harness = try Self.harness(Self.session(isNew: true, isRecycled: true), context: "c", pendingToken: "pt")
        let response = try await harness.client("v1/accounts:signInWithIdp", Self.request)
        #expect(
            response.json
                == (try json(
                    #"""
                    {"kind":"identitytoolkit#VerifyAssertionResponse","providerId":"oidc.acme",
                    "federatedId":"oidc.acme/s-1","context":"c","pendingToken":"pt","localId":"alice",
                    "isNewUser":true,"emailRecycled":true,"idToken":"header.payload.signature",
                    "refreshToken":"opaque","expiresIn":"3600","email":"pat@example.com","emailVerified":true,
                    "displayName":"Pat Doe","photoUrl":"https://img.example/p.png","fullName":"Pat A. Doe",
                    "firstName":"Pat","lastName":"Doe","nickName":"P","screenName":"pat","language":"en",
                    "timeZone":"Europe/Rome","dateOfBirth":"2000-01-02","rawUserInfo":"{\"sub\":\"s-1\"}",
                    "oauthIdToken":"oi","oauthAccessToken":"oa","oauthExpireIn":3599,"oauthTokenSecret":"os",
                    "oauthAuthorizationCode":"oc","oauthRefreshToken":"or","oauthScope":"openid email"}
                    """#)))
    }

    /// Clients check which keys are present.
    @Test func absentFieldsHaveNoKeys() async throws {
        let harness = try Self.harness(
            Self.session(isNew: false), profile: Self.bare, credential: .init(accessToken: Secret("EAA")), context: "")
        let response = try await harness.client(
            "v1/accounts:signInWithIdp",
            #"{"requestUri":"http://localhost","postBody":"providerId=facebook.com&access_token=EAA","tenantId":"t1"}"#)
        #expect(
            response.json
                == (try json(
                    #"""
                    {"kind":"identitytoolkit#VerifyAssertionResponse","providerId":"facebook.com",
                    "federatedId":"http://facebook.com/7","tenantId":"t1","localId":"alice",
                    "idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600",
                    "rawUserInfo":"{}","oauthAccessToken":"EAA"}
                    """#)))
    }

    @Test(arguments: [
        ("google.com", "https://accounts.google.com/7"), ("facebook.com", "http://facebook.com/7"),
        ("apple.com", "apple.com/7"), ("saml.acme", "saml.acme/7"),
    ])
    func federatedIDHasTheFormOfItsProvider(provider: String, federatedID: String) async throws {
        var profile = Self.bare
        profile.identity.providerID = provider
        let harness = try Self.harness(Self.session(isNew: false), profile: profile)
        let response = try await harness.client("v1/accounts:signInWithIdp", Self.request)
        #expect(response.json["federatedId"] == .string(federatedID))
    }

    @Test func unverifiedEmailIsMarked() async throws {
        var profile = Self.profile
        profile.identity.isEmailVerified = false
        let harness = try Self.harness(Self.session(isNew: false), profile: profile)
        let response = try await harness.client("v1/accounts:signInWithIdp", Self.request)
        #expect(response.json["emailVerified"] == .bool(false))
    }

    @Test func secondFactorReturnsPendingCredentialAndProviderFields() async throws {
        let factor = SecondFactor(
            id: FactorID("app"), kind: .totp, displayName: "my phone", enrolledAt: Moment(milliseconds: 0))
        let harness = try Self.harness(
            .init(
                pending: .init(
                    account: .example(),
                    secondFactor: .init(pendingCredential: Secret("PC"), factors: [factor], remainingRecoveryCodes: 9))),
            profile: Self.bare, credential: .init(accessToken: Secret("EAA")))
        let response = try await harness.client("v1/accounts:signInWithIdp", Self.request)
        #expect(
            response.json
                == (try json(
                    #"""
                    {"kind":"identitytoolkit#VerifyAssertionResponse","providerId":"facebook.com",
                    "federatedId":"http://facebook.com/7","localId":"alice","rawUserInfo":"{}",
                    "oauthAccessToken":"EAA","mfaPendingCredential":"PC","mfaInfo":[{"mfaEnrollmentId":"app",
                    "displayName":"my phone","enrolledAt":"1970-01-01T00:00:00.000Z","totpInfo":{}}],
                    "recoveryCodesInfo":{"left":9}}
                    """#)))
    }

    @Test(arguments: [request, softRequest]) func confirmationHasNoTokens(body: String) async throws {
        let email = try #require(EmailAddress("alice@example.com"))
        let harness = try Self.harness(
            .init(
                confirmation: .init(
                    accountID: AccountID("alice"), email: email, verifiedProviders: ["password", "google.com"])),
            profile: Self.bare, credential: .init(accessToken: Secret("EAA")), pendingToken: "pt")
        let response = try await harness.client("v1/accounts:signInWithIdp", body)
        #expect(response.status == 200)
        #expect(
            response.json
                == (try json(
                    #"""
                    {"kind":"identitytoolkit#VerifyAssertionResponse","providerId":"facebook.com",
                    "federatedId":"http://facebook.com/7","localId":"alice","email":"alice@example.com",
                    "needConfirmation":true,"verifiedProvider":["password","google.com"],"pendingToken":"pt",
                    "rawUserInfo":"{}","oauthAccessToken":"EAA"}
                    """#)))
    }

    @Test(arguments: [
        (Identity.ProviderSignInReply.Conflict.identityLinked, "FEDERATED_USER_ID_ALREADY_LINKED"),
        (.emailExists, "EMAIL_EXISTS"),
    ])
    func conflictIsErrorOrMessage(conflict: Identity.ProviderSignInReply.Conflict, message: String) async throws {
        let harness = try Self.harness(
            .init(conflict: conflict), profile: Self.bare, credential: .init(accessToken: Secret("EAA")),
            pendingToken: "pt")
        let hard = try await harness.client("v1/accounts:signInWithIdp", Self.request)
        #expect((hard.status, hard.message) == (400, message))
        let soft = try await harness.client("v1/accounts:signInWithIdp", Self.softRequest)
        #expect(soft.status == 200)
        #expect(
            soft.json
                == (try json(
                    #"""
                    {"kind":"identitytoolkit#VerifyAssertionResponse","providerId":"facebook.com",
                    "federatedId":"http://facebook.com/7","errorMessage":"\#(message)","pendingToken":"pt",
                    "rawUserInfo":"{}","oauthAccessToken":"EAA"}
                    """#)))
    }

    /// Only conflicts become successful replies.
    @Test func otherErrorsStayErrors() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.SignIn.self) { _ in throw ServiceError(.accountNotFound) }
        let response = try await harness.client("v1/accounts:signInWithIdp", Self.softRequest)
        #expect((response.status, response.message) == (400, "USER_NOT_FOUND"))
    }
}

/// REST 2.5, the provider form.
@Suite struct ProviderSignInStartTests {
    @Test func startReturnsTheURLOfTheProvider() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.StartSignIn.self) { _ in
            .init(
                authorizationURL: "https://idp.example/authorize?state=s", sessionID: Secret("x"),
                state: Secret("s"))
        }
        let response = try await harness.client(
            "v1/accounts:createAuthUri",
            #"""
            {"providerId":"oidc.acme","continueUri":"http://localhost/after","sessionId":"mine","context":"c",
            "oauthScope":"email","customParameter":{"login_hint":"pat","prompt":"login"},"authFlowType":"CODE_FLOW",
            "tenantId":"t1"}
            """#)
        #expect(
            response.json
                == (try json(
                    #"""
                    {"kind":"identitytoolkit#CreateAuthUriResponse","providerId":"oidc.acme","sessionId":"x",
                    "authUri":"https://idp.example/authorize?state=s"}
                    """#)))
        #expect(
            harness.mesh.sent(Federation.StartSignIn.self) == [
                .init(
                    realm: Realm(project: ProjectID("demo-latchkey"), tenant: TenantID("t1")), providerID: "oidc.acme",
                    continueURL: "http://localhost/after", sessionID: "mine", context: "c", scopes: "email",
                    parameters: ["login_hint": "pat", "prompt": "login"])
            ])
    }

    @Test(arguments: ["google", "oidc", "example.com"]) func unknownProviderIsRefused(id: String) async throws {
        let harness = try GatewayHarness()
        let response = try await harness.client(
            "v1/accounts:createAuthUri", #"{"providerId":"\#(id)","continueUri":"http://localhost"}"#)
        #expect((response.status, response.message) == (400, "INVALID_PROVIDER_ID"))
        #expect(harness.mesh.count == 0)
    }

    /// Also for a provider that only Google Identity Platform serves.
    @Test(arguments: ["oidc.x", "saml.x", "yahoo.com"])
    func providerWithoutConfigurationIsNotAllowed(id: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Federation.StartSignIn.self) { _ in throw ServiceError(.providerNotFound) }
        let response = try await harness.client(
            "v1/accounts:createAuthUri", #"{"providerId":"\#(id)","continueUri":"http://localhost"}"#)
        #expect(
            response.message == "OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
    }
}
