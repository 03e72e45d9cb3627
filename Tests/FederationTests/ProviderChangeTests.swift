import Contracts
import DatabaseService
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import FederationService

/// Changes of configurations become records of the audit log (security rule AU1).
@Suite struct ProviderChangeTests {
    private static let realm = FederationFixture.realm
    private static let provider = FederationFixture.supported(.google)

    private func recorded(_ fixture: FederationFixture) -> [Identity.RecordProviderChange] {
        fixture.identity.state.withLock { Array($0.providerChanges.values) }.sorted { $0.at < $1.at }
    }

    /// Records all changes that were not recorded.
    private func recordAll(_ fixture: FederationFixture) async throws {
        try await fixture.providerChanges().deliverDueRows(ProviderChangeOutbox.limits, at: fixture.clock)
    }

    @Test(arguments: StoreEngine.allCases) func eachChangeIsRecordedOnce(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let service = try fixture.service()
        let start = fixture.clock.now
        let create = Federation.CreateProvider(
            realm: Self.realm, provider: Self.provider, client: FederationFixture.client)
        _ = try await fixture.send(create, to: service)
        fixture.clock.advance(by: .seconds(1))
        let replace = Federation.ReplaceProvider(
            realm: Self.realm, provider: Self.provider, expectedRevision: 1, client: FederationFixture.client)
        _ = try await fixture.send(replace, to: service)
        fixture.clock.advance(by: .seconds(1))
        let delete = Federation.DeleteProvider(
            realm: Self.realm, id: Self.provider.id, client: FederationFixture.client)
        _ = try await fixture.send(delete, to: service)
        // Refused: nothing has changed.
        #expect(await errorCode { _ = try await fixture.send(replace, to: service) } == .providerNotFound)
        #expect(await errorCode { _ = try await fixture.send(delete, to: service) } == .providerNotFound)
        let changes: [Identity.RecordProviderChange.Change] = [.created, .replaced, .deleted]
        #expect(
            recorded(fixture)
                == zip(changes, 0...).map { change, seconds in
                    .init(
                        change: change, realm: Self.realm, at: start + .seconds(seconds),
                        client: FederationFixture.client)
                })
        #expect(try await fixture.providerChanges().unrecorded(limit: 10).isEmpty)
    }

    @Test(arguments: StoreEngine.allCases) func changeWithoutIdentityIsRecordedLater(engine: StoreEngine) async throws {
        let fixture = try await FederationFixture(FakeProviders(), engine)
        let service = try fixture.service()
        fixture.identity.state.withLock { $0.providerChangeError = ServiceError(.unavailable) }
        let create = Federation.CreateProvider(
            realm: Self.realm, provider: Self.provider, client: FederationFixture.client)
        _ = try await fixture.send(create, to: service)
        #expect(fixture.lines.all.withLock { $0.filter { $0.contains("audit.delayed") }.count } == 1)
        try await recordAll(fixture)
        #expect(recorded(fixture).isEmpty)
        #expect(try await fixture.providerChanges().unrecorded(limit: 10).count == 1)
        fixture.identity.state.withLock { $0.providerChangeError = nil }
        try await recordAll(fixture)
        #expect(recorded(fixture).map(\.change) == [.created])
        #expect(try await fixture.providerChanges().unrecorded(limit: 10).isEmpty)
    }

    /// A repetition has the key of the first request, so identity records the change once.
    @Test func repetitionHasSameKey() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let change = FederationFixture.change("0123456789abcdef0123456789abcdef")
        #expect(try await fixture.store.insert(Self.provider, in: Self.realm, revision: 1, change))
        #expect(try await fixture.providerChanges().unrecorded(limit: 10) == [change])
        try await recordAll(fixture)
        #expect(fixture.identity.state.withLock { Array($0.providerChanges.keys) } == [change.id])
    }

    /// The reply to a request of an earlier version was lost, so the change does not wait in front of later ones.
    @Test func repetitionInAnotherVersionEndsChange() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        #expect(try await fixture.store.insert(Self.provider, in: Self.realm, revision: 1, FederationFixture.change()))
        fixture.identity.state.withLock { $0.providerChangeError = ServiceError(.idempotencyKeyReused) }
        try await recordAll(fixture)
        #expect(try await fixture.providerChanges().unrecorded(limit: 10).isEmpty)
    }

    @Test func changesAreRecordedOldestFirst() async throws {
        let fixture = try await FederationFixture(FakeProviders())
        let count = 5
        for number in 0..<count {
            let change = FederationFixture.change(at: Int64(number))
            let provider = Federation.Provider(
                id: "oidc.\(number)", isEnabled: true, clientID: "c", kind: .oidc(.init(issuer: "https://i.example")))
            #expect(try await fixture.store.insert(provider, in: Self.realm, revision: 1, change))
        }
        #expect(try await fixture.providerChanges().unrecorded(limit: 2).map(\.at.milliseconds) == [0, 1])
        try await recordAll(fixture)
        #expect(recorded(fixture).map(\.at.milliseconds) == (0..<Int64(count)).map { $0 })
    }
}
