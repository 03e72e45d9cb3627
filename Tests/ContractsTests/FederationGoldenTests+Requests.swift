import Contracts
import Testing
import Vocabulary

/// The JSON of every request to federation and of every reply.
extension FederationGoldenTests {
    private static let project = Realm(project: ProjectID("p"))
    private static let tenant = Realm(project: ProjectID("p"), tenant: TenantID("t"))
    private static let tenantJSON = #"{"project":"p","tenant":"t"}"#

    // MARK: Sign-in

    struct Request: Sendable {
        let operation: Federation.Operation
        let retrySemantics: RetrySemantics
        let expectGolden: @Sendable () throws -> Void

        init<R: BusRequest>(
            _ request: R, _ json: String, sourceLocation: SourceLocation = #_sourceLocation
        ) where R.Operation == Federation.Operation {
            operation = R.operation
            retrySemantics = R.retrySemantics
            expectGolden = { try expect(request, is: json, sourceLocation: sourceLocation) }
        }
    }

    private static let fullResponse = Federation.ProviderResponse(
        providerID: "oidc.a", idToken: Secret("i"), accessToken: Secret("a"), tokenSecret: Secret("t"),
        nonce: Secret("n"), code: Secret("c"), state: Secret("s"), issuer: "u", user: "{}", error: "e",
        samlResponse: Secret("x"), relayState: Secret("r"))

    private static let signInRequests = [
        Request(
            Federation.StartSignIn(
                realm: tenant, providerID: "oidc.a", continueURL: "https://example.com", sessionID: "s", context: "c",
                scopes: "email", parameters: ["prompt": "login"]),
            """
            {"context":"c","continueURL":"https://example.com","parameters":{"prompt":"login"},"providerID":"oidc.a",\
            "realm":\(tenantJSON),"scopes":"email","sessionID":"s"}
            """),
        Request(
            Federation.StartSignIn(realm: project, providerID: "google.com", continueURL: "u"),
            #"{"continueURL":"u","parameters":{},"providerID":"google.com","realm":{"project":"p"}}"#),
        Request(
            Federation.SignIn(
                realm: tenant, requestURL: "http://localhost", response: fullResponse, sessionID: Secret("s"),
                pendingToken: Secret("p"), linkIDToken: Secret("l"), createsAccount: false,
                client: IdentityGoldenTests.client),
            """
            {"client":\(IdentityGoldenTests.clientJSON),"createsAccount":false,"linkIDToken":"l","pendingToken":"p",\
            "realm":\(tenantJSON),"requestURL":"http://localhost","response":{"accessToken":"a","code":"c","error":"e",\
            "idToken":"i","issuer":"u","nonce":"n","providerID":"oidc.a","relayState":"r","samlResponse":"x",\
            "state":"s","tokenSecret":"t","user":"{}"},"sessionID":"s"}
            """),
        Request(
            Federation.SignIn(realm: project, requestURL: "u", response: .init()),
            #"{"client":{},"createsAccount":true,"realm":{"project":"p"},"requestURL":"u","response":{}}"#),
    ]

    private static let appleRequests = [
        Request(
            Federation.SignInWithGameCenter(
                realm: tenant, player: .init(teamPlayerID: "t", gamePlayerID: "g", playerID: "p", displayName: "A"),
                proof: .init(
                    publicKeyURL: "u", signature: OctetString([1]), salt: OctetString([2]),
                    signedAt: Moment(milliseconds: 3)),
                linkIDToken: Secret("l"), client: IdentityGoldenTests.client),
            """
            {"client":\(IdentityGoldenTests.clientJSON),"linkIDToken":"l","player":{"displayName":"A",\
            "gamePlayerID":"g","playerID":"p","teamPlayerID":"t"},"proof":{"publicKeyURL":"u","salt":"Ag",\
            "signature":"AQ","signedAt":3},"realm":\(tenantJSON)}
            """),
        Request(
            Federation.RevokeToken(
                realm: tenant, tokenType: .code, token: Secret("c"), idToken: Secret("i"), redirectURL: "r",
                bundleID: "b"),
            """
            {"bundleID":"b","idToken":"i","realm":\(tenantJSON),"redirectURL":"r","token":"c","tokenType":"code"}
            """),
        Request(
            Federation.ReceiveAppleNotification(
                realm: tenant, payload: Secret("j"), client: IdentityGoldenTests.client),
            #"{"client":\#(IdentityGoldenTests.clientJSON),"payload":"j","realm":\#(tenantJSON)}"#),
    ]

    // MARK: Sign-in on pages

    private static let pageRequests = [
        Request(
            Federation.StartSignIn(
                realm: project, providerID: "google.com", continueURL: "u", hashedSessionID: "h",
                practicePageURL: "p"),
            """
            {"continueURL":"u","hashedSessionID":"h","parameters":{},"practicePageURL":"p","providerID":"google.com",\
            "realm":{"project":"p"}}
            """),
        Request(
            Federation.VerifyResponse(
                realm: tenant, requestURL: "u", response: .init(code: Secret("c"), state: Secret("s")),
                sessionID: Secret("i")),
            """
            {"realm":\(tenantJSON),"requestURL":"u","response":{"code":"c","state":"s"},"sessionID":"i"}
            """),
        Request(Federation.ReadPracticeSignIn(state: Secret("s")), #"{"state":"s"}"#),
        Request(Federation.ListSignInProviders(realm: tenant), #"{"realm":\#(tenantJSON)}"#),
        Request(
            Federation.FinishPracticeSignIn(
                state: Secret("s"),
                user: .init(subject: "1", email: "a@example.com", isEmailVerified: true, displayName: "A")),
            """
            {"state":"s","user":{"displayName":"A","email":"a@example.com","isEmailVerified":true,"subject":"1"}}
            """),
        Request(Federation.FinishPracticeSignIn(state: Secret("s"), user: nil), #"{"state":"s"}"#),
    ]

    // MARK: Configuration

    private static let google = Federation.Provider(
        id: "google.com", isEnabled: true, clientID: "c", kind: .supported(nil))
    private static let googleJSON =
        #"{"clientID":"c","id":"google.com","isEnabled":true,"kind":{"supported":{}}}"#
    private static let apple = Federation.Provider(
        id: "apple.com", isEnabled: false, clientID: "c",
        kind: .supported(.init(bundleIDs: ["b"], teamID: "t", keyID: "k", privateKey: Secret("p"))))
    private static let appleJSON = """
        {"clientID":"c","id":"apple.com","isEnabled":false,"kind":{"supported":{"_0":{"bundleIDs":["b"],"keyID":"k",\
        "privateKey":"p","teamID":"t"}}}}
        """
    private static let openID = Federation.Provider(
        id: "oidc.a", isEnabled: true, clientID: "c", clientSecret: Secret("s"),
        kind: .oidc(
            .init(
                displayName: "A", issuer: "https://i.example", usesCodeFlow: true,
                authoritativeDomains: ["example.com"])))
    private static let openIDJSON = """
        {"clientID":"c","clientSecret":"s","id":"oidc.a","isEnabled":true,"kind":{"oidc":{"_0":{\
        "authoritativeDomains":["example.com"],"displayName":"A","issuer":"https://i.example","usesCodeFlow":true}}}}
        """

    private static let saml = Federation.Provider(
        id: "saml.a", isEnabled: true, clientID: "",
        kind: .saml(
            .init(
                displayName: "A", entityID: "e", signOnURL: "o", signsRequests: true, certificates: ["c"],
                serviceProviderEntityID: "s", callbackURL: "u", authoritativeDomains: ["*"],
                signingCertificates: [.init(certificate: "p", expiresAt: Timestamp(seconds: 1))])))
    private static let samlJSON = """
        {"clientID":"","id":"saml.a","isEnabled":true,"kind":{"saml":{"_0":{"authoritativeDomains":["*"],\
        "callbackURL":"u","certificates":["c"],"displayName":"A","entityID":"e","serviceProviderEntityID":"s",\
        "signOnURL":"o","signingCertificates":[{"certificate":"p","expiresAt":1}],"signsRequests":true}}}}
        """

    private static let administrator = ClientContext(ipAddress: "192.0.2.1", operatorName: "ada")
    private static let administratorJSON = #"{"ipAddress":"192.0.2.1","operatorName":"ada"}"#

    private static let configurationRequests = [
        Request(
            Federation.CreateProvider(realm: project, provider: saml, client: administrator),
            #"{"client":\#(administratorJSON),"provider":\#(samlJSON),"realm":{"project":"p"}}"#),
        Request(
            Federation.CreateProvider(realm: tenant, provider: openID, client: administrator),
            #"{"client":\#(administratorJSON),"provider":\#(openIDJSON),"realm":\#(tenantJSON)}"#),
        Request(
            Federation.CreateProvider(realm: project, provider: google, client: administrator),
            #"{"client":\#(administratorJSON),"provider":\#(googleJSON),"realm":{"project":"p"}}"#),
        Request(
            Federation.ReadProvider(realm: tenant, id: "oidc.a"), #"{"id":"oidc.a","realm":\#(tenantJSON)}"#),
        Request(
            Federation.ReplaceProvider(realm: tenant, provider: apple, expectedRevision: 7, client: administrator),
            #"{"client":\#(administratorJSON),"expectedRevision":7,"provider":\#(appleJSON),"realm":\#(tenantJSON)}"#),
        Request(
            Federation.DeleteProvider(realm: tenant, id: "oidc.a", client: administrator),
            #"{"client":\#(administratorJSON),"id":"oidc.a","realm":\#(tenantJSON)}"#),
        Request(
            Federation.ListProviders(realm: tenant, list: .oidc, pageSize: 20, after: "oidc.a"),
            #"{"after":"oidc.a","list":"oidc","pageSize":20,"realm":\#(tenantJSON)}"#),
        Request(
            Federation.ListProviders(realm: project, list: .supported, pageSize: 1),
            #"{"list":"supported","pageSize":1,"realm":{"project":"p"}}"#),
    ]

    private static let requests = signInRequests + appleRequests + pageRequests + configurationRequests

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func everyOperationHasGoldenRequest() {
        #expect(Set(Self.requests.map(\.operation)) == Set(Federation.Operation.allCases))
    }

    @Test func enumerationsHaveStableNames() {
        #expect(
            Set(Federation.SupportedProvider.allCases.map(\.rawValue)).isSuperset(of: [
                "apple.com", "facebook.com", "google.com", "github.com", "microsoft.com",
                "gc.apple.com",
            ]))
        #expect(Federation.RevocableToken.allCases.map(\.rawValue) == ["refreshToken", "accessToken", "code"])
        #expect(Set(Federation.ProviderList.allCases.map(\.rawValue)).isSuperset(of: ["supported", "oidc", "saml"]))
    }

    // MARK: Replies

    @Test func repliesMatchGoldenJSON() throws {
        try expect(
            Federation.StartSignIn.Reply(authorizationURL: "u", sessionID: Secret("s"), state: Secret("t")),
            is: #"{"authorizationURL":"u","sessionID":"s","state":"t"}"#)
        try expect(
            Federation.VerifyResponse.Reply(providerID: "google.com", pendingToken: Secret("p")),
            is: #"{"pendingToken":"p","providerID":"google.com"}"#)
        try expect(
            Federation.ReadPracticeSignIn.Reply(realm: Self.tenant, providerID: "google.com"),
            is: #"{"providerID":"google.com","realm":\#(Self.tenantJSON)}"#)
        try expect(
            Federation.ListSignInProviders.Reply(providers: [.init(id: "google.com", name: "Google")]),
            is: #"{"providers":[{"id":"google.com","name":"Google"}]}"#)
        try expect(
            Federation.FinishPracticeSignIn.Reply(responseURL: Secret("u")), is: #"{"responseURL":"u"}"#)
        let bare = ProviderIdentity(providerID: "google.com", subject: "1")
        let bareJSON =
            #"{"isEmailAuthoritative":false,"isEmailVerified":false,"providerID":"google.com","subject":"1"}"#
        try expect(
            Federation.SignIn.Reply(
                signIn: .init(conflict: .emailExists), profile: .init(identity: bare, rawUserInfo: "{}"),
                credential: .init()),
            is: """
                {"credential":{},"profile":{"identity":\(bareJSON),"rawUserInfo":"{}"},\
                "signIn":{"conflict":"emailExists"}}
                """)
        try expect(
            Federation.SignIn.Reply(
                signIn: .init(conflict: .identityLinked),
                profile: .init(
                    identity: bare, fullName: "f", firstName: "i", lastName: "l", nickName: "n", screenName: "s",
                    language: "en", timeZone: "z", dateOfBirth: "d", rawUserInfo: "{}"),
                credential: .init(
                    idToken: Secret("i"), accessToken: Secret("a"), expiresInSeconds: 9, tokenSecret: Secret("t"),
                    authorizationCode: Secret("c"), refreshToken: Secret("r"), scopes: "s"),
                context: "x", pendingToken: Secret("p")),
            is: """
                {"context":"x","credential":{"accessToken":"a","authorizationCode":"c","expiresInSeconds":9,\
                "idToken":"i","refreshToken":"r","scopes":"s","tokenSecret":"t"},"pendingToken":"p","profile":{\
                "dateOfBirth":"d","firstName":"i","fullName":"f","identity":\(bareJSON),"language":"en",\
                "lastName":"l","nickName":"n","rawUserInfo":"{}","screenName":"s","timeZone":"z"},\
                "signIn":{"conflict":"identityLinked"}}
                """)
        try expect(
            Federation.ProviderReply(provider: Self.openID, revision: 7, projectNumber: "12"),
            is: #"{"projectNumber":"12","provider":\#(Self.openIDJSON),"revision":7}"#)
        try expect(
            Federation.ListProviders.Reply(providers: [Self.google], hasMore: true, projectNumber: "12"),
            is: #"{"hasMore":true,"projectNumber":"12","providers":[\#(Self.googleJSON)]}"#)
    }
}
