import Contracts
import Testing
import Vocabulary

/// The JSON of imports and exports of accounts.
@Suite struct AccountImportGoldenTests {
    private static let realm = Realm(project: ProjectID("p"))

    private static let peppered = PasswordHashAlgorithm.pepperedArgon2(
        .init(variant: .id, version: .v13, memoryKiB: 64, iterations: 2, parallelism: 1, hashByteCount: 32),
        .init(id: "k", key: Secret(OctetString([3]))))
    private static let pepperedJSON = """
        {"pepperedArgon2":{"_0":{"hashByteCount":32,"iterations":2,"memoryKiB":64,"parallelism":1,"variant":"id",\
        "version":"v13"},"_1":{"id":"k","key":"Aw"}}}
        """

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
        IdentityGoldenTests.Request(
            Identity.ImportAccounts(
                realm: realm,
                accounts: [
                    .init(
                        id: AccountID("a"), passwordHash: OctetString([1]), salt: OctetString([2]),
                        algorithm: peppered)
                ], algorithm: nil, allowsOverwrite: true),
            """
            {"accounts":[{"algorithm":\(pepperedJSON),"emailLinkSignIn":false,"id":"a","links":[],"passwordHash":"AQ",\
            "profile":{"removals":[]},"salt":"Ag"}],"allowsOverwrite":true,"client":{},"realm":{"project":"p"}}
            """),
        IdentityGoldenTests.Request(
            Identity.ImportAccounts(
                realm: realm,
                accounts: [
                    .init(
                        id: AccountID("a"), passwordHash: OctetString([1]), algorithm: .prehashedBcrypt(.base64SHA256),
                        totpFactors: [
                            .init(id: FactorID("f"), displayName: "app", enrolledAt: Moment(milliseconds: 3)),
                            .init(id: FactorID("g")),
                        ], passkeys: [PasskeyGoldenTests.passkey])
                ], algorithm: .shaCrypt, allowsOverwrite: true, isDryRun: true),
            """
            {"accounts":[{"algorithm":{"prehashedBcrypt":{"_0":"base64SHA256"}},"emailLinkSignIn":false,"id":"a",\
            "links":[],"passkeys":[\(PasskeyGoldenTests.passkeyJSON)],"passwordHash":"AQ","profile":{"removals":[]},"totpFactors":[{"displayName":"app",\
            "enrolledAt":3,"id":"f"},{"id":"g"}]}],"algorithm":{"shaCrypt":{}},"allowsOverwrite":true,"client":{},\
            "isDryRun":true,"realm":{"project":"p"}}
            """),
        IdentityGoldenTests.Request(
            Identity.ExportAccounts(
                realm: realm, limit: 7, pageToken: "next", includesPeppers: true, addsSecrets: true,
                client: IdentityGoldenTests.client),
            """
            {"addsSecrets":true,"client":\(IdentityGoldenTests.clientJSON),"includesPeppers":true,"limit":7,"pageToken":"next",\
            "realm":{"project":"p"}}
            """),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func replyMatchesGoldenJSON() throws {
        try expect(
            Identity.ImportAccounts.Reply(rejections: [.init(rowIndex: 1, reason: WireError(.emailExists))]),
            is: #"{"rejections":[{"reason":{"code":"emailExists"},"rowIndex":1}]}"#)
        try expect(
            Identity.ImportAccounts.Reply(rejections: [], replacedCount: 2), is: #"{"rejections":[],"replacedCount":2}"#
        )
        try expect(
            Identity.ExportAccounts.Reply(
                accounts: [
                    .init(
                        account: IdentityGoldenTests.bareAccount,
                        password: .init(
                            algorithm: Self.peppered, salt: OctetString([1]), hash: Secret(OctetString([2]))))
                ], nextPageToken: "next"),
            is: """
                {"accounts":[{"account":\(IdentityGoldenTests.bareAccountJSON),"password":{"algorithm":\
                \(Self.pepperedJSON),"hash":"Ag","salt":"AQ"}}],"nextPageToken":"next"}
                """)
    }
}
