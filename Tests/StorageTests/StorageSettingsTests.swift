import Contracts
import Postgres
import ServiceRuntime
import Settings
import Storage
import Testing

@Suite struct StorageSettingsTests {
    private func settings(_ variables: [String: String], of service: ServiceName = .mfaSMS) throws -> StorageSettings {
        var reader = SettingsReader(Environment(variables), of: .latchkey)
        let settings = StorageSettings(service, from: &reader, dataDirectory: "/data")
        try reader.finish()
        return settings
    }

    private func faults(_ variables: [String: String]) -> [SettingsIssue] {
        do {
            _ = try settings(variables)
            return []
        } catch {
            return (error as? SettingsError)?.issues ?? []
        }
    }

    @Test(arguments: [[:], ["LATCHKEY_DATABASE_URL": "sqlite:"], ["LATCHKEY_MFA_SMS_DATABASE_URL": "sqlite:"]])
    func defaultIsOneFilePerServiceInDataDirectory(variables: [String: String]) throws {
        let settings = try settings(variables)
        #expect(settings.location == .sqlite(path: "/data/mfa-sms.sqlite"))
        #expect(settings.settingName == "LATCHKEY_DATA")
    }

    @Test(arguments: ["sqlite:/srv/a b.sqlite", "sqlite:///srv/a b.sqlite"])
    func serviceCanHaveFileElsewhere(text: String) throws {
        let settings = try settings(["LATCHKEY_MFA_SMS_DATABASE_URL": text])
        #expect(settings.location == .sqlite(path: "/srv/a b.sqlite"))
        #expect(settings.settingName == "LATCHKEY_MFA_SMS_DATABASE_URL")
    }

    @Test(arguments: ["postgres", "postgresql"])
    func sharedURLAppliesToEveryService(scheme: String) throws {
        let url = "\(scheme)://ada:secret@db.example/latchkey"
        let settings = try settings(["LATCHKEY_DATABASE_URL": url])
        #expect(settings.location == .postgres(try PostgresURL(url)))
        #expect(settings.settingName == "LATCHKEY_DATABASE_URL")
        #expect(!settings.location.description.contains("secret"))
    }

    @Test func serviceVariableOverridesSharedOne() throws {
        let variables = [
            "LATCHKEY_DATABASE_URL": "postgres://db.example/all", "LATCHKEY_MFA_SMS_DATABASE_URL": "sqlite:",
            "LATCHKEY_IDENTITY_DATABASE_URL": "postgres://db.example/identity",
        ]
        #expect(try settings(variables).location == .sqlite(path: "/data/mfa-sms.sqlite"))
        #expect(try settings(variables, of: .identity).settingName == "LATCHKEY_IDENTITY_DATABASE_URL")
        #expect(try settings(variables, of: .notifier).settingName == "LATCHKEY_DATABASE_URL")
    }

    /// Each is a single sentence that names the variable, and none shows its value.
    @Test(arguments: [
        "mysql://ada:hunter2@db/latchkey", "hunter2", "postgres:hunter2", "http://hunter2", "sqlite", "SQLITE:",
        "sqlite:hunter2.sqlite", "sqlite:./hunter2", "sqlite://hunter2/file", "sqlite:/hunter2/",
        "postgres://ada:hunter2@db", "postgres://ada:hunter2@db:port/x", "postgres://ada:hunter2@db/x?sslmode=maybe",
    ])
    func invalidURLIsOneSentenceWithoutPassword(text: String) throws {
        for name in ["LATCHKEY_DATABASE_URL", "LATCHKEY_MFA_SMS_DATABASE_URL"] {
            let faults = faults([name: text])
            #expect(faults.count == 1)
            let sentence = try #require(faults.first?.description)
            #expect(sentence.hasPrefix("\(name) "), "\(sentence)")
            #expect(!sentence.contains("hunter2"), "\(sentence)")
            #expect(!sentence.contains("\n"))
        }
    }

    @Test func oneFileForAllServicesIsRefused() {
        #expect(
            faults(["LATCHKEY_DATABASE_URL": "sqlite:/srv/all.sqlite"]).map(\.description) == [
                "LATCHKEY_DATABASE_URL names one SQLite file, and each service needs a file of its own. Set "
                    + "LATCHKEY_DATA to the directory of the files, and LATCHKEY_DATABASE_URL to sqlite: or to nothing."
            ])
    }

    @Test func errorOfSharedVariableIsReportedOnce() {
        var reader = SettingsReader(Environment(["LATCHKEY_DATABASE_URL": "nonsense"]), of: .latchkey)
        for service in ServiceName.allCases { _ = StorageSettings(service, from: &reader, dataDirectory: "/data") }
        #expect { try reader.finish() } throws: { ($0 as? SettingsError)?.issues.count == 1 }
    }
}
