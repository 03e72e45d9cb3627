import Contracts
import Testing
import Vocabulary

/// The JSON of imports of accounts.
@Suite struct AccountImportGoldenTests {
    private static let realm = Realm(project: ProjectID("p"))

    static let requests = [
        IdentityGoldenTests.Request(
            Identity.ImportAccounts(realm: realm, accounts: [], algorithm: nil, allowsOverwrite: true),
            #"{"accounts":[],"allowsOverwrite":true,"client":{},"realm":{"project":"p"}}"#),
        IdentityGoldenTests.Request(
            Identity.ImportAccounts(
                realm: realm,
                accounts: [
                    .init(
                        id: AccountID("a"), emailLinkSignIn: true,
                        links: [ProviderLink(providerID: "google.com", providerAccountID: "g")],
                        passwordHash: OctetString([1]), salt: OctetString([2]),
                        passwordChangedAt: Moment(milliseconds: 3))
                ],
                algorithm: .hmac(.sha256, key: Secret(OctetString([4])), order: .saltAndPassword),
                allowsOverwrite: false, client: IdentityGoldenTests.client),
            """
            {"accounts":[{"emailLinkSignIn":true,"id":"a","links":[{"providerAccountID":"g",\
            "providerID":"google.com"}],"passwordChangedAt":3,"passwordHash":"AQ","profile":{"removals":[]},\
            "salt":"Ag"}],"algorithm":{"hmac":{"_0":"sha256","key":"BA","order":"saltAndPassword"}},\
            "allowsOverwrite":false,"client":\(IdentityGoldenTests.clientJSON),"realm":{"project":"p"}}
            """),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func replyMatchesGoldenJSON() throws {
        try expect(
            Identity.ImportAccounts.Reply(rejections: [.init(rowIndex: 1, reason: WireError(.emailExists))]),
            is: #"{"rejections":[{"reason":{"code":"emailExists"},"rowIndex":1}]}"#)
    }
}
