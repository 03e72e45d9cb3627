import Bus
import Contracts
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import PasskeyService

/// Which relying party a realm has.
@Suite struct RelyingPartyTests {
    private typealias Configuration = ProjectConfiguration.Passkeys

    private static func configuration(_ change: (inout Configuration) -> Void) -> Configuration {
        var configuration = Configuration()
        change(&configuration)
        return configuration
    }

    private static let defaults = RelyingPartyDefaults(
        id: RelyingPartyID("example.com"), origins: ["https://login.example.com"], isDev: false)

    @Test func settingsApplyWithoutConfiguration() throws {
        for configuration in [nil, Configuration()] {
            let relyingParty = try EffectiveRelyingParty(configuration, defaults: Self.defaults)
            #expect(relyingParty.id.rawValue == "example.com" && relyingParty.name == "example.com")
            #expect(relyingParty.origins == ["https://login.example.com"] && !relyingParty.allowsLocalhostOrigins)
            #expect(relyingParty.userVerification == .required && relyingParty.conveyance == .none)
        }
    }

    @Test func configurationOfRealmWins() throws {
        let configuration = Self.configuration {
            $0.relyingPartyId = "example.org"
            $0.relyingPartyName = "Example"
            $0.origins = ["https://a.example.org", "android:apk-key-hash:x"]
        }
        let relyingParty = try EffectiveRelyingParty(configuration, defaults: Self.defaults)
        #expect(relyingParty.id.rawValue == "example.org" && relyingParty.name == "Example")
        #expect(relyingParty.origins == ["https://a.example.org", "android:apk-key-hash:x"])
    }

    /// Origins of the settings are not valid for another ID.
    @Test func originsDefaultToID() throws {
        let other = Self.configuration { $0.relyingPartyId = "example.org" }
        #expect(try EffectiveRelyingParty(other, defaults: Self.defaults).origins == ["https://example.org"])
        let same = Self.configuration { $0.relyingPartyId = "example.com" }
        #expect(try EffectiveRelyingParty(same, defaults: Self.defaults).origins == ["https://login.example.com"])
    }

    @Test func localhostOriginsAreForDevModeOnly() throws {
        let localhost = RelyingPartyID("localhost")
        let dev = try EffectiveRelyingParty(nil, defaults: .init(id: localhost, isDev: true))
        #expect(dev.allowsLocalhostOrigins && dev.origins == ["https://localhost"])
        let production = try EffectiveRelyingParty(nil, defaults: .init(id: localhost, isDev: false))
        #expect(!production.allowsLocalhostOrigins)
        let domain = try EffectiveRelyingParty(nil, defaults: .init(id: RelyingPartyID("a.example"), isDev: true))
        #expect(!domain.allowsLocalhostOrigins)
        let configured = Self.configuration { $0.origins = ["http://localhost:3000"] }
        let exact = try EffectiveRelyingParty(configured, defaults: .init(id: localhost, isDev: true))
        #expect(!exact.allowsLocalhostOrigins && exact.origins == ["http://localhost:3000"])
    }

    @Test func disabledOrMalformedConfigurationHasNoRelyingParty() {
        let configurations = [
            Self.configuration { $0.state = .disabled },
            Self.configuration { $0.relyingPartyId = "192.0.2.1" },
            Self.configuration { $0.relyingPartyId = "com" },
            Self.configuration { $0.relyingPartyId = "" },
        ]
        for configuration in configurations {
            #expect(throws: ServiceError(.passkeysNotEnabled)) {
                try EffectiveRelyingParty(configuration, defaults: Self.defaults)
            }
        }
        #expect(throws: ServiceError(.passkeysNotEnabled)) {
            try EffectiveRelyingParty(nil, defaults: .init(id: nil, isDev: false))
        }
    }

    // MARK: Description

    @Test func descriptionNamesRelatedOriginsAndApps() async throws {
        let fixture = try await PasskeyFixture()
        fixture.identity.configure {
            $0.origins = [
                "https://example.com", "https://login.example.com:8443", "https://example.org",
                "https://badexample.com", "android:apk-key-hash:\(String(repeating: "A", count: 43))",
            ]
            $0.appleApps = ["TEAM123456.com.example.app"]
            $0.enrollUrl = "https://example.com/add"
        }
        let description = try await fixture.send(Passkey.DescribeRelyingParty(realm: PasskeyFixture.realm))
        #expect(description.relyingPartyID == "example.com")
        #expect(description.relatedOrigins == ["https://example.org", "https://badexample.com"])
        #expect(description.appleApps == ["TEAM123456.com.example.app"] && description.androidApps == [])
        #expect(description.enrollURL == "https://example.com/add" && description.manageURL == nil)
    }

    // MARK: Cache

    @Test func configurationIsCachedForOneSecond() async throws {
        let fixture = try await PasskeyFixture()
        func requests() -> Int {
            fixture.identity.state.withLock { $0.requests.count { $0 == .resolveConfiguration } }
        }
        for _ in 0..<3 { _ = try await fixture.startSignIn() }
        #expect(requests() == 1)
        fixture.clock.advance(by: .milliseconds(999))
        _ = try await fixture.startSignIn()
        #expect(requests() == 1)
        fixture.clock.advance(by: .milliseconds(1))
        _ = try await fixture.startSignIn()
        #expect(requests() == 2)
        await fixture.service.receive(.configurationChanged(Realm(project: ProjectID("another"))))
        _ = try await fixture.startSignIn()
        #expect(requests() == 2)
        // Tenants inherit from their project.
        await fixture.service.receive(
            .configurationChanged(Realm(project: ProjectID("demo"), tenant: TenantID("t"))))
        _ = try await fixture.startSignIn()
        #expect(requests() == 3)
    }

    /// "RelyingPartyCache.Entry.readAt": the time of day does not decide how long a configuration is used.
    @Test(arguments: [-365 * 86_400, -600, 600] as [Int64])
    func configurationIsReadAgainInTime(seconds: Int64) async throws {
        let clock = ManualClock()
        let requests = Mutex(0)
        let mesh = ScriptedMesh()
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            requests.withLock { $0 += 1 }
            return .init(configuration: .init(), projectNumber: "1", isDisabled: false)
        }
        let cache = RelyingPartyCache(
            mesh, defaults: Self.defaults, now: { clock.now }, instant: { clock.instant })
        func read() async throws -> Int {
            let request = try BusCall(
                Passkey.DescribeRelyingParty(realm: PasskeyFixture.realm), deadline: clock.now + .seconds(5))
            _ = try await cache.relyingParty(of: PasskeyFixture.realm, request)
            return requests.withLock(\.self)
        }
        #expect(try await read() == 1)
        clock.setWall(clock.now + .seconds(seconds))
        #expect(try await read() == 1)
        clock.advance(by: RelyingPartyCache.timeToLive)
        #expect(try await read() == 2)
    }

    /// A reply to a request that was sent before the event is not cached.
    @Test func eventDuringRequestPreventsCaching() async throws {
        let clock = ManualClock()
        let known = Mutex<RelyingPartyCache?>(nil)
        let requests = Mutex(0)
        let mesh = ScriptedMesh()
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            requests.withLock { $0 += 1 }
            await known.withLock(\.self)?.invalidate(ProjectID("demo"))
            return .init(configuration: .init(), projectNumber: "1", isDisabled: false)
        }
        let cache = RelyingPartyCache(
            mesh, defaults: Self.defaults, now: { clock.now }, instant: { clock.instant })
        known.withLock { $0 = cache }
        let request = try BusCall(
            Passkey.DescribeRelyingParty(realm: PasskeyFixture.realm), deadline: clock.now + .seconds(5))
        for _ in 0..<2 { _ = try await cache.relyingParty(of: PasskeyFixture.realm, request) }
        #expect(requests.withLock(\.self) == 2)
    }
}
