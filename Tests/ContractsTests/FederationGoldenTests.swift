import Contracts
import Testing
import Vocabulary

/// The JSON of federation's request to identity and of its reply.
@Suite struct FederationGoldenTests {
    private static let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))

    static let identityRequests = [
        IdentityGoldenTests.Request(
            Identity.SignInWithProvider(
                realm: realm,
                identity: ProviderIdentity(
                    providerID: "oidc.a", subject: "s", email: "a@example.com", isEmailVerified: true,
                    isEmailAuthoritative: true, displayName: "A", photoURL: "u", attributes: "{}"),
                linkIDToken: Secret("i"), createsAccount: false, client: IdentityGoldenTests.client,
                verifiedAt: Moment(milliseconds: 9)),
            """
            {"client":\(IdentityGoldenTests.clientJSON),"createsAccount":false,"identity":{"attributes":"{}",\
            "displayName":"A","email":"a@example.com","isEmailAuthoritative":true,"isEmailVerified":true,\
            "photoURL":"u","providerID":"oidc.a","subject":"s"},"linkIDToken":"i","realm":{"project":"p","tenant":"t"},\
            "verifiedAt":9}
            """)
    ]

    @Test(arguments: identityRequests.indices) func requestToIdentityMatchesGoldenJSON(number: Int) throws {
        try Self.identityRequests[number].expectGolden()
    }

    @Test func replyOfIdentityMatchesGoldenJSON() throws {
        try expect(
            Identity.ProviderSignInReply(
                session: .init(
                    account: IdentityGoldenTests.bareAccount, tokens: IdentityGoldenTests.tokens, isNewAccount: true,
                    isEmailRecycled: false)),
            is: """
                {"session":{"account":\(IdentityGoldenTests.bareAccountJSON),"isEmailRecycled":false,\
                "isNewAccount":true,"tokens":\(IdentityGoldenTests.tokensJSON)}}
                """)
        try expect(
            Identity.ProviderSignInReply(
                pending: .init(
                    account: IdentityGoldenTests.bareAccount,
                    secondFactor: .init(pendingCredential: Secret("c"), factors: []))),
            is: """
                {"pending":{"account":\(IdentityGoldenTests.bareAccountJSON),"secondFactor":{"factors":[],\
                "pendingCredential":"c"}}}
                """)
        try expect(
            Identity.ProviderSignInReply(
                confirmation: .init(
                    accountID: AccountID("a"), email: try #require(EmailAddress("a@example.com")),
                    verifiedProviders: ["password", "google.com"])),
            is: """
                {"confirmation":{"accountID":"a","email":"a@example.com",\
                "verifiedProviders":["password","google.com"]}}
                """)
        for conflict in Identity.ProviderSignInReply.Conflict.allCases {
            try expect(
                Identity.ProviderSignInReply(conflict: conflict), is: #"{"conflict":"\#(conflict.rawValue)"}"#)
        }
    }
}
