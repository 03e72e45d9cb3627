import Bus
import Contracts
import DatabaseService
import TestSupport
import Testing
import Vocabulary

/// When a service sees that the configuration of a project has changed.
@Suite struct ProjectConfigurationsTests {
    private static let realm = Realm(project: ProjectID("demo"))
    private static let tenant = Realm(project: ProjectID("demo"), tenant: TenantID("t"))
    private static let timeToLive = RealmCache<Identity.ResolveConfiguration.Reply>.timeToLive

    private let clock = ManualClock()
    private let mesh = ScriptedMesh(as: .notifier)
    private let configurations: ProjectConfigurations

    init() {
        configurations = ProjectConfigurations(mesh, instant: { [clock] in clock.instant })
        script(projectNumber: "1")
    }

    private func script(projectNumber: String, isDisabled: Bool = false) {
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            .init(configuration: .init(), projectNumber: projectNumber, isDisabled: isDisabled)
        }
    }

    private func number(of realm: Realm = realm) async throws -> String {
        try await configurations.resolve(realm, CallOptions(trace: .random(), timeout: .seconds(5))).projectNumber
    }

    private var requests: Int { mesh.sent(Identity.ResolveConfiguration.self).count }

    @Test func configurationIsKeptForOneSecond() async throws {
        for _ in 0..<3 { #expect(try await number() == "1") }
        script(projectNumber: "2")
        clock.advance(by: Self.timeToLive - .milliseconds(1))
        #expect(try await number() == "1")
        #expect(requests == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await number() == "2")
        #expect(requests == 2)
    }

    /// The time of day does not decide how long a configuration is used.
    @Test(arguments: [-365 * 86_400, -600, 600] as [Int64])
    func configurationIsReadAgainInTime(seconds: Int64) async throws {
        #expect(try await number() == "1")
        script(projectNumber: "2")
        clock.setWall(clock.now + .seconds(seconds))
        #expect(try await number() == "1")
        clock.advance(by: Self.timeToLive)
        #expect(try await number() == "2")
    }

    @Test func eventInvalidatesAllRealmsOfItsProject() async throws {
        _ = (try await number(), try await number(of: Self.tenant))
        script(projectNumber: "2")
        await configurations.receive(.configurationChanged(Realm(project: ProjectID("another"))))
        await configurations.receive(.signingKeysChanged)
        #expect(try await number() == "1")
        #expect(try await number(of: Self.tenant) == "1")
        // Tenants inherit from their project.
        await configurations.receive(.configurationChanged(Self.realm))
        #expect(try await number(of: Self.tenant) == "2")
        script(projectNumber: "3")
        await configurations.receive(.configurationChanged(Self.tenant))
        #expect(try await number() == "3")
    }

    /// A reply to a request that was sent before the event is not kept.
    @Test func eventDuringRequestPreventsCaching() async throws {
        mesh.reply(to: Identity.ResolveConfiguration.self) { [configurations] request in
            await configurations.receive(.configurationChanged(request.realm))
            return .init(configuration: .init(), projectNumber: "1", isDisabled: false)
        }
        for _ in 0..<2 { _ = try await number() }
        #expect(requests == 2)
    }

    @Test func errorIsNotKept() async throws {
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in throw ServiceError(.tenantNotFound) }
        await #expect(throws: ServiceError(.tenantNotFound)) { try await number(of: Self.tenant) }
        script(projectNumber: "1")
        #expect(try await number(of: Self.tenant) == "1")
    }

    @Test func tenantWithoutSignInsIsRefusedForSignIns() async throws {
        script(projectNumber: "1", isDisabled: true)
        let options = CallOptions(trace: .random(), timeout: .seconds(5))
        await #expect(throws: ServiceError(.projectDisabled)) {
            try await configurations.configuration(forSignInTo: Self.tenant, options)
        }
        #expect(try await number(of: Self.tenant) == "1")
        script(projectNumber: "1")
        await configurations.receive(.configurationChanged(Self.tenant))
        #expect(try await configurations.configuration(forSignInTo: Self.tenant, options) == .init())
    }

    /// Unauthenticated callers name realms.
    @Test func cacheIsBounded() {
        var cache = RealmCache<Int>()
        let realms = (0...RealmCache<Int>.maximumEntries).map { Realm(project: ProjectID("p\($0)")) }
        for (number, realm) in realms.enumerated() {
            cache.insert(number, of: realm, from: cache.startRead(at: clock.instant))
        }
        #expect(realms.compactMap { cache.value(of: $0, at: clock.instant) } == [RealmCache<Int>.maximumEntries])
    }
}
