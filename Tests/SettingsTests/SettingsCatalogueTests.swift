import Contracts
import Testing

@testable import Settings

@Suite struct SettingsCatalogueTests {
    private static let all = SettingsCatalogue.all

    @Test func namesAreUnique() {
        let names = Self.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        #expect(Set(names).isDisjoint(with: SettingsCatalogue.testNames))
    }

    @Test(arguments: SettingsCatalogue.all)
    func everySettingIsDescribed(setting: Setting) {
        #expect(setting.name.wholeMatch(of: /LATCHKEY(_[A-Z0-9]+)+/) != nil)
        #expect(
            !setting.sentence.isEmpty && setting.sentence.last != "." && setting.sentence.first?.isLowercase != true)
        #expect(setting.explanation.isEmpty || setting.explanation.last == ".")
        #expect(!setting.readers.isEmpty)
        #expect(setting.requiredBy.isSubset(of: setting.readers))
        let valued = setting.example != nil || setting.standard != .none || setting.isSecret || setting.kind == .boolean
        #expect(valued, "\(setting.name) has neither a default nor an example")
    }

    /// A name that looks like a secret is a secret, or the path of one.
    @Test(arguments: SettingsCatalogue.all)
    func everySecretIsMarked(setting: Setting) {
        let words = setting.name.split(separator: "_")
        let looksSecret =
            words.contains("SECRET") || setting.name.hasSuffix("AUTH_TOKEN")
            || words.contains("DATABASE") && setting.kind == .url
        #expect(!looksSecret || setting.isSecret)
        #expect(!setting.isSecret || setting.audience == .operator)
    }

    @Test func onlyMasterKeyHasSettingForItsFile() {
        let names = Set(Self.all.map(\.name))
        let settled = Self.all.filter { $0.fileName.map(names.contains) == true }
        #expect(settled == [.masterKey])
        #expect(!SettingsCatalogue.ambiguousSecrets { _ in true }.contains(.masterKey))
    }

    @Test(arguments: [
        ("LATCHKEY_SMS_PROVDER", "LATCHKEY_SMS_PROVIDER"), ("LATCHKEY_PUBLICURL", "LATCHKEY_PUBLIC_URL"),
        ("LATCHKEY_SMTP_URI", "LATCHKEY_SMTP_URL"), ("LATCHKEY_TWILIO_TOKEN", "LATCHKEY_TWILIO_AUTH_TOKEN"),
        ("LATCHKEY_SMTP_URL_FIEL", "LATCHKEY_SMTP_URL_FILE"),
        ("LATCHKEY_MFA_SMS_DATABASE_URI", "LATCHKEY_MFA_SMS_DATABASE_URL"),
        ("LATCHKEY_LISTEN_ADMIN", "LATCHKEY_SMTP_CA_FILE"),
    ])
    func nearestNameIsSuggested(name: String, nearest: String) {
        let unknown = SettingsCatalogue.unknownNames(among: [name, "PATH", "LATCHKEY_DEV", "LATCHKEY_URL"])
        #expect(unknown.map(\.name) == [name])
        // The last name is not similar to any known name, so each result is fine.
        #expect(unknown.map(\.nearest) == [nearest] || name == "LATCHKEY_LISTEN_ADMIN")
    }

    @Test func knownNamesAreAccepted() {
        #expect(SettingsCatalogue.unknownNames(among: Self.all.flatMap(\.names)).isEmpty)
        #expect(SettingsCatalogue.unknownNames(among: SettingsCatalogue.testNames).isEmpty)
    }

    /// Names are external input.
    @Test func longOrEmptyNameIsCompared() {
        let long = "LATCHKEY_" + String(repeating: "é", count: 100_000)
        #expect(SettingsCatalogue.unknownNames(among: [long, "LATCHKEY_", "LATCHKEY", ""]).count == 2)
    }

    @Test(arguments: [("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)])
    func editDistanceCountsChanges(a: String, b: String, distance: Int) {
        #expect(SettingsCatalogue.editDistance(Array(a.utf8), Array(b.utf8)) == distance)
        #expect(SettingsCatalogue.editDistance(Array(b.utf8), Array(a.utf8)) == distance)
    }

    /// Every setting for every process.
    @Test(arguments: SettingsProcess.allCases)
    func processSeesExactlyItsListedSettings(process: SettingsProcess) {
        for setting in Self.all {
            for name in setting.names {
                #expect(SettingsCatalogue.isVisible(name, to: process) == setting.readers.contains(process), "\(name)")
            }
        }
        #expect(!SettingsCatalogue.isVisible("LATCHKEY_SMS_NEW", to: process))
        for name in SettingsCatalogue.testNames { #expect(!SettingsCatalogue.isVisible(name, to: process)) }
    }

    /// Only the processes that use the databases, the mail server and the providers read their secrets.
    @Test func gatewayAndBrokerReadNoSecret() {
        for setting in Self.all where setting.isSecret {
            #expect(setting.readers.isDisjoint(with: [.broker, .gateway]), "\(setting.name)")
        }
    }

    @Test func everyServiceWithDataHasDatabaseVariable() {
        let names = Set(Self.all.map(\.name))
        for service in ServiceName.allCases {
            #expect(names.contains(Setting.databaseURL(of: service).name) == service.ownsData)
        }
        #expect(Setting.databaseURL(of: .mfaSMS).name == "LATCHKEY_MFA_SMS_DATABASE_URL")
    }
}
