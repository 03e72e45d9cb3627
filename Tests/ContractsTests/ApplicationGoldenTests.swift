import Contracts
import Testing
import Vocabulary

/// The JSON of registered applications and their operations.
@Suite struct ApplicationGoldenTests {
    private static let project = ProjectID("p")
    private static let id = ApplicationID("c")
    private static let registration = Identity.ApplicationRegistration(
        displayName: "Shop", kind: .web, redirectURLs: ["https://a.example/"], origins: ["https://a.example"])
    private static let registrationJSON = """
        {"displayName":"Shop","kind":"WEB","origins":["https://a.example"],"redirectURLs":["https://a.example/"]}
        """

    static let requests = [
        IdentityGoldenTests.Request(
            Identity.CreateApplication(
                project: project, registration: registration, client: IdentityGoldenTests.client),
            #"{"client":\#(IdentityGoldenTests.clientJSON),"project":"p","registration":\#(registrationJSON)}"#),
        IdentityGoldenTests.Request(Identity.ListApplications(project: project), #"{"project":"p"}"#),
        IdentityGoldenTests.Request(Identity.ReadApplication(project: project, id: id), #"{"id":"c","project":"p"}"#),
        IdentityGoldenTests.Request(
            Identity.ReplaceApplication(project: project, id: id, registration: registration, expectedRevision: 2),
            #"{"client":{},"expectedRevision":2,"id":"c","project":"p","registration":\#(registrationJSON)}"#),
        IdentityGoldenTests.Request(
            Identity.DeleteApplication(project: project, id: id), #"{"client":{},"id":"c","project":"p"}"#),
        IdentityGoldenTests.Request(Identity.ResolveApplication(id: id), #"{"id":"c"}"#),
        IdentityGoldenTests.Request(
            Identity.IssueAuthorizationCode(
                realm: IdentityGoldenTests.realm, idToken: Secret("i"), application: id,
                redirectURL: "https://a.example/", challenge: .init(accepted: "h"), nonce: "n",
                maximumSignInAgeSeconds: 9,
                minimumLevel: .twoFactors),
            """
            {"application":"c","challenge":{"text":"h"},"client":{},"idToken":"i","maximumSignInAgeSeconds":9,\
            "minimumLevel":"urn:latchkey:2fa","nonce":"n","realm":{"project":"p"},"redirectURL":"https://a.example/"}
            """),
        IdentityGoldenTests.Request(
            Identity.RedeemAuthorizationCode(
                project: project, code: Secret("x"), application: id, redirectURL: "https://a.example/",
                verifier: Secret("v")),
            """
            {"application":"c","client":{},"code":"x","project":"p","redirectURL":"https://a.example/","verifier":"v"}
            """),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func kindsAreStable() {
        #expect(
            Identity.ApplicationRegistration.Kind.allCases.map(\.rawValue) == ["WEB", "IOS", "ANDROID", "TOOL"])
    }

    @Test func levelsAreStable() {
        #expect(AuthenticationLevel.allCases.map(\.rawValue) == ["urn:latchkey:1fa", "urn:latchkey:2fa", "phr"])
    }

    @Test func codeMatchesGoldenJSON() throws {
        try expect(Identity.IssueAuthorizationCode.Reply(code: Secret("x")), is: #"{"code":"x"}"#)
    }

    @Test func applicationMatchesGoldenJSON() throws {
        try expect(
            Identity.ListApplications.Reply(applications: [
                .init(
                    id: Self.id, project: Self.project, registration: Self.registration, apiKey: "k",
                    createdAt: Moment(milliseconds: 3), revision: 4)
            ]),
            is: """
                {"applications":[{"apiKey":"k","createdAt":3,"id":"c","project":"p",\
                "registration":\(Self.registrationJSON),"revision":4}]}
                """)
    }
}
