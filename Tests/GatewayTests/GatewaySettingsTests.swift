import Contracts
import HTTPServer
import ServiceRuntime
import Settings
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct GatewaySettingsTests {
    @Test func devModeNeedsNoSettings() throws {
        let settings = try GatewaySettings.testing(["LATCHKEY_DEV": "1"])
        #expect(settings.listeners.map(\.listener) == [.public])
        #expect(settings.listen == HostPort("127.0.0.1:9099"))
        #expect(settings.project == ProjectID("demo-latchkey"))
        #expect(settings.publicURL == "http://127.0.0.1:9099")
    }

    @Test(arguments: [true, false]) func catalogueDefaultsMatchGatewayDefaults(isDev: Bool) throws {
        var base = ["LATCHKEY_INSTANCE": "g", "LATCHKEY_START_ID": "00112233445566aa", "LATCHKEY_DATA": ".latchkey"]
        base["LATCHKEY_DEV"] = isDev ? "1" : "0"
        if !isDev {
            base["LATCHKEY_LISTEN"] = "127.0.0.1:9099"
            base["LATCHKEY_PUBLIC_URL"] = "https://auth.example.com"
        }
        let defaults = SettingsCatalogue.defaults(of: .service(.gateway), isDev: isDev)
        #expect(defaults.count > 5)
        let explicit = try GatewaySettings.testing(defaults.merging(base) { $1 })
        #expect(try String(describing: GatewaySettings.testing(base)) == String(describing: explicit))
    }

    @Test func productionHasTwoListeners() throws {
        let settings = try GatewaySettings.testing([
            "LATCHKEY_LISTEN": "127.0.0.1:80", "LATCHKEY_PUBLIC_URL": "https://auth.example.com",
        ])
        #expect(settings.listeners.map(\.listener) == [.public, .admin])
        #expect(settings.adminListen == HostPort("127.0.0.1:9098"))
        #expect(settings.publicURL == "https://auth.example.com" && settings.project == nil)
    }

    @Test(
        arguments: [("both", [.public, .admin]), ("public", [.public]), ("admin", [.admin])]
            as [(String, [Listener])])
    func listenersAreThoseOfTheSetting(text: String, listeners: [Listener]) throws {
        var variables = ["LATCHKEY_LISTENER": text, "LATCHKEY_PUBLIC_URL": "https://auth.example.com"]
        if text != "admin" { variables["LATCHKEY_LISTEN"] = "127.0.0.1:80" }
        #expect(try GatewaySettings.testing(variables).listeners.map(\.listener) == listeners)
    }

    @Test func everySettingIsRead() throws {
        let settings = try GatewaySettings.testing([
            "LATCHKEY_LISTEN": "0.0.0.0:80", "LATCHKEY_ADMIN_LISTEN": "[::1]:81",
            "LATCHKEY_TRUSTED_PROXIES": "10.0.0.0/8, 192.0.2.7", "LATCHKEY_PUBLIC_URL": "https://auth.example.com/",
            "LATCHKEY_LIMIT_SIGN_IN_PER_MINUTE": "1", "LATCHKEY_LIMIT_SIGN_UP_PER_MINUTE": "2",
            "LATCHKEY_LIMIT_REFRESH_PER_MINUTE": "3", "LATCHKEY_LIMIT_OTHER_PER_MINUTE": "0",
        ])
        #expect(settings.trustedProxies.count == 2)
        #expect(settings.publicURL == "https://auth.example.com")
        #expect(
            [settings.limits.signIn, settings.limits.signUp, settings.limits.refresh, settings.limits.other] == [
                1, 2, 3, 0,
            ])
    }

    /// Security rule HT11, and dev mode on loopback only.
    @Test(
        arguments: [
            (["LATCHKEY_DEV": "1", "LATCHKEY_LISTEN": "0.0.0.0:9099"], ["LATCHKEY_LISTEN"]),
            (
                ["LATCHKEY_DEV": "1", "LATCHKEY_LISTEN": "[::]:9099", "LATCHKEY_ALLOW_PLAIN_HTTP": "1"],
                ["LATCHKEY_LISTEN"]
            ),
            (["LATCHKEY_DEV": "1", "LATCHKEY_ADMIN_LISTEN": "192.0.2.1:1"], ["LATCHKEY_ADMIN_LISTEN"]),
            (["LATCHKEY_LISTEN": "0.0.0.0:80"], ["LATCHKEY_LISTEN"]),
            (
                ["LATCHKEY_LISTEN": "0.0.0.0:80", "LATCHKEY_ADMIN_LISTEN": "0.0.0.0:81"],
                ["LATCHKEY_LISTEN", "LATCHKEY_ADMIN_LISTEN"]
            ),
            (["LATCHKEY_LISTEN": "0.0.0.0:80", "LATCHKEY_ALLOW_PLAIN_HTTP": "1"], []),
            (["LATCHKEY_LISTEN": "0.0.0.0:80", "LATCHKEY_TRUSTED_PROXIES": "10.0.0.1"], []),
            (["LATCHKEY_LISTEN": "localhost:80"], []), ([:], ["LATCHKEY_LISTEN"]),
            // Not even by its default, and not in dev mode.
            (["LATCHKEY_LISTEN": "127.0.0.1:9098"], ["LATCHKEY_ADMIN_LISTEN"]),
            (["LATCHKEY_LISTEN": "127.0.0.1:9098", "LATCHKEY_LISTENER": "public"], []),
            (
                ["LATCHKEY_DEV": "1", "LATCHKEY_LISTEN": "127.0.0.1:1", "LATCHKEY_ADMIN_LISTEN": "localhost:1"],
                ["LATCHKEY_ADMIN_LISTEN"]
            ),
            (["LATCHKEY_LISTEN": "127.0.0.1:0", "LATCHKEY_ADMIN_LISTEN": "127.0.0.1:0"], []),
            // Without it links would contain the host names of Google.
            (["LATCHKEY_LISTEN": "localhost:80", "LATCHKEY_PUBLIC_URL": nil], ["LATCHKEY_PUBLIC_URL"]),
            (["LATCHKEY_DEV": "1", "LATCHKEY_PUBLIC_URL": nil], []),
            (
                [
                    "LATCHKEY_LISTEN": "here", "LATCHKEY_TRUSTED_PROXIES": "10.0.0.0/40",
                    "LATCHKEY_PUBLIC_URL": "auth.example.com", "LATCHKEY_LIMIT_OTHER_PER_MINUTE": "-1",
                ],
                [
                    "LATCHKEY_LISTEN", "LATCHKEY_PUBLIC_URL", "LATCHKEY_TRUSTED_PROXIES",
                    "LATCHKEY_LIMIT_OTHER_PER_MINUTE",
                ]
            ),
        ] as [([String: String?], [String])])
    func everyInvalidSettingIsNamedAtOnce(settings: [String: String?], faulty: [String]) {
        let standard = ["LATCHKEY_BROKERS": "ipc:///x", "LATCHKEY_PUBLIC_URL": "https://auth.example.com"]
        do throws(SettingsError) {
            _ = try GatewaySettings(Environment(standard).changing(settings))
            #expect(faulty.isEmpty)
        } catch {
            #expect(error.issues.map(\.setting) == faulty)
            #expect(error.exitCode == 78)
        }
    }

    /// Addresses that many clients share are exempt from the limit of one client.
    @Test(
        arguments: [
            (["LATCHKEY_DEV": "1"], Listener.public, "127.0.0.1", true), (["LATCHKEY_DEV": "1"], .public, "::1", true),
            ([:], .public, "127.0.0.1", false), ([:], .admin, "127.0.0.1", true), ([:], .admin, "192.0.2.1", false),
            (["LATCHKEY_TRUSTED_PROXIES": "127.0.0.1,10.0.0.0/8"], .public, "127.0.0.1", true),
            (["LATCHKEY_TRUSTED_PROXIES": "127.0.0.1,10.0.0.0/8"], .public, "10.1.2.3", true),
            (["LATCHKEY_TRUSTED_PROXIES": "127.0.0.1,10.0.0.0/8"], .public, "192.0.2.1", false),
        ] as [([String: String], Listener, String, Bool)])
    func connectionLimitAppliesPerClientNetwork(
        settings: [String: String], listener: Listener, address: String, isExempt: Bool
    ) throws {
        let production = ["LATCHKEY_LISTEN": "127.0.0.1:80", "LATCHKEY_PUBLIC_URL": "https://auth.example.com"]
        func server(_ more: [String: String] = [:]) throws -> HTTPServerSettings {
            let settings = try GatewaySettings.testing(
                production.merging(settings) { $1 }.merging(more) { $1 })
            return settings.server(of: listener, at: try #require(settings.listen))
        }
        #expect(try server().connectionsPerAddress == 100)
        #expect(try server().isExemptFromAddressLimit(#require(IPAddress(address))) == isExempt)
        #expect(try server(["LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS": "7"]).connectionsPerAddress == 7)
        #expect(try server(["LATCHKEY_LIMIT_CONNECTIONS_PER_ADDRESS": "0"]).connectionsPerAddress == nil)
    }

    @Test(arguments: [
        "ftp://a.example", "https://", "https://a.example/path", "https://user@a.example", "https://a b.example",
        "https://a.example?x", "https://a\"b", "https://a.example#x", "https://a_b.example", "https://a.example/?",
    ])
    func publicURLMustBeOrigin(url: String) {
        #expect(throws: SettingsError.self) {
            try GatewaySettings.testing(["LATCHKEY_DEV": "1", "LATCHKEY_PUBLIC_URL": url])
        }
    }

    @Test(
        arguments: [
            (HTTPServerError.addressInUse("127.0.0.1:1"), 1), (.permissionDenied("127.0.0.1:1"), 78),
            (.addressNotAvailable("192.0.2.1:1"), 78), (.invalidHost("x"), 78), (.system(24), 1),
        ] as [(HTTPServerError, Int32)])
    func listenerErrorStatesReasonAndExitCode(error: HTTPServerError, code: Int32) {
        let failure = ListenerError(error: error)
        #expect(failure.exitCode == code)
        #expect(failure.messages == ["Cannot listen: \(error)."])
    }
}
