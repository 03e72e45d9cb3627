import Contracts
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

    /// Operators have the host of the console, whatever the projects have.
    @Test func operatorsHaveTheHostOfTheConsole() throws {
        var defaults = Self.defaults
        defaults.consoleOrigin = "https://admin.example.com:8443"
        let console = try EffectiveRelyingParty(nil, of: .operators, defaults: defaults)
        #expect(console.id.rawValue == "admin.example.com" && console.origins == ["https://admin.example.com:8443"])
        #expect(!console.allowsLocalhostOrigins)
        defaults.consoleOrigin = nil
        let local = try EffectiveRelyingParty(nil, of: .operators, defaults: defaults)
        #expect(local.id.rawValue == "localhost" && local.origins.isEmpty && local.allowsLocalhostOrigins)
        defaults.consoleOrigin = "https://192.0.2.7"
        #expect(throws: ServiceError(.passkeysNotEnabled)) {
            try EffectiveRelyingParty(nil, of: .operators, defaults: defaults)
        }
    }

}
