import Contracts
import DatabaseService
import MasterKey
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

/// Requirements on the store, tested on every engine.
@Suite struct FederationStoreTests {
    private static let apple = Federation.Provider.Apple(
        bundleIDs: ["com.example.app"], teamID: "TEAM567890", keyID: "KEY4567890",
        privateKey: Secret(CodeFlowTests.applePEM))

    @Test(arguments: StoreEngine.allCases)
    func describedTablesMatchDatabase(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let differences = try await TableDescriptionCheck.differences(
            between: FederationTables.all, and: fixture.store.database, others: SealedRecords.tableNames)
        #expect(differences == [])
        await fixture.store.close()
    }

    @Test(arguments: StoreEngine.allCases)
    func providersAreStoredReplacedListedAndDeleted(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let (store, realm) = (fixture.store, FederationFixture.realm)
        let other = Realm(project: realm.project, tenant: TenantID("t"))
        let providers = [
            FederationFixture.supported(.apple, apple: Self.apple),
            FederationFixture.supported(.google, secret: "google-secret"),
            fixture.openIDProvider(domains: ["a.example"]),
        ]
        for provider in providers {
            #expect(try await store.insert(provider, in: realm, revision: 1, FederationFixture.change()))
            #expect(try await !store.insert(provider, in: realm, revision: 1, FederationFixture.change()))
            #expect(
                try await store.provider(provider.id, in: realm)
                    == StoredProvider(
                        provider: provider, revision: 1, establishedAt: FederationFixture.change().at))
            #expect(try await store.provider(provider.id, in: other) == nil)
        }
        #expect(try await store.providers(of: .supported, in: realm, after: nil, limit: 9) == Array(providers[..<2]))
        #expect(
            try await store.providers(of: .supported, in: realm, after: "apple.com", limit: 9) == [providers[1]])
        #expect(try await store.providers(of: .oidc, in: realm, after: nil, limit: 9) == [providers[2]])
        #expect(try await store.providers(of: .supported, in: other, after: nil, limit: 9) == [])
        var changed = providers[1]
        changed.clientSecret = nil
        #expect(
            try await store.replace(changed, in: realm, expectedRevision: 2, FederationFixture.change()) == .conflict)
        #expect(
            try await store.replace(changed, in: realm, expectedRevision: 1, FederationFixture.change()) == .replaced)
        #expect(
            try await store.replace(changed, in: realm, expectedRevision: 1, FederationFixture.change()) == .conflict)
        #expect(
            try await store.replace(changed, in: other, expectedRevision: 1, FederationFixture.change()) == .missing)
        #expect(
            try await store.provider("google.com", in: realm)
                == StoredProvider(provider: changed, revision: 2, establishedAt: FederationFixture.change().at))
        #expect(try await store.deleteProvider("google.com", in: realm, FederationFixture.change()))
        #expect(try await !store.deleteProvider("google.com", in: realm, FederationFixture.change()))
        await store.close()
    }

    /// A copy of the database does not contain secrets in clear text, and a sealed secret opens in its row only.
    @Test(arguments: StoreEngine.allCases)
    func secretsAreSealedAndBoundToTheirRow(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let realm = FederationFixture.realm
        try await fixture.insert(FederationFixture.supported(.google, secret: "google-secret"))
        try await fixture.insert(FederationFixture.supported(.apple, apple: Self.apple))
        try await fixture.insert(FederationFixture.supported(.gitHub))
        let rows = try await fixture.store.database.read { transaction in
            try transaction.rows("SELECT * FROM providers")
        }
        #expect(rows.count == 3)
        #expect(!"\(rows)".contains("google-secret") && !"\(rows)".contains("PRIVATE KEY"))
        try await fixture.store.database.write { transaction in
            try transaction.execute(
                """
                UPDATE providers SET sealed_client_secret =
                    (SELECT sealed_client_secret FROM providers WHERE provider_id = 'google.com')
                WHERE provider_id = 'github.com'
                """)
        }
        await #expect(throws: (any Error).self) { try await fixture.store.provider("github.com", in: realm) }
        await fixture.store.close()
    }

    @Test(arguments: StoreEngine.allCases)
    func expiredRowsAreSwept(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let (store, now) = (fixture.store, fixture.clock.now)
        let browserSignIn = BrowserSignIn(
            stateDigest: BrowserSignIn.digest("s"), realm: FederationFixture.realm, providerID: "google.com",
            sessionDigest: BrowserSignIn.digest("b"), redirectURL: "http://localhost", context: "c",
            expiresAt: now + Federation.browserSignInLifetime)
        try await store.insert(browserSignIn)
        #expect(try await store.recordUse(ofCredential: [1], until: now + .seconds(60)))
        #expect(try await !store.recordUse(ofCredential: [1], until: now + .seconds(60)))
        try await store.sweep(at: now + .seconds(61))
        #expect(try await store.recordUse(ofCredential: [1], until: now + .seconds(60)))
        #expect(try await store.redeemBrowserSignIn(stateDigest: browserSignIn.stateDigest) == browserSignIn)
        #expect(try await store.redeemBrowserSignIn(stateDigest: browserSignIn.stateDigest) == nil)
        try await store.insert(browserSignIn)
        try await store.sweep(at: now + Federation.browserSignInLifetime + .milliseconds(1))
        #expect(try await store.redeemBrowserSignIn(stateDigest: browserSignIn.stateDigest) == nil)
        await store.close()
    }
}
