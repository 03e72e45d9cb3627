import Contracts
import ServiceRuntime
import Settings
import Storage
import TestSupport
import Testing

@testable import LatchkeyProgram

@Suite struct DoctorTests {
    /// RFC 9110 §5.6.7.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Sun, 22 Nov 2026 21:38:39 GMT", 1_795_383_519),
        ] as [(String, Int64)])
    func dateOfResponseIsRead(date: String, seconds: Int64) {
        #expect(ClockSample("x", httpDate: date, now: seconds)?.aheadSeconds == 0)
        #expect(ClockSample("x", httpDate: date, now: seconds + 90)?.aheadSeconds == 90)
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 -1:00:00 GMT",
    ])
    func malformedDateIsIgnored(date: String) {
        #expect(ClockSample("x", httpDate: date, now: 0) == nil)
    }

    @Test(
        arguments: [
            ([], .skipped), ([0], .ok), ([5], .ok), ([-5], .ok), ([6], .warning), ([-30], .warning), ([31], .error),
            ([3600, -2], .ok), ([-3600, 90], .error),
        ] as [([Int], Finding.Result)])
    func clockIsComparedWithNearestOne(ahead: [Int], result: Finding.Result) {
        let samples = ahead.map { ClockSample(source: "server", aheadSeconds: $0) }
        #expect(ClockSample.finding(about: samples).result == result)
    }

    @Test(
        arguments: [
            (97, 0, 6, 8, .ok), (48, 0, 6, 8, .ok), (47, 0, 6, 8, .warning), (97, 60, 6, 8, .warning),
            (16, 0, 6, 2, .ok), (5, 9, 1, 2, .warning),
        ] as [(Int, Int, Int, Int, Finding.Result)])
    func connectionsOfMeshAreComparedWithSlots(
        slots: Int, others: Int, processes: Int, perProcess: Int, result: Finding.Result
    ) {
        let budget = ConnectionBudget(
            place: "db", slots: slots, usedByOthers: others, processes: processes, perProcess: perProcess)
        #expect(budget.finding.result == result)
        #expect(budget.finding.text.contains("up to \(processes * perProcess)"))
    }

    @Test func connectionSlotsAreReadFromServer() async throws {
        let server = try await RunningPostgres.shared()
        let address = try await server.makeDatabase()
        var reader = SettingsReader(Environment(["LATCHKEY_DATABASE_URL": address]), of: .latchkey)
        let store = StorageSettings(.identity, from: &reader, dataDirectory: "/nowhere")
        let (findings, _) = await DatabaseChecks.findings(about: [store], [.identity: 2])
        let budget = try #require(findings.first { $0.check == "database connections" })
        #expect(budget.text.contains("This mesh uses up to 16: 8 for each of 2 processes."))
    }

    @Test func clockFindingNamesDirection() {
        let ahead = ClockSample.finding(about: [.init(source: "db", aheadSeconds: 40)])
        #expect(ahead.text == "It is 40 s ahead of db.")
        #expect(ClockSample.finding(about: [.init(source: "db", aheadSeconds: -40)]).text == "It is 40 s behind db.")
    }

    @Test(
        arguments: [
            (0o400, true, true), (0o600, true, true), (0o640, true, false), (0o604, true, false), (0o640, false, true),
            (0o644, false, false), (0o602, false, false),
        ] as [(UInt32, Bool, Bool)])
    func modeOfSecretIsChecked(mode: UInt32, ownerOnly: Bool, isPrivate: Bool) {
        let finding = FileChecks.finding("file", "/f", mode: mode, ownerOnly: ownerOnly)
        #expect(finding.result == (isPrivate ? .ok : .error))
        #expect((finding.remedy == nil) == isPrivate)
    }

    @Test func missingFilesAreErrors() throws {
        let directory = try TemporaryDirectory()
        let findings = FileChecks.secrets(
            masterKeyFile: directory.appending("none"), environmentFiles: ["/nowhere.env"])
        #expect(findings.map(\.result) == [.error, .error])
        #expect(FileChecks.dataDirectory(directory.appending("none")).result == .error)
        #expect(FileChecks.secrets(masterKeyFile: nil, environmentFiles: []).map(\.result) == [.ok])
    }

    @Test(
        arguments: [
            (199, 1000, .error), (200, 1999, .ok), (200, 100_000, .warning), (2047, 100_000, .warning),
            (2048, 100_000, .ok),
        ] as [(UInt64, UInt64, Finding.Result)])
    func freeSpaceIsJudgedBySizeAndShare(free: UInt64, total: UInt64, result: Finding.Result) {
        #expect(FileChecks.freeSpace(mebibytes: free, ofMebibytes: total).result == result)
    }

    @Test func unreachableEmailServerHasRemedy() async {
        let environment = Environment(["LATCHKEY_SMTP_URL": "smtp://127.0.0.1:1"])
        let findings = await EmailCheck.findings(environment, isDev: false)
        #expect(findings.map(\.result) == [.error])
        #expect(findings.first?.text == "127.0.0.1:1: The server does not accept the connection.")
        #expect(await EmailCheck.findings(Environment([:]), isDev: true).map(\.result) == [.skipped])
        #expect(await EmailCheck.findings(Environment([:]), isDev: false).map(\.result) == [.error])
        let secret = Environment(["LATCHKEY_SMTP_URL": "imap://ada:hunter2@host"])
        let invalid = await EmailCheck.findings(secret, isDev: false)
        #expect(invalid.map(\.result) == [.error] && invalid.first?.text.contains("hunter2") == false)
    }

    @Test func unreachableProviderIsNamedWithoutItsPath() async {
        let environment = Environment([
            "LATCHKEY_SMS_PROVIDER": "webhook", "LATCHKEY_SMS_WEBHOOK_URL": "http://127.0.0.1:1/s3cret?token=s3cret",
        ])
        let findings = await ServerChecks().deliveryServers(environment, isDev: false)
        #expect(findings.map(\.result) == [.error])
        #expect(findings.first?.text.hasPrefix("127.0.0.1:1 is not reachable") == true)
        #expect(findings.first?.text.contains("s3cret") == false)
    }
}

@Suite struct PlaceholderSettingsTests {
    private func names(_ variables: [String: String]) -> [String] {
        PlaceholderSettings.warnings(about: Environment(variables)).map(\.setting)
    }

    @Test(arguments: [
        ("LATCHKEY_PROJECT", "demo-latchkey"), ("LATCHKEY_PROJECT", "demo-shop"), ("LATCHKEY_PROJECT", "my-project"),
        ("LATCHKEY_PUBLIC_URL", "https://auth.EXAMPLE.com"), ("LATCHKEY_SMTP_FROM", "Example <noreply@example.com>"),
        ("LATCHKEY_SMTP_URL", "smtp://mail.example.com:587"),
        ("LATCHKEY_DATABASE_URL", "postgres://user:password@db/latchkey"),
    ])
    func exampleIsFoundOutsideDevMode(name: String, value: String) {
        #expect(names([name: value]) == [name])
        #expect(names([name: value, "LATCHKEY_DEV": "1"]) == [])
    }

    @Test func ownValuesAreAccepted() {
        #expect(
            names([
                "LATCHKEY_PROJECT": "shop", "LATCHKEY_PUBLIC_URL": "https://auth.shop.test", "LATCHKEY_DATA": "/d",
                "LATCHKEY_SMTP_URL": "smtp://ada:secret@mail.shop.test",
            ]) == [])
    }

    @Test func secretIsNotShown() {
        let url = "smtp://ada:hunter2@mail.example.com"
        for warning in PlaceholderSettings.warnings(about: Environment(["LATCHKEY_SMTP_URL": url])) {
            #expect(!warning.description.contains("hunter2"))
        }
    }
}
