import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct ApplicationHandlerTests {
    private static let project = IdentityFixture.realm.project

    private func create(
        _ fixture: IdentityFixture, _ name: String = "Shop", idempotencyKey: String? = nil
    ) async throws -> Identity.Application {
        try await fixture.send(
            Identity.CreateApplication(
                project: Self.project,
                registration: .init(displayName: name, kind: .web, redirectURLs: ["https://app.example.com/"])),
            idempotencyKey: idempotencyKey)
    }

    private func list(_ fixture: IdentityFixture) async throws -> [Identity.Application] {
        try await fixture.send(Identity.ListApplications(project: Self.project)).applications
    }

    /// In dev mode an application is registered under the ID that it uses already; elsewhere the ID is random.
    @Test(arguments: [true, false]) func onlyDevModeTakesAnID(isDev: Bool) async throws {
        let fixture = try await IdentityFixture(isDev: isDev)
        let request = Identity.CreateApplication(
            project: Self.project,
            registration: .init(displayName: "shop", kind: .web, redirectURLs: ["https://app.example.com/"]),
            id: ApplicationID("shop"))
        if isDev {
            #expect(try await fixture.send(request).id == ApplicationID("shop"))
        }
        await #expect(throws: ServiceError(.invalidRequest, "an application cannot choose its ID")) {
            try await fixture.send(request)
        }
    }

    @Test(arguments: StoreEngine.shared)
    func applicationIsCreatedReadReplacedAndDeleted(engine: StoreEngine) async throws {
        let fixture = try await IdentityFixture(engine)
        let created = try await create(fixture)
        #expect(created.id.rawValue.isASCIIHexadecimal && created.id.rawValue.count == 32)
        #expect(created.apiKey == "the-key" && created.revision == 1 && created.createdAt == fixture.clock.now)
        #expect(try await list(fixture) == [created])
        let read = Identity.ReadApplication(project: Self.project, id: created.id)
        #expect(try await fixture.send(read) == created)

        let registration = Identity.ApplicationRegistration(
            displayName: "Tool", kind: .tool, redirectURLs: ["http://127.0.0.1/"])
        let replaced = try await fixture.send(
            Identity.ReplaceApplication(
                project: Self.project, id: created.id, registration: registration, expectedRevision: 1))
        #expect(replaced.registration == registration && replaced.revision == 2)
        #expect(try await fixture.send(read) == replaced)

        _ = try await fixture.send(Identity.DeleteApplication(project: Self.project, id: created.id))
        await #expect(throws: ServiceError(.applicationNotFound)) { try await fixture.send(read) }
        #expect(try await list(fixture).isEmpty)
        #expect(
            try await fixture.auditActions().suffix(3) == [
                "application.created", "application.changed", "application.deleted",
            ])
    }

    @Test func repeatedCallCreatesOneApplication() async throws {
        let fixture = try await IdentityFixture()
        let first = try await create(fixture, idempotencyKey: "k")
        #expect(try await create(fixture, idempotencyKey: "k") == first)
        #expect(try await list(fixture).count == 1)
    }

    @Test func concurrentChangeIsAConflict() async throws {
        let fixture = try await IdentityFixture()
        let created = try await create(fixture)
        let request = Identity.ReplaceApplication(
            project: Self.project, id: created.id, registration: created.registration, expectedRevision: 1)
        _ = try await fixture.send(request)
        await #expect(throws: ServiceError(.configurationConflict)) { try await fixture.send(request) }
    }

    @Test func invalidRegistrationIsRefused() async throws {
        let fixture = try await IdentityFixture(isDev: true)
        let created = try await create(fixture)
        let invalid = Identity.ApplicationRegistration(displayName: "Shop", kind: .web, redirectURLs: [])
        await #expect(throws: ServiceError.self) {
            try await fixture.send(Identity.CreateApplication(project: Self.project, registration: invalid))
        }
        await #expect(throws: ServiceError.self) {
            try await fixture.send(
                Identity.ReplaceApplication(
                    project: Self.project, id: created.id, registration: invalid, expectedRevision: 1))
        }
        #expect(try await list(fixture) == [created])
    }

    @Test func applicationsOfAProjectAreLimited() async throws {
        let fixture = try await IdentityFixture()
        for number in 0..<Identity.Application.maximumCount { _ = try await create(fixture, "Shop \(number)") }
        await #expect(throws: ServiceError(.tooManyApplications)) { try await create(fixture) }
        let first = try #require(try await list(fixture).first)
        _ = try await fixture.send(Identity.DeleteApplication(project: Self.project, id: first.id))
        _ = try await create(fixture)
    }

    @Test func applicationOfAnotherProjectIsUnknown() async throws {
        let fixture = try await IdentityFixture()
        let created = try await create(fixture)
        let other = ProjectID("other")
        #expect(try await fixture.send(Identity.ListApplications(project: other)).applications.isEmpty)
        await #expect(throws: ServiceError(.applicationNotFound)) {
            try await fixture.send(Identity.ReadApplication(project: other, id: created.id))
        }
        await #expect(throws: ServiceError(.applicationNotFound)) {
            try await fixture.send(
                Identity.ReplaceApplication(
                    project: other, id: created.id, registration: created.registration, expectedRevision: 1))
        }
        await #expect(throws: ServiceError(.applicationNotFound)) {
            try await fixture.send(Identity.DeleteApplication(project: other, id: created.id))
        }
    }

    @Test func unknownProjectHasNoApplications() async throws {
        let fixture = try await IdentityFixture(isDev: false)
        await #expect(throws: ServiceError(.projectNotFound)) {
            try await fixture.send(Identity.ListApplications(project: ProjectID("other")))
        }
    }
}
