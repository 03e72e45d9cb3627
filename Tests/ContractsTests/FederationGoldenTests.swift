import Contracts
import Testing
import Vocabulary

/// The JSON of federation's request to identity.
@Suite struct FederationGoldenTests {
    private static let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))

    static let identityRequests = [
        IdentityGoldenTests.Request(
            Identity.SignInWithProvider(
                realm: realm,
                identity: ProviderIdentity(
                    providerID: "oidc.a", subject: "s", email: "a@example.com", isEmailVerified: true,
                    isEmailAuthoritative: true, displayName: "A", photoURL: "u", attributes: "{}"),
                linkIDToken: Secret("i"), createsAccount: false, client: IdentityGoldenTests.client),
            """
            {"client":\(IdentityGoldenTests.clientJSON),"createsAccount":false,"identity":{"attributes":"{}",\
            "displayName":"A","email":"a@example.com","isEmailAuthoritative":true,"isEmailVerified":true,\
            "photoURL":"u","providerID":"oidc.a","subject":"s"},"linkIDToken":"i","realm":{"project":"p","tenant":"t"}}
            """)
    ]

    @Test(arguments: identityRequests.indices) func requestToIdentityMatchesGoldenJSON(number: Int) throws {
        try Self.identityRequests[number].expectGolden()
    }
}
