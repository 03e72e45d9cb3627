import Contracts
import ServiceRuntime
import Settings
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct IdentitySettingsTests {
    private func page(_ variables: [String: String]) throws -> String {
        let standard = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DATA": "/data", "LATCHKEY_PROJECT": "p"]
        return try IdentitySettings(Environment(standard.merging(variables) { $1 }), processors: 2).actionPage.text
    }

    @Test(arguments: [true, false]) func catalogueDefaultsMatchIdentityDefaults(isDev: Bool) throws {
        let base = [
            "LATCHKEY_INSTANCE": "i", "LATCHKEY_START_ID": "00112233445566aa",
            "LATCHKEY_BROKERS": "ipc:///tmp/none.sock",
            "LATCHKEY_DATA": "/data", "LATCHKEY_DEV": isDev ? "1" : "0",
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        ]
        let defaults = SettingsCatalogue.defaults(of: .service(.identity), isDev: isDev)
        #expect(defaults.count > 4)
        let explicit = try IdentitySettings(Environment(defaults.merging(base) { $1 }), processors: 2)
        let implicit = try IdentitySettings(Environment(base), processors: 2)
        #expect(String(describing: implicit) == String(describing: explicit))
    }

    /// Security rule HT14: the host comes from the settings, never from a request.
    @Test(
        arguments: [
            (["LATCHKEY_DEV": "1"], "http://127.0.0.1:9099/emulator/action"),
            (["LATCHKEY_DEV": "1", "LATCHKEY_PUBLIC_URL": "http://[::1]:80/"], "http://[::1]:80/emulator/action"),
            (["LATCHKEY_PUBLIC_URL": "https://auth.example.com/"], "https://auth.example.com/__/auth/action"),
        ] as [([String: String], String)])
    func linksLeadToInstallation(variables: [String: String], expected: String) throws {
        #expect(try page(variables) == expected)
    }

    /// Without it, links could lead to a server of another operator.
    @Test(arguments: [[:], ["LATCHKEY_PUBLIC_URL": "auth.example.com"]])
    func productionRequiresPublicURL(variables: [String: String]) {
        let error = #expect(throws: SettingsError.self) { try page(variables) }
        #expect(error?.issues.map(\.setting) == ["LATCHKEY_PUBLIC_URL"])
        #expect(error?.exitCode == 78)
    }

    @Test(arguments: [(nil, 12), ("4", 4), ("14", 14), ("3", nil), ("15", nil), ("many", nil)] as [(String?, Int?)])
    func importedBcryptCostIsBounded(text: String?, cost: Int?) throws {
        var variables = [
            "LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DATA": "/data",
            "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        ]
        variables["LATCHKEY_IMPORT_BCRYPT_COST"] = text
        if let cost {
            #expect(try IdentitySettings(Environment(variables), processors: 2).importBcryptCost == cost)
        } else {
            let error = #expect(throws: SettingsError.self) {
                try IdentitySettings(Environment(variables), processors: 2)
            }
            #expect(error.map { "\($0)".contains("LATCHKEY_IMPORT_BCRYPT_COST") } == true)
        }
    }

    @Test(
        arguments: [(nil, .seconds(3600)), ("15m", .seconds(900)), ("0s", .zero), ("24h", .seconds(86_400))]
            as [(String?, Duration)])
    func refreshGraceIsOneHourByDefault(text: String?, grace: Duration) throws {
        var variables = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DATA": "/data", "LATCHKEY_PROJECT": "p"]
        variables["LATCHKEY_REFRESH_GRACE"] = text
        variables["LATCHKEY_PUBLIC_URL"] = "https://auth.example.com"
        #expect(try IdentitySettings(Environment(variables), processors: 2).refreshGrace == grace)
    }

    @Test(arguments: ["3600", "25h", "-1s", "soon"]) func malformedRefreshGraceIsNamed(text: String) {
        let error = #expect(throws: SettingsError.self) { try page(["LATCHKEY_REFRESH_GRACE": text]) }
        #expect(error.map { "\($0)".contains("LATCHKEY_REFRESH_GRACE") } == true)
    }
}
