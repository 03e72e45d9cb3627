import Bus
import CommandLineArguments
import Contracts
import Glibc
import ServiceRuntime
import Settings
import Vocabulary

/// The arguments of a command that sends requests to the running mesh over the bus. Such a command does not open a
/// database, so the mesh may run on one machine or several.
struct MeshArguments: Sendable {
    /// The options that name the mesh.
    static let options: [CommandOption] = [.data, .dev, .environmentFile]
    /// The options that name the mesh and one of its projects.
    static let projectOptions: [CommandOption] = [.project] + options

    /// The value of `--project`.
    let givenProject: ProjectID?
    /// The value of `--project`, or of the settings; in dev mode, the project of dev mode if there is none. It is not
    /// nil if the initializer required a project.
    let project: ProjectID?
    let brokers: [String]
    /// Nil without keys.
    let keys: BusKeyFiles?
    /// Prints the result of the command.
    let output: CommandOutput

    /// - Parameters:
    ///   - arguments: of a command that declares `options` or `projectOptions`.
    ///   - requiresProject: whether a project is required outside dev mode.
    /// - Throws: `SettingsError`; `LauncherError` if no mesh runs in the data directory.
    init(_ arguments: ParsedArguments, _ environment: Environment, requiresProject: Bool = false) throws {
        let environment = MeshDescription.completing(environment)
        var reader = SettingsReader(environment, of: .latchkey)
        // Dev mode has its own project and data directory. They are also the default if the command line names no mesh.
        let namesNoMesh = [Setting.data, .brokers].allSatisfy { reader.optionalString($0) == nil }
        let isDev = reader.boolean(.dev) || namesNoMesh
        let data = reader.string(.data, default: ProcessSettings.devDataDirectory, example: "/var/lib/latchkey")
        let namedBrokers = reader.list(.brokers, default: [], example: "ipc:///run/latchkey/broker.1.sock")
        let project: ProjectID? = reader.value(
            .project, default: .some(nil), placeholder: nil, expects: "a project id", example: "my-project"
        ) { text in ProcessSettings.projectID(text).map(Optional.some) }
        if requiresProject, project == nil, !isDev {
            reader.addIssue(
                .project, "is not set", remedy: "Name a project with --project, for example --project my-project")
        }
        keys = BusKeyFiles(of: "latchkey", from: &reader)
        try reader.finish()
        output = CommandOutput(arguments)
        givenProject = arguments.declares(.project) && arguments.has(.project) ? project : nil
        self.project = project ?? (isDev ? ProcessSettings.devProject : nil)
        brokers = namedBrokers.isEmpty ? try LocalBrokers.named(try Self.brokers(in: data), by: keys) : namedBrokers
        try Self.checkPermission(brokers)
    }

    /// connect(2) needs the permission to write to a socket; without it the bus would wait in vain.
    private static func checkPermission(_ brokers: [String]) throws(LauncherError) {
        for broker in brokers {
            guard let start = broker.firstRange(of: "ipc://") else { continue }
            let path = String(broker[start.upperBound...])
            guard access(path, W_OK) == 0 || errno != EACCES else { throw .forbidden(path) }
        }
    }

    /// The sockets of the mesh that runs in a data directory.
    /// - Throws: `LauncherError` if no mesh runs there, or this user may not read the directory.
    private static func brokers(in data: String) throws(LauncherError) -> [String] {
        // An endpoint needs an absolute path.
        let run = absolutePath(data) + "/run"
        guard access(run, R_OK | X_OK) == 0 || errno != EACCES else { throw .forbidden(run) }
        let sockets = (1...64).map { number in "\(run)/broker.\(number).sock" }
            .filter { (path: String) in access(path, F_OK) == 0 }
        guard !sockets.isEmpty else {
            throw LauncherError.file(
                run, problem: "holds no socket of a broker, so no mesh runs there",
                remedy: "Start it with latchkey up, or let --data or LATCHKEY_BROKERS say where it is")
        }
        return sockets.map { "ipc://" + $0 }
    }

    /// The same path if it does not exist, for the message.
    private static func absolutePath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Joins the bus while `body` runs.
    /// - Throws: the errors of `body` and of `BusConnection`.
    func withBus<Result: Sendable>(_ body: (BusClient) async throws -> Result) async throws -> Result {
        try await Self.withBus(brokers, keys: keys, body)
    }

    /// Joins the bus of these brokers while `body` runs.
    /// - Throws: the errors of `body` and of `BusConnection`.
    static func withBus<Result: Sendable>(
        _ brokers: [String], keys: BusKeyFiles?, _ body: (BusClient) async throws -> Result
    ) async throws -> Result {
        try await withConnection(brokers, keys) { try await body(BusClient($0)) }
    }

    /// The same with the connection itself, for events.
    func withConnection<Result: Sendable>(_ body: (BusConnection) async throws -> Result) async throws -> Result {
        try await Self.withConnection(brokers, keys, body)
    }

    private static func withConnection<Result: Sendable>(
        _ brokers: [String], _ keys: BusKeyFiles?, _ body: (BusConnection) async throws -> Result
    ) async throws -> Result {
        let settings: BusSettings
        do throws(BusSettingsError) {
            settings = try BusSettings(
                brokers: brokers, command: "latchkey", instance: "latchkey.\(getpid())", keys: keys?.keys)
        } catch {
            throw SettingsError([.init(.brokers, error)])
        }
        let bus = try BusConnection(settings) { _ in }
        let running = Task { try await bus.run() }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(bus))
        } catch {
            result = .failure(error)
        }
        await bus.beginShutdown()
        try await running.value
        return try result.get()
    }
}

/// The brokers that `latchkey up` starts on this machine.
enum LocalBrokers {
    /// Their addresses, with keys each with the name that the key of this machine's broker has in the table.
    /// - Throws: `SettingsError` if that key cannot be used.
    static func named(_ endpoints: [String], by keys: BusKeyFiles?) throws(SettingsError) -> [String] {
        guard let keys, !endpoints.isEmpty else { return endpoints }
        do throws(BusKeyError) {
            let name = try keys.name(of: ServiceName.broker.rawValue)
            return endpoints.map { "\(name)@\($0)" }
        } catch {
            throw SettingsError([
                SettingsIssue(.busKeys, "cannot be used: \(error.problem)", remedy: error.remedy)
            ])
        }
    }
}
