import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Projects that an operator creates and lists.
@Suite struct ProjectHandlerTests {
    @Test(arguments: StoreEngine.allCases)
    func createdProjectHasAnAPIKeyAndIsListed(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine, isDev: false)
        let request = Identity.CreateProject(project: ProjectID("shop"), client: .init(operatorName: "ada"))
        let created = try await fixture.send(request)
        #expect(created.apiKey.hasPrefix("Alk-") && created.apiKey.utf8.count == 39 && created.number.utf8.count == 12)
        #expect(
            try await fixture.send(Identity.ResolveAPIKey(apiKey: created.apiKey)).project == ProjectID("shop"))
        let all = try await fixture.send(Identity.ListProjects(limit: 10))
        #expect(all.projects.map(\.id.rawValue) == ["demo", "shop"] && !all.hasMore)
        #expect(all.projects.last == created)
        let record = try await fixture.send(Identity.ListAuditRecords(project: ProjectID("shop"), limit: 1)).records
        #expect(record.map(\.action) == ["project.created"] && record.map(\.actor) == ["operator:ada"])
    }

    @Test func projectIsCreatedOnce() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        let request = Identity.CreateProject(project: IdentityFixture.realm.project)
        await #expect(throws: ServiceError(.projectExists)) { try await fixture.send(request) }
        let key = String(repeating: "a", count: 32)
        let new = Identity.CreateProject(project: ProjectID("shop"))
        let first = try await fixture.send(new, idempotencyKey: key)
        #expect(try await fixture.send(new, idempotencyKey: key) == first)
    }

    @Test(arguments: ["", "a b", "a/b", String(repeating: "a", count: 129)])
    func malformedIDIsRefused(id: String) async throws {
        let fixture = try await IdentityFixture(isDev: false)
        await #expect(throws: ServiceError.self) {
            try await fixture.send(Identity.CreateProject(project: ProjectID(id)))
        }
    }

    @Test func listHasPages() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        for id in ["a", "b"] { _ = try await fixture.send(Identity.CreateProject(project: ProjectID(id))) }
        let first = try await fixture.send(Identity.ListProjects(limit: 2))
        #expect(first.projects.map(\.id.rawValue) == ["a", "b"] && first.hasMore)
        let second = try await fixture.send(Identity.ListProjects(after: first.projects.last?.id, limit: 2))
        #expect(second.projects.map(\.id.rawValue) == ["demo"] && !second.hasMore)
    }
}
