import Contracts
import DatabaseService
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

@Suite struct TenantReconciliationTests {
    private static let tenant = Realm(project: FederationFixture.realm.project, tenant: TenantID("t"))

    private func fixture(_ engine: StoreEngine) async throws -> (FederationFixture, Reconciliation<ProviderTenant>) {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let provider = FederationFixture.supported(.google, secret: "secret")
        for realm in [FederationFixture.realm, Self.tenant] {
            #expect(try await fixture.store.insert(provider, in: realm, revision: 1, FederationFixture.change()))
        }
        return (fixture, Reconciliation(fixture.store, peers: fixture.identity.peers, log: fixture.log))
    }

    private func reply(_ fixture: FederationFixture, _ code: WireError.Code?) {
        fixture.identity.state.withLock { $0.tenantError = code.map { ServiceError($0) } }
    }

    @Test(arguments: StoreEngine.allCases)
    func providersOfDeletedTenantAreDeletedAfterADay(engine: StoreEngine) async throws {
        let (fixture, reconciliation) = try await fixture(engine)
        let start = fixture.clock.now
        reply(fixture, .tenantNotFound)
        #expect(try await reconciliation.reconcile(at: start) == 0)
        #expect(try await reconciliation.reconcile(at: start + .seconds(86_399)) == 0)
        #expect(try await fixture.store.provider("google.com", in: Self.tenant) != nil)
        #expect(try await reconciliation.reconcile(at: start + .seconds(86_400)) == 1)
        #expect(try await fixture.store.provider("google.com", in: Self.tenant) == nil)
        #expect(try await fixture.store.provider("google.com", in: FederationFixture.realm) != nil)
        await fixture.store.close()
    }

    @Test func providersStayWhenTheTenantReturnsOrIdentityIsUnavailable() async throws {
        let (fixture, reconciliation) = try await fixture(.memory)
        let start = fixture.clock.now
        reply(fixture, .tenantNotFound)
        try await reconciliation.reconcile(at: start)
        reply(fixture, nil)
        try await reconciliation.reconcile(at: start + .seconds(3600))
        reply(fixture, .tenantNotFound)
        #expect(try await reconciliation.reconcile(at: start + .seconds(90_000)) == 0)
        reply(fixture, .unavailable)
        await #expect(throws: ServiceError.self) { try await reconciliation.reconcile(at: start + .seconds(200_000)) }
        reply(fixture, .projectNotFound)
        #expect(try await reconciliation.reconcile(at: start + .seconds(200_000)) == 0)
        #expect(try await fixture.store.provider("google.com", in: Self.tenant) != nil)
    }
}
