import CommandLineArguments
import Contracts
import MasterKey
import ServiceRuntime
import Settings
import Testing
import Vocabulary

@testable import LatchkeyProgram

struct UpSettingsTests {
    private func changed(_ words: [String], _ environment: Environment) throws -> Environment {
        try ParsedArguments(words, of: UpCommand.declaration, over: environment).environment
    }

    private func settings(_ arguments: String..., over environment: [String: String] = [:]) throws -> UpSettings {
        try settings(arguments, over: environment)
    }

    private func settings(_ arguments: [String], over environment: [String: String] = [:]) throws -> UpSettings {
        try UpSettings(changed(arguments, Environment(environment)))
    }

    private func faults(_ arguments: String..., over environment: [String: String] = [:]) throws -> [String] {
        let changed = try changed(arguments, Environment(environment))
        let failure = #expect(throws: SettingsError.self) { try UpSettings(changed) }
        return failure?.issues.map(\.setting) ?? []
    }

    private static let publicURL = ["LATCHKEY_PUBLIC_URL": "https://auth.example.com"]

    @Test func devModeNeedsNoOptions() throws {
        let settings = try settings("--dev")
        #expect(settings.isDev)
        #expect(settings.dataDirectory == ".latchkey")
        #expect(settings.listen.description == "127.0.0.1:9099")
        #expect(settings.adminListen == nil)
        #expect(settings.project == ProjectID("demo-latchkey"))
        // The gateway contains the broker.
        let processes = ServiceName.allCases.filter { $0 != .broker }
        #expect(settings.processes == Dictionary(uniqueKeysWithValues: processes.map { ($0, 1) }))
    }

    @Test func productionNamesEveryMissingSetting() throws {
        #expect(try faults() == ["LATCHKEY_DATA", "LATCHKEY_PROJECT", "LATCHKEY_PUBLIC_URL"])
        // No other process needs the address of the public listener.
        #expect(try faults("--only", "notifier") == ["LATCHKEY_DATA", "LATCHKEY_PROJECT"])
    }

    @Test func productionHasItsOwnAdminAddress() throws {
        let settings = try settings("--data", "/d", "--project=p", over: Self.publicURL)
        #expect(settings.adminListen?.description == "127.0.0.1:9098")
    }

    @Test func publicListenerAloneHasNoAdminAddress() throws {
        let listener = { Self.publicURL.merging(["LATCHKEY_LISTENER": $0]) { $1 } }
        #expect(try settings("--data", "/d", "--project=p", over: listener("public")).adminListen == nil)
        #expect(try settings("--data", "/d", "--project=p", over: listener("both")).adminListen != nil)
        #expect(try faults("--data", "/d", "--project=p", over: listener("admin")) == ["LATCHKEY_LISTENER"])
        #expect(try faults("--dev", over: ["LATCHKEY_LISTENER": "public"]) == ["LATCHKEY_LISTENER"])
        #expect(try faults("--data", "/d", "--project=p", over: listener("all")) == ["LATCHKEY_LISTENER"])
    }

    @Test(arguments: ["--listen", "--admin-listen"])
    func devModeListensOnLoopbackOnly(option: String) throws {
        #expect(try faults("--dev", option, "0.0.0.0:9097").count == 1)
        #expect(throws: Never.self) { try settings("--dev", option, "[::1]:9099") }
    }

    @Test func adminListenerHasAnAddressOfItsOwn() throws {
        let production = try faults("--data", "/d", "--project=p", "--listen", "127.0.0.1:9098", over: Self.publicURL)
        #expect(production == ["LATCHKEY_ADMIN_LISTEN"])
        #expect(try faults("--dev", "--admin-listen", "127.0.0.1:9099") == ["LATCHKEY_ADMIN_LISTEN"])
        #expect(throws: Never.self) { try settings("--dev", "--listen", "[::1]:0", "--admin-listen", "[::1]:0") }
    }

    @Test func unsignedTokensRequireDevMode() throws {
        #expect(throws: Never.self) { try settings("--dev", "--emulator-tokens") }
        let faulty = try faults("--data", "/d", "--project", "p", "--emulator-tokens", over: Self.publicURL)
        #expect(faulty == ["LATCHKEY_EMULATOR_TOKENS"])
    }

    @Test func databaseURLsAreCheckedBeforeStart() throws {
        let urls = [
            "LATCHKEY_DATABASE_URL": "nonsense", "LATCHKEY_NOTIFIER_DATABASE_URL": "postgres://no-database",
            "LATCHKEY_IDENTITY_DATABASE_URL": "sqlite:",
        ]
        #expect(try Set(faults("--dev", over: urls)) == ["LATCHKEY_DATABASE_URL", "LATCHKEY_NOTIFIER_DATABASE_URL"])
        #expect(try settings("--dev", "--only", "gateway,identity", over: urls).isDev)
    }

    @Test func optionOverridesItsVariable() throws {
        let settings = try settings(
            "--dev", "--listen", "127.0.0.1:1", "--log-format", "json",
            over: ["LATCHKEY_LISTEN": "127.0.0.1:2", "LATCHKEY_PROJECT": "mine", "LATCHKEY_LOG_FORMAT": "text"])
        #expect(settings.listen.port == 1)
        #expect(settings.project == ProjectID("mine"))
        #expect(settings.log == LogSettings(level: .info, format: .json))
    }

    @Test(arguments: ["--seed", "--export-on-exit"]) func filesOfUsersAreForDevModeOnly(option: String) throws {
        let setting = option == "--seed" ? "LATCHKEY_SEED" : "LATCHKEY_EXPORT_ON_EXIT"
        #expect(throws: Never.self) { try settings("--dev", option, "users.jsonl") }
        #expect(try faults("--data", "/d", "--project", "p", option, "u.jsonl", over: Self.publicURL) == [setting])
        #expect(try faults("--dev", option, "users") == [setting])
        #expect(try faults("--dev", "--only", "identity", option, "users.json") == [setting])
    }

    @Test func scalesAreCombined() throws {
        let settings = try settings("--dev", "--scale", "broker=2", "--scale=notifier=4")
        #expect(settings.processes[.broker] == 2)
        #expect(settings.processes[.notifier] == 4)
        #expect(settings.processes[.identity] == 1)
    }

    @Test(arguments: [
        "broker", "broker=0", "broker=65", "broker=x", "nobody=1", "broker=1=2", "gateway=17", "broker=17",
    ])
    func invalidScaleIsNamed(scale: String) throws {
        #expect(try faults("--dev", "--scale", scale) == ["LATCHKEY_SCALE"])
    }

    @Test func gatewaysShareTheAddressAndContainABrokerEach() throws {
        #expect(try settings("--dev", "--scale", "gateway=16").ownBrokers == 16)
        #expect(try settings("--dev", "--scale", "gateway=20,broker=2").ownBrokers == 2)
    }

    /// The gateway contains the broker. A process is one if there is no gateway, or if it is asked for.
    @Test(arguments: [
        (["--only", "gateway,identity"], 0, 1), (["--only", "identity"], 1, 1), ([], 0, 1),
        (["--only", "gateway,identity,broker"], 1, 1), (["--scale", "broker=2"], 2, 2),
        (["--only", "gateway", "--scale", "broker=1"], 1, 1),
    ])
    func brokerRunsWhereThereIsNoGateway(words: [String], processes: Int, brokers: Int) throws {
        let settings = try settings(["--dev"] + words)
        #expect(settings.processes[.broker, default: 0] == processes)
        #expect(settings.ownBrokers == brokers)
    }

    @Test func namedBrokersAreTheOnlyOnes() throws {
        let named = ["LATCHKEY_BROKERS": "ipc:///b"]
        let settings = try settings("--dev", "--only", "gateway,broker", over: named)
        #expect(settings.processes == [.gateway: 1])
        #expect(settings.ownBrokers == 0)
        #expect(try faults("--dev", "--scale", "broker=2", over: named) == ["LATCHKEY_SCALE"])
    }

    @Test func oneProcessContainsItsBroker() throws {
        for words in [[], ["--only", "gateway,identity"], ["--only", "notifier"]] {
            let settings = try settings(["--dev", "--one-process"] + words)
            #expect(settings.isOneProcess && settings.processes[.broker] == nil)
            #expect(settings.ownBrokers == 1 && !settings.containsBroker)
        }
    }

    @Test(
        arguments: [
            (["--scale", "identity=2"], [:], ["LATCHKEY_SCALE"]),
            (["--scale", "broker=1,gateway=2"], [:], ["LATCHKEY_SCALE"]),
            (["--only", "broker,notifier"], [:], ["LATCHKEY_ONLY"]),
            ([], ["LATCHKEY_BROKERS": "ipc:///b"], ["LATCHKEY_BROKERS"]),
            (["--scale", "notifier=2"], ["LATCHKEY_BROKERS": "ipc:///b"], ["LATCHKEY_SCALE", "LATCHKEY_BROKERS"]),
        ] as [([String], [String: String], [String])])
    func oneProcessRefusesWhatItCannotFollow(
        words: [String], variables: [String: String], refused: [String]
    ) throws {
        let changed = try changed(["--dev", "--one-process"] + words, Environment(variables))
        let failure = #expect(throws: SettingsError.self) { try UpSettings(changed) }
        #expect(failure?.issues.map(\.setting) == refused)
    }

    @Test func unknownProcessIsRefused() throws {
        #expect(try faults("--dev", "--only", "identity,nobody") == ["LATCHKEY_ONLY"])
    }

    @Test(arguments: [["--bogus"], ["up"], ["--data"], ["--data", "--dev"], ["--dev=1"], ["--listen="], ["-x"]])
    func invalidCommandLineIsRefused(arguments: [String]) {
        #expect(throws: UsageError.self) { try changed(arguments, Environment([:])) }
    }
}

struct MeshPlanTests {
    private func plan(_ variables: [String: String] = [:], scale: String? = "broker=2") throws -> MeshPlan {
        var variables = variables
        variables["LATCHKEY_DEV"] = "1"
        variables["LATCHKEY_SCALE"] = scale
        let environment = Environment(variables)
        return MeshPlan(
            try UpSettings(environment), environment, dataDirectory: "/data", masterKeyFile: "/data/master.key",
            brokers: ["ipc:///data/run/broker.1.sock", "ipc:///data/run/broker.2.sock"])
    }

    private func variable(_ name: String, in variables: [String: String]) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try plan(variables).processes.compactMap { process in
                process.environment[name].map { (process.instance, $0) }
            })
    }

    @Test func everyProcessGetsBrokersAndEachBrokerItsEndpoint() throws {
        let brokers = try variable("LATCHKEY_BROKERS", in: [:])
        #expect(Set(brokers.values) == ["ipc:///data/run/broker.1.sock,ipc:///data/run/broker.2.sock"])
        #expect(
            try variable("LATCHKEY_BROKER_LISTEN", in: [:]) == [
                "broker.1": "ipc:///data/run/broker.1.sock", "broker.2": "ipc:///data/run/broker.2.sock",
            ])
    }

    /// The gateway closes first and stops last, because the services need its broker.
    @Test func gatewayContainsBrokerUnlessBrokersRun() throws {
        let endpoint = "ipc:///data/run/broker.1.sock"
        // What an operator has set for another process is not passed on.
        let plan = try plan(["LATCHKEY_BROKER_LISTEN": "ipc:///other"], scale: nil)
        let listening = plan.processes.filter { $0.environment["LATCHKEY_BROKER_LISTEN"] != nil }
        #expect(listening.map(\.instance) == ["gateway.1"])
        #expect(listening.first?.environment["LATCHKEY_BROKER_LISTEN"] == endpoint)
        let gateway = SupervisorState.Member("gateway.1", stopStage: 2, closesFirst: true)
        #expect(plan.members.first { $0.instance == "gateway.1" } == gateway)
        let separate = try self.plan().members.first { $0.instance == "gateway.1" }
        #expect(separate == .init("gateway.1", stopStage: 0))
    }

    /// The gateway starts last and stops first, and no process is told to contain a broker.
    @Test func servicesOfOneProcessStopAfterTheGateway() throws {
        let plan = try plan(["LATCHKEY_ONE_PROCESS": "1"], scale: nil)
        #expect(plan.inOrderOfStart.map(\.service) == ServiceName.allCases.filter(\.ownsData) + [.gateway])
        #expect(plan.processes.allSatisfy { $0.environment["LATCHKEY_BROKER_LISTEN"] == nil })
    }

    /// Two processes listen on one address only if both say so.
    @Test func severalGatewaysAreToldToShareTheirAddress() throws {
        let shared = { (scale: String?) in
            try plan(["LATCHKEY_SHARED_ADDRESS": "1"], scale: scale).processes
                .filter { $0.environment["LATCHKEY_SHARED_ADDRESS"] != nil }.map(\.instance)
        }
        #expect(try shared(nil) == [])
        let gateways = try plan(scale: "gateway=2")
        #expect(try shared("gateway=2") == ["gateway.1", "gateway.2"])
        let listening = gateways.processes.filter { $0.service == .gateway }.map {
            $0.environment["LATCHKEY_BROKER_LISTEN"]
        }
        #expect(listening == ["ipc:///data/run/broker.1.sock", "ipc:///data/run/broker.2.sock"])
    }

    @Test func onlyGatewayGetsListenAddress() throws {
        #expect(try variable("LATCHKEY_LISTEN", in: [:]) == ["gateway.1": "127.0.0.1:9099"])
    }

    @Test func processesWithLinksGetPublicURL() throws {
        #expect(
            try variable("LATCHKEY_PUBLIC_URL", in: [:]) == [
                "identity.1": "http://127.0.0.1:9099", "notifier.1": "http://127.0.0.1:9099",
            ])
        let named = try variable("LATCHKEY_PUBLIC_URL", in: ["LATCHKEY_PUBLIC_URL": "https://auth.example.com"])
        #expect(named.keys.sorted() == ["gateway.1", "identity.1", "notifier.1"])
        #expect(Set(named.values) == ["https://auth.example.com"])
    }

    /// Security rule SE3.
    @Test(arguments: [
        ("LATCHKEY_SMTP_FROM", ["notifier.1"]), ("LATCHKEY_NOTIFIER_CHANNELS", ["notifier.1"]),
        ("LATCHKEY_EMAIL_PER_PROJECT_PER_HOUR", ["notifier.1"]),
        ("LATCHKEY_TWILIO_AUTH_TOKEN", ["notifier.1"]), ("LATCHKEY_SMTP_URL", ["notifier.1"]),
        ("LATCHKEY_RECAPTCHA_SECRET", ["mfa-sms.1"]), ("LATCHKEY_SMS_CHALLENGE_BITS", ["mfa-sms.1"]),
        ("LATCHKEY_RECAPTCHA_SITE_KEY", ["gateway.1", "mfa-sms.1"]),
        ("LATCHKEY_SMS_WEBHOOK_SECRET", ["notifier.1"]), ("LATCHKEY_APNS_KEY_FILE", ["notifier.1"]),
        ("LATCHKEY_SMS_ORIGIN_DOMAIN", ["mfa-sms.1"]),
        ("LATCHKEY_SMS_BUDGET_PER_HOUR", ["mfa-sms.1"]),
        ("LATCHKEY_SMS_PRICES", ["mfa-sms.1", "notifier.1"]),
        ("LATCHKEY_VONAGE_API_SECRET", ["notifier.1"]), ("LATCHKEY_API_KEY", ["identity.1"]),
        ("LATCHKEY_MFA_SMS_DATABASE_URL", ["mfa-sms.1"]), ("LATCHKEY_IDENTITY_DATABASE_URL", ["identity.1"]),
        (
            "LATCHKEY_DATABASE_URL",
            ["federation.1", "identity.1", "mfa-sms.1", "mfa-totp.1", "notifier.1", "passkey.1"]
        ), ("AWS_SECRET_ACCESS_KEY", []), ("LATCHKEY_SCALE", []),
    ])
    func secretReachesOnlyItsReaders(name: String, owners: [String]) throws {
        let value = name.hasSuffix("_DATABASE_URL") ? "postgres://ada:s3cret@db/latchkey" : "s3cret"
        #expect(try variable(name, in: [name: value].filter { $0.key != "LATCHKEY_SCALE" }).keys.sorted() == owners)
    }

    @Test(arguments: ["LATCHKEY_MASTER_KEY", "LATCHKEY_MASTER_KEY_FILE"])
    func masterKeyReachesServicesWithData(name: String) throws {
        let variables = name == "LATCHKEY_MASTER_KEY" ? [name: MasterKey.random().text] : [:]
        #expect(
            try variable(name, in: variables).keys.sorted() == [
                "federation.1", "identity.1", "mfa-sms.1", "mfa-totp.1", "notifier.1", "passkey.1",
            ])
    }

    /// Every setting against every process, including secrets in files; names outside the catalogue reach none.
    @Test func processReceivesExactlyItsListedSettings() throws {
        let names = SettingsCatalogue.all.flatMap(\.names)
        let unknown = ["LATCHKEY_SMS_NEW_SECRET", "LATCHKEY_VECTORS", "LATCHKEY_URL"]
        let environment = Environment(Dictionary(uniqueKeysWithValues: (names + unknown).map { ($0, "s3cret") }))
        for service in ServiceName.allCases {
            let received = Set(ChildEnvironment.visible(to: service, of: environment).names)
            let listed = SettingsCatalogue.all.filter { $0.readers.contains(.service(service)) }
            #expect(received == Set(listed.flatMap(\.names)), "\(service)")
        }
    }

    @Test func commonSettingsReachEveryProcess() throws {
        #expect(try variable("LATCHKEY_LOG", in: ["LATCHKEY_LOG": "debug"]).count == 9)
        #expect(try variable("PATH", in: ["PATH": "/bin"]).count == 9)
    }
}
