import Contracts
import ServiceRuntime
import Testing
import Vocabulary

@testable import Settings

struct SettingsReaderTests {
    private static let number = Setting("LATCHKEY_SMTP_CONNECTIONS", .integer(1...9), readBy: [.service(.notifier)], "")
    private static let address = Setting("LATCHKEY_LISTEN", .address, readBy: [.service(.notifier)], "")

    private func reader(_ variables: [String: String]) -> SettingsReader {
        SettingsReader(Environment(variables), of: .service(.notifier))
    }

    @Test func everyErrorIsReportedAtOnce() {
        var reader = reader(["LATCHKEY_SMTP_CONNECTIONS": "70", "LATCHKEY_LISTEN": "nonsense"])
        _ = reader.string(.data, example: "/var/lib/latchkey")
        _ = reader.integer(Self.number)
        _ = reader.hostPort(Self.address)
        let failure = #expect(throws: SettingsError.self) { try reader.finish() }
        #expect(
            failure?.messages == [
                "LATCHKEY_DATA is not set. Set it to text, for example LATCHKEY_DATA=/var/lib/latchkey.",
                "LATCHKEY_SMTP_CONNECTIONS is \"70\", which is not a whole number from 1 to 9. Write it like "
                    + "LATCHKEY_SMTP_CONNECTIONS=1.",
                "LATCHKEY_LISTEN is \"nonsense\", which is not HOST:PORT. Write it like LATCHKEY_LISTEN=127.0.0.1:9099.",
            ])
        #expect(failure?.exitCode == 78)
    }

    @Test func urlIsNeverShown() {
        var reader = reader(["LATCHKEY_TWILIO_BASE_URL": "ftp://user:hunter2@host"])
        _ = reader.url(.twilioBaseURL, example: "https://example.com")
        let failure = #expect(throws: SettingsError.self) { try reader.finish() }
        #expect(failure?.messages.first?.contains("hunter2") == false)
    }

    @Test func controlCharactersAreEscapedInErrors() {
        var reader = reader(["LATCHKEY_SMTP_CONNECTIONS": "\u{1b}[31m\n1"])
        _ = reader.integer(Self.number)
        let failure = #expect(throws: SettingsError.self) { try reader.finish() }
        #expect(failure?.messages.first?.contains("\\u001b[31m\\n1") == true)
    }

    @Test func emptyValueCountsAsUnset() throws {
        var reader = reader(["LATCHKEY_SMTP_CONNECTIONS": ""])
        #expect(reader.integer(Self.number, default: 7) == 7)
        #expect(reader.optionalString(Self.number) == nil)
        try reader.finish()
    }

    @Test(arguments: [("1", 1), ("9", 9), ("0", nil), ("10", nil), ("one", nil), (" 1", nil)] as [(String, Int?)])
    func integersAreBounded(text: String, expected: Int?) throws {
        var reader = reader(["LATCHKEY_SMTP_CONNECTIONS": text])
        let number = reader.integer(Self.number)
        if let expected {
            #expect(number == expected)
            try reader.finish()
        } else {
            #expect(throws: SettingsError.self) { try reader.finish() }
        }
    }

    @Test(
        arguments: [
            ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("15m", .seconds(900)), ("2h", .seconds(7200)),
            ("7d", .seconds(604_800)), ("30", nil), ("s", nil), ("-1s", nil), ("1.5s", nil), ("1w", nil),
            ("9223372036854775807d", nil), ("99999999999999999999s", nil),
        ] as [(String, Duration?)])
    func durationRequiresUnit(text: String, expected: Duration?) {
        #expect(Duration(setting: text) == expected)
    }

    @Test(arguments: ["1", "true", "YES", "on"])
    func booleanAcceptsSeveralForms(text: String) {
        var reader = reader(["LATCHKEY_DEV": text])
        let isYes = reader.boolean(.dev)
        #expect(isYes)
    }

    @Test func listIsTrimmedAndHasNoEmptyItems() throws {
        var reader = reader(["LATCHKEY_BROKERS": " one , two,three", "LATCHKEY_SMS_PROVIDER": "one,,two"])
        #expect(reader.list(.brokers, example: "a,b") == ["one", "two", "three"])
        _ = reader.list(.smsProvider, example: "a,b")
        #expect(throws: SettingsError.self) { try reader.finish() }
    }

    @Test(arguments: [
        ("127.0.0.1:9099", true), ("localhost:1", true), ("[::1]:0", true), ("127.3.2.1:65535", true),
        ("0.0.0.0:80", false), ("192.168.1.2:80", false), ("[::]:80", false), ("127.0.0.1.example.com:80", false),
        ("127.x.y.z:80", false),
    ])
    func loopbackAddressesAreRecognized(text: String, isLoopback: Bool) throws {
        let address = try #require(HostPort(text))
        #expect(address.isLoopback == isLoopback)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("127.0.0.1:80", "127.0.0.1:80", true), ("127.0.0.1:80", "0.0.0.0:80", true),
        ("localhost:80", "127.0.0.1:80", true), ("192.0.2.1:80", "0.0.0.0:80", true), ("[::1]:80", "[::]:80", true),
        // Other notations of the same addresses.
        ("[::1]:80", "[0:0::0:1]:80", true), ("[2001:db8::1]:80", "[0::0]:80", true),
        ("127.0.0.1:80", "[::ffff:127.0.0.1]:80", true), ("127.0.0.1:80", "[::ffff:0:0]:80", true),
        ("example.com:80", "example.com:80", false),
        ("127.0.0.1:80", "127.0.0.1:81", false), ("127.0.0.1:80", "192.0.2.1:80", false),
        ("localhost:80", "192.0.2.1:80", false),
        // An IPv6 listener has no IPv4 clients.
        ("127.0.0.1:80", "[::]:80", false), ("0.0.0.0:80", "[::]:80", false), ("localhost:80", "[::1]:80", false),
        // Two ports that the kernel chooses.
        ("127.0.0.1:0", "127.0.0.1:0", false), ("0.0.0.0:0", "127.0.0.1:0", false),
    ])
    func overlappingAddressesAreRecognized(one: String, other: String, overlaps: Bool) throws {
        let addresses = try (#require(HostPort(one)), #require(HostPort(other)))
        #expect(addresses.0.overlaps(addresses.1) == overlaps && addresses.1.overlaps(addresses.0) == overlaps)
    }

    @Test(arguments: [
        "", "9099", ":9099", "host", "host:", "host:65536", "host:-1", "host:+1", "::1:80", "[]:80", "[host]:80",
        "a b:1",
        "http://host:80", "user@host:80",
    ])
    func invalidHostAndPortIsRejected(text: String) {
        #expect(HostPort(text) == nil)
    }
}

struct ProcessSettingsTests {
    @Test func devModeNeedsOnlyBroker() throws {
        let settings = try ProcessSettings(
            .identity, Environment(["LATCHKEY_DEV": "1", "LATCHKEY_BROKERS": "ipc:///run/a,ipc:///run/b"]))
        #expect(settings.brokers == ["ipc:///run/a", "ipc:///run/b"])
        #expect(settings.dataDirectory == ".latchkey")
        #expect(settings.project == ProjectID("demo-latchkey"))
        #expect(settings.instance.hasPrefix("identity."))
        #expect(settings.log == LogSettings(level: .info, format: .text))
    }

    @Test func productionRequiresDataDirectory() throws {
        let environment = Environment(["LATCHKEY_BROKERS": "ipc:///run/a"])
        let failure = #expect(throws: SettingsError.self) { try ProcessSettings(.identity, environment) }
        #expect(failure?.issues.map(\.setting) == ["LATCHKEY_DATA"])
        #expect(try ProcessSettings(.gateway, environment).project == nil)
    }

    @Test func everyStartHasUniqueIDUnlessGiven() throws {
        let named = Environment(["LATCHKEY_INSTANCE": "broker.1"])
        #expect(try ProcessSettings(.broker, named).start != ProcessSettings(.broker, named).start)
        let given = named.changing(["LATCHKEY_START_ID": "00112233445566aa"])
        #expect(try ProcessSettings(.broker, given).start.busInstance == "broker.1.00112233445566aa")
        for id in ["", "00112233445566AA", "00112233445566a", "00112233445566aaa", "0011223344556 aa"] {
            let wrong = named.changing(["LATCHKEY_START_ID": id])
            if id.isEmpty { continue }  // An empty value counts as not set.
            #expect(throws: SettingsError.self) { try ProcessSettings(.broker, wrong) }
        }
        let longest = String(repeating: "a", count: ProcessStart.maximumNameBytes)
        #expect(
            try ProcessSettings(.broker, Environment(["LATCHKEY_INSTANCE": longest])).start.busInstance.utf8.count == 64
        )
        #expect(throws: SettingsError.self) {
            try ProcessSettings(.broker, Environment(["LATCHKEY_INSTANCE": longest + "a"]))
        }
    }

    @Test(arguments: ["tcp://127.0.0.1:1", "ipc://relative", "nonsense"])
    func unusableBrokerIsReportedWithTheOtherSettings(broker: String) {
        let environment = Environment(["LATCHKEY_BROKERS": broker, "LATCHKEY_LOG": "loud"])
        let failure = #expect(throws: SettingsError.self) { try ProcessSettings(.gateway, environment) }
        #expect(failure?.issues.map(\.setting) == ["LATCHKEY_LOG", "LATCHKEY_BROKERS"])
    }

    @Test func brokerConnectsToNoBroker() throws {
        #expect(try ProcessSettings(.broker, Environment([:])).brokers.isEmpty)
    }

    @Test func logHasALevelAndAFormat() throws {
        var reader = SettingsReader(
            Environment(["LATCHKEY_LOG": "warn", "LATCHKEY_LOG_FORMAT": "json"]), of: .service(.gateway))
        #expect(LogSettings(from: &reader) == LogSettings(level: .warn, format: .json))
        try reader.finish()
    }

    /// Both stood in one setting before.
    @Test(arguments: [("json", "json"), ("debug,json", "json"), ("text,error", "text")])
    func formatInTheLevelIsRefusedWithItsSetting(text: String, format: String) {
        var reader = SettingsReader(Environment(["LATCHKEY_LOG": text]), of: .service(.gateway))
        _ = LogSettings(from: &reader)
        let failure = #expect(throws: SettingsError.self) { try reader.finish() }
        #expect(
            failure?.messages == [
                "LATCHKEY_LOG has the level alone. Set the format with LATCHKEY_LOG_FORMAT=\(format)."
            ])
    }

    @Test(arguments: [["LATCHKEY_LOG": "info,warn"], ["LATCHKEY_LOG": "verbose"], ["LATCHKEY_LOG_FORMAT": "xml"]])
    func otherLevelsAndFormatsAreRefused(variables: [String: String]) {
        var reader = SettingsReader(Environment(variables), of: .service(.gateway))
        _ = LogSettings(from: &reader)
        #expect(throws: SettingsError.self) { try reader.finish() }
    }

    @Test(arguments: ["", "a b", "a/b", String(repeating: "a", count: 129)])
    func invalidProjectIDIsRejected(text: String) {
        #expect(ProcessSettings.projectID(text) == nil)
    }
}
