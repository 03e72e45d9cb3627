import CommandLineArguments
import ServiceRuntime
import Settings
import TestSupport
import Testing

@testable import LatchkeyProgram

@Suite struct SettingsCommandTests {
    @Test func requestedDocumentIsPrinted() throws {
        #expect(try SettingsCommand(words: ["markdown"]).text == SettingsDocument.markdown)
        #expect(try SettingsCommand(words: ["log-events"]).text == LogEventDocument.markdown)
        #expect(try SettingsCommand(words: ["env", "mesh"]).text == SettingsDocument.environmentFile("mesh"))
        #expect(try SettingsCommand(words: ["gateway"]).text.contains("LATCHKEY_TRUSTED_PROXIES"))
        #expect(try !SettingsCommand(words: ["gateway"]).text.contains("LATCHKEY_SMTP_URL"))
        #expect(try SettingsCommand(words: []).text.contains("LATCHKEY_SMTP_URL"))
    }

    @Test(arguments: [
        ["nobody"], ["env"], ["env", "nobody"], ["env", "mesh", "x"], ["markdown", "x"], ["gateway", "x"],
    ])
    func unknownArgumentIsRefused(arguments: [String]) {
        #expect(throws: UsageError.self) { try SettingsCommand(words: arguments) }
    }
}

@Suite struct CheckCommandTests {
    private func report(_ variables: [String: String]) throws -> [String] {
        let environment = Environment(variables.merging(["LATCHKEY_DEV": "1"]) { $1 })
        let arguments = try ParsedArguments([], of: CheckCommand.declaration, over: environment)
        return try CheckCommand(arguments, environment.resolved(for: .latchkey)).report().map(\.sentence)
    }

    @Test func checkNamesReadersOfEverySettingWithoutValues() throws {
        let lines = try report(["LATCHKEY_TWILIO_AUTH_TOKEN": "s3cret", "LATCHKEY_ONLY": "gateway,notifier"])
        #expect(lines.contains("LATCHKEY_TWILIO_AUTH_TOKEN: notifier"))
        #expect(lines.contains("LATCHKEY_ONLY: latchkey"))
        #expect(!lines.joined().contains("s3cret"))
        #expect(
            try report(["LATCHKEY_API_KEY": "k", "LATCHKEY_ONLY": "notifier"])
                .contains("LATCHKEY_API_KEY: no process of this mesh reads it"))
    }

    @Test(arguments: ["LATCHKEY_SMS_PROVDER", "LATCHKEY_LISTEN"])
    func checkFindsSettingsThatUpRefuses(name: String) {
        #expect(throws: SettingsError.self) { try report([name: "nowhere"]) }
    }
}
