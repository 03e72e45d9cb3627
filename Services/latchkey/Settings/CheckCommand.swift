import Bus
import CommandLineArguments
import Contracts
import Glibc
import MasterKey
import ServiceRuntime
import Settings

/// `latchkey check`: finds errors in the settings of `latchkey up` without starting the mesh. It accepts the same options.
struct CheckCommand: SchemaCommand {
    private static let against = CommandOption(
        "against", value: "URL",
        "database to compare with this release, as LATCHKEY_DATABASE_URL; `settings`: those of the settings")

    static let declaration = CommandDeclaration(
        "check", "check the settings of `up`, and show which process receives which",
        discussion: """
            The command takes the options of `up` and starts no mesh. Every process of the mesh reads its settings, as at \
            its start, and refuses what is wrong: names, values, and the files that they name. The command connects with \
            nothing: `latchkey doctor` does. It warns of settings that look like an example.

            --against is for an upgrade: this release connects with the database and says what its first start would do \
            to the schema of each service, and changes nothing. The exit code is 65 if it would refuse the database, and 1 \
            if it would wait for processes of an earlier release.
            """, options: [against, .json] + UpCommand.options)

    /// A setting that is set. No value is shown.
    struct Row: Encodable, Equatable {
        var setting: String
        /// Those that receive it.
        var processes: [String]

        var sentence: String {
            "\(setting): \(processes.isEmpty ? "no process of this mesh reads it" : processes.joined(separator: ", "))"
        }
    }

    /// The environment of the operator.
    private let environment: Environment
    private let settings: UpSettings
    /// The databases of `--against`; nil without it.
    private let databases: DatabaseSettings?
    private let output: CommandOutput

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ resolved: Environment) throws(SettingsError) {
        environment = arguments.environment
        output = CommandOutput(arguments)
        settings = try UpSettings(resolved)
        databases = try arguments.value(Self.against).map { url throws(SettingsError) in
            try DatabaseSettings(Self.environment(resolved, against: url))
        }
    }

    /// The same with one database for all services.
    private static func environment(_ resolved: Environment, against url: String) -> Environment {
        guard url != "settings" else { return resolved }
        var changes: [Setting: String?] = [.databaseURL: url]
        for service in ServiceName.allCases where service.ownsData {
            changes.updateValue(nil, forKey: .databaseURL(of: service))
        }
        return resolved.changing(changes)
    }

    func run(knowing schemas: ServiceSchemas) async throws {
        if let databases {
            let forecasts = try await SchemaInspection(databases.stores, schemas).forecasts()
            for forecast in forecasts where forecast.outcome.isAccepted || output.isJSON {
                try output.show(forecast, forecast.sentence)
            }
            guard forecasts.allSatisfy(\.outcome.isAccepted) else { throw SchemaCommandError.notServed(forecasts) }
            return
        }
        try await checkSettings()
    }

    private func checkSettings() async throws {
        let (plan, key) = try plan()
        // The first start creates a missing file.
        if case .file(let path) = key, access(path, F_OK) != 0 {} else { _ = try ReloadingMasterKeyRing(key) }
        let refusals = try await ProcessSettingsCheck().refusals(in: plan)
        guard refusals.isEmpty else { throw RefusedSettingsError(refusals: refusals) }
        output.note(authority)
        for row in report() { try output.show(row, row.sentence) }
        for warning in PlaceholderSettings.warnings(about: environment) { output.note("warning: \(warning)") }
    }

    /// What joins the bus, and what it may do there.
    private var authority: String {
        guard let keys = settings.busKeys else {
            return "the bus has no keys (LATCHKEY_BUS_KEYS): every process of this user may send every request, also "
                + "administration, and only this machine belongs to the mesh"
        }
        return
            "the bus has keys: \(keys.keys.table.count) peers of \(BusKeyFiles.tablePath(in: keys.directory)) may join, "
            + "each for what its line permits"
    }

    /// The processes that `up` would start, with their environments. Nothing of it needs to exist.
    private func plan() throws(SettingsError) -> (plan: MeshPlan, masterKey: MasterKeySource) {
        let data = absolutePath(settings.dataDirectory)
        let key = settings.masterKey.place(dataDirectory: data)
        var masterKeyFile: String?
        if case .file(let path) = key { masterKeyFile = path }
        var planned = settings
        // The kernel would choose a port.
        if planned.listen.port == 0 { planned.listen.port = 9099 }
        if planned.adminListen?.port == 0 { planned.adminListen?.port = 9098 }
        let run = SocketDirectory.fits(data + "/run") ? data + "/run" : "/tmp"
        let brokers = (0..<settings.ownBrokers).map { "ipc://\(run)/broker.\($0 + 1).sock" }
        let allBrokers = settings.externalBrokers + (try LocalBrokers.named(brokers, by: settings.busKeys))
        return (
            MeshPlan(
                planned, environment, dataDirectory: data, masterKeyFile: masterKeyFile, brokers: brokers,
                allBrokers: allBrokers), key
        )
    }

    private func absolutePath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }

    /// Each setting that is set, in the order of the catalog.
    func report() -> [Row] {
        let services = ServiceName.allCases.filter { settings.processes[$0] != nil }
        let names = SettingsCatalogue.all.flatMap(\.names)
        return names.filter { environment[$0] != nil }.map { name in
            let readers = services.filter { SettingsCatalogue.isVisible(name, to: .service($0)) }.map(\.rawValue)
            let isOwn = SettingsCatalogue.isVisible(name, to: .latchkey)
            return Row(setting: name, processes: (isOwn ? ["latchkey"] : []) + readers)
        }
    }
}
