import Contracts
import SQL
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The changes of configurations that can be shown and undone.
@Suite struct ConfigurationRevisionTests {
    private static let project = IdentityFixture.realm.project

    private static func entry(_ actor: AuditEntry.Actor, in realm: Realm) -> AuditEntry {
        AuditEntry(
            at: Moment(milliseconds: 5), realm: realm, action: .configurationChanged, actor: actor, traceID: "t")
    }

    /// Stores a configuration with these domains.
    private static func replace(_ store: IdentityStore, domains: [String]) async throws {
        let current = try #require(try await store.project(project))
        var configuration = current.configuration
        configuration.authorizedDomains = domains
        var email = ProjectConfiguration.Notification.SendEmail()
        email.smtp = .init()
        email.smtp?.password = "swordfish"
        configuration.notification = .init()
        configuration.notification?.sendEmail = email
        _ = try await store.replaceConfiguration(
            project, configuration, expectedRevision: current.revision,
            audit: entry(.operator("ola@example.com"), in: Realm(project: project)), idempotency: nil)
    }

    private static func domains(_ snapshot: Identity.ConfigurationSnapshot?) -> [String]? {
        guard case .project(let configuration)? = snapshot else { return nil }
        return configuration.authorizedDomains
    }

    @Test(arguments: StoreEngine.allCases) func changeIsKeptWithWhatWasBefore(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let realm = Realm(project: Self.project)
        let first = try #require(try await fixture.store.project(Self.project))
        #expect(try await fixture.store.configurationRevisions(of: realm).isEmpty)
        try await Self.replace(fixture.store, domains: ["a.example"])
        try await Self.replace(fixture.store, domains: ["b.example"])
        let revisions = try await fixture.store.configurationRevisions(of: realm)
        #expect(revisions.map(\.revision) == [first.revision + 2, first.revision + 1])
        #expect(revisions.map(\.actor) == ["operator:ola@example.com", "operator:ola@example.com"])
        let change = try await fixture.store.configurationChange(first.revision + 2, of: realm)
        #expect(Self.domains(change.before) == ["a.example"] && Self.domains(change.after) == ["b.example"])
        let start = try await fixture.store.configurationChange(first.revision + 1, of: realm)
        #expect(start.before == .project(first.configuration))
        #expect(try await fixture.store.configurationChange(first.revision, of: realm) == .init())
        let texts = try await fixture.store.read { transaction in
            try transaction.rows("SELECT configuration FROM configuration_revisions").map { row in
                try row.get("configuration") as String
            }
        }
        #expect(texts.count == 3 && !texts.contains { $0.contains("swordfish") })
    }

    @Test(arguments: StoreEngine.allCases) func oldChangesAreDeleted(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let count = Identity.ListConfigurationRevisions.maximumCount
        for number in 0..<(count + 3) { try await Self.replace(fixture.store, domains: ["\(number).example"]) }
        let revisions = try await fixture.store.configurationRevisions(of: Realm(project: Self.project))
        #expect(revisions.count == count)
        let oldest = try #require(revisions.last)
        let change = try await fixture.store.configurationChange(oldest.revision, of: Realm(project: Self.project))
        #expect(Self.domains(change.before) == ["2.example"] && Self.domains(change.after) == ["3.example"])
    }

    /// Test tools delete all accounts between two tests.
    @Test func deletionOfAllAccountsKeepsTheChanges() async throws {
        let fixture = try await IdentityFixture()
        let realm = Realm(project: Self.project)
        _ = try await fixture.signUp()
        try await Self.replace(fixture.store, domains: ["a.example"])
        let audit = Self.entry(.administrator, in: realm)
        while try await fixture.store.clearAccounts(of: realm, audit: audit) {}
        #expect(try await fixture.store.configurationRevisions(of: realm).count == 1)
    }

    @Test(arguments: StoreEngine.allCases) func tenantHasItsOwnChanges(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let realm = Realm(project: Self.project, tenant: TenantID("t1"))
        let audit = Self.entry(.administrator, in: realm)
        _ = try await fixture.store.createTenant(
            Identity.Tenant(id: TenantID("t1"), configuration: .init(), revision: 1), of: Self.project,
            at: Moment(milliseconds: 5), audit: audit, idempotency: nil)
        var configuration = TenantConfiguration()
        configuration.displayName = "Berlin"
        _ = try await fixture.store.replaceTenant(
            TenantID("t1"), of: Self.project, configuration, expectedRevision: 1, audit: audit, idempotency: nil)
        #expect(
            try await fixture.store.configurationChange(2, of: realm)
                == .init(before: .tenant(.init()), after: .tenant(configuration)))
        #expect(try await fixture.store.configurationRevisions(of: Realm(project: Self.project)).isEmpty)
        try await fixture.store.deleteTenant(
            TenantID("t1"), of: Self.project, at: Moment(milliseconds: 6), audit: audit, idempotency: nil)
        while try await fixture.store.deleteTenantData(at: Moment(milliseconds: 7)) {}
        #expect(try await fixture.store.configurationRevisions(of: realm).isEmpty)
    }
}
