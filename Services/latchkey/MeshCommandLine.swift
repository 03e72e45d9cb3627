internal import Bus
internal import Glibc
internal import ServiceRuntime
internal import Settings
internal import Vocabulary

/// The command line of a command that sends requests to the running mesh over the bus. It does not open a database, so
/// the mesh may run on one machine or several.
struct MeshCommandLine: Sendable {
    /// All arguments that are not options.
    let words: [String]
    /// The values of the command's own options, by name without dashes.
    let values: [String: String]
    /// The value of `--project`.
    let givenProject: ProjectID?
    /// The value of `--project`, or of the settings.
    let project: ProjectID?
    /// Whether the mesh runs in dev mode according to the command line and the settings.
    let isDev: Bool
    private let namedBrokers: [String]
    private let data: String

    /// - Parameters:
    ///   - options: of the command itself, without dashes; each has a value.
    ///   - requiresProject: whether these words need a project outside dev mode.
    /// - Throws: `UsageError`, `SettingsError`.
    init(
        _ arguments: [String], _ environment: Environment, options: Set<String> = [],
        requiresProject: ([String]) -> Bool = { _ in false }
    ) throws {
        var words: [String] = []
        var values: [String: String] = [:]
        var changes: [Setting: String?] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let name = argument.hasPrefix("--") ? String(argument.dropFirst(2)) : nil
            switch name {
            case "dev": changes[.dev] = "1"
            case "project"?, "data"?: changes[name == "data" ? .data : .project] = try Self.value(of: argument, &rest)
            case let name? where options.contains(name): values[name] = try Self.value(of: argument, &rest)
            default:
                guard !argument.hasPrefix("-") else {
                    throw UsageError("There is no option \"\(LogEscaping.escaped(argument, maximumBytes: 100))\".")
                }
                words.append(argument)
            }
        }
        var reader = SettingsReader(environment.changing(changes), of: .latchkey)
        // Dev mode has its own project and data directory. They are also the default if the command line names no mesh.
        let namesNoMesh = [Setting.data, .brokers].allSatisfy { reader.optionalString($0) == nil }
        let isDev = reader.boolean(.dev) || namesNoMesh
        data = reader.string(.data, default: ProcessSettings.devDataDirectory, example: "/var/lib/latchkey")
        namedBrokers = reader.list(.brokers, default: [], example: "ipc:///run/latchkey/broker.1.sock")
        let project: ProjectID? = reader.value(
            .project, default: .some(nil), placeholder: nil, expects: "a project id", example: "my-project"
        ) { text in ProcessSettings.projectID(text).map(Optional.some) }
        if requiresProject(words), project == nil, !isDev {
            reader.addIssue(
                .project, "is not set", remedy: "Name a project with --project, for example --project my-project")
        }
        try reader.finish()
        self.words = words
        self.values = values
        givenProject = changes[.project] == nil ? nil : project
        self.project = project
        self.isDev = isDev
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw UsageError("\(option) requires a value.") }
        return value
    }

    /// The brokers in the settings; otherwise the sockets of the mesh that runs in the data directory.
    /// - Throws: `LauncherError` if no mesh runs there.
    func brokers() throws -> [String] {
        guard namedBrokers.isEmpty else { return namedBrokers }
        let run = data + "/run"
        let sockets = (1...64).map { number in "\(run)/broker.\(number).sock" }
            .filter { (path: String) in access(path, F_OK) == 0 }
        guard !sockets.isEmpty else {
            throw LauncherError.file(
                run, problem: "holds no socket of a broker, so no mesh runs there",
                remedy: "Start it with latchkey up, or let --data or LATCHKEY_BROKERS say where it is")
        }
        return sockets.map { "ipc://" + $0 }
    }

    /// Joins the bus while `body` runs.
    /// - Throws: the errors of `body` and of `BusConnection`.
    static func withMesh<Result: Sendable>(
        _ brokers: [String], _ body: (BusClient) async throws -> Result
    ) async throws -> Result {
        let bus = try BusConnection(
            BusSettings(brokers: brokers, command: "latchkey", instance: "latchkey.\(getpid())")
        ) { _ in }
        let running = Task { try await bus.run() }
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(BusClient(bus)))
        } catch {
            result = .failure(error)
        }
        await bus.beginShutdown()
        try await running.value
        return try result.get()
    }
}
