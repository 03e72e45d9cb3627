import Bus
import CommandLineArguments
import Contracts
import MasterKey
import ServiceRuntime
import Settings
import Storage
import Vocabulary

/// `latchkey doctor`.
struct DoctorCommand: Command {
    static let declaration = CommandDeclaration(
        "doctor", "check the machine, the files and the servers that the mesh needs, and name remedies",
        discussion: """
            The command takes the settings of `up`. It reads, connects and compares; it changes nothing and sends no \
            message. Each line is ok, warning, error or skipped. It exits with 1 if there is an error. Give it the files \
            of the units with --env-file, and run it as the user of the mesh:

              runuser -u latchkey -- latchkey doctor --env-file /etc/latchkey/latchkey.env
            """, options: [.json, .project] + MeshArguments.options)

    private let settings: UpSettings
    private let stores: [StorageSettings]
    private let arguments: ParsedArguments
    private let resolved: Environment
    private let output: CommandOutput

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ resolved: Environment) throws {
        settings = try UpSettings(resolved)
        var reader = SettingsReader(resolved, of: .latchkey)
        stores = ServiceName.allCases.filter { $0.ownsData }.map { [directory = settings.dataDirectory] service in
            StorageSettings(
                service, from: &reader, dataDirectory: DataDirectory.place(of: service, in: directory))
        }
        try reader.finish()
        self.arguments = arguments
        self.resolved = resolved
        output = CommandOutput(arguments)
    }

    func run() async throws {
        var errors = 0
        func show(_ findings: [Finding]) throws {
            errors += findings.count { $0.result == .error }
            for finding in findings {
                let remedy = finding.remedy.map { " " + $0 } ?? ""
                let result = finding.result.rawValue
                let padding = String(repeating: " ", count: max(1, 9 - result.count))
                try output.show(finding, "\(result)\(padding)\(finding.check): \(finding.text)\(remedy)")
            }
        }
        let directory = settings.dataDirectory
        try show(
            PlaceholderSettings.warnings(about: arguments.environment).map { warning in
                Finding("setting \(warning.setting)", .warning, "It \(warning.problem).", remedy: warning.remedy + ".")
            })
        let access = FileChecks.dataDirectory(directory)
        try show([access])
        try show(FileChecks.secrets(masterKeyFile: masterKeyFile, environmentFiles: environmentFiles))
        try show([FileChecks.freeSpace(directory)])
        var clocks: [ClockSample] = []
        if access.result == .error {
            try show([Finding("databases", .skipped, "The data directory is not usable.")])
        } else {
            let (findings, samples) = await DatabaseChecks.findings(about: stores, settings.processes)
            try show(findings)
            clocks += samples
        }
        try show(await EmailCheck.findings(arguments.environment, isDev: settings.isDev))
        let servers = ServerChecks()
        try show(await servers.deliveryServers(arguments.environment, isDev: settings.isDev))
        try show(await meshFindings(servers))
        try show([ClockSample.finding(about: clocks + servers.clocks)])
        guard errors == 0 else { throw DoctorError(errors: errors) }
    }

    private var masterKeyFile: String? {
        switch settings.masterKey.place(dataDirectory: settings.dataDirectory) {
        case .file(let path): path
        case .variable: nil
        }
    }

    private var environmentFiles: [String] { arguments.values(.environmentFile) }

    /// The processes, and the identity providers of the project.
    private func meshFindings(_ servers: ServerChecks) async -> [Finding] {
        let mesh: MeshArguments
        do {
            mesh = try MeshArguments(arguments, resolved)
        } catch {
            let reason = (error as? any ExitError)?.messages.joined(separator: " ") ?? "\(error)"
            return [Finding("mesh", .warning, "It is not reachable. \(reason)")]
        }
        do {
            let status = try await StatusCommand.status(of: mesh)
            guard !status.processes.isEmpty else {
                return [Finding("mesh", .error, "No process has reported.", remedy: "Start it with latchkey up.")]
            }
            let problems = StatusError.degraded(status).messages.map { Finding("mesh", .error, $0) }
            let running = Finding("mesh", .ok, "\(status.processes.count) processes report.")
            guard let project = mesh.project, status.processes.contains(where: { $0.service == .federation }) else {
                return problems + [running]
            }
            return problems + [running] + (try await servers.identityProviders(of: project, mesh))
        } catch {
            return [Finding("mesh", .error, "A request failed: \(error).", remedy: "Run `latchkey status`.")]
        }
    }
}
