import ServiceRuntime
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct IdentitySettingsTests {
    private func page(_ variables: [String: String]) throws -> String? {
        let standard = ["LATCHKEY_BROKERS": "ipc:///tmp/none.sock", "LATCHKEY_DATA": "/data", "LATCHKEY_PROJECT": "p"]
        return try IdentitySettings(Environment(standard.merging(variables) { $1 }), processors: 2).actionPage?.text
    }

    /// HT14: from the settings, never from a request.
    @Test(
        arguments: [
            ([:], nil), (["LATCHKEY_DEV": "1"], "http://127.0.0.1:9099/emulator/action"),
            (["LATCHKEY_DEV": "1", "LATCHKEY_PUBLIC_URL": "http://[::1]:80/"], "http://[::1]:80/emulator/action"),
            (["LATCHKEY_PUBLIC_URL": "https://auth.example.com/"], "https://auth.example.com/__/auth/action"),
        ] as [([String: String], String?)])
    func linksLeadToTheInstallation(variables: [String: String], expected: String?) throws {
        #expect(try page(variables) == expected)
    }

    @Test func aMalformedURLIsNamedAtTheStart() {
        let error = #expect(throws: SettingsFaults.self) { try page(["LATCHKEY_PUBLIC_URL": "auth.example.com"]) }
        #expect(error.map { "\($0)".contains("LATCHKEY_PUBLIC_URL") } == true)
    }
}
