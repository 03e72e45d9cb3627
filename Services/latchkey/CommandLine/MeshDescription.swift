import CommandLineArguments
import Contracts
import FoundationEssentials
import Glibc
import ServiceRuntime
import Settings
import Vocabulary

/// What `latchkey up` leaves beside the sockets of its mesh, in the syntax of `--env-file`: its mode, its project, the
/// kinds of its processes and its addresses. So a command needs only the data directory.
enum MeshDescription {
    /// In the directory of the sockets.
    private static let fileName = "mesh.env"
    /// None of them is a secret.
    private static let settings: [Setting] = [
        .dev, .project, .only, .listen, .adminListen, .publicURL, .adminURL, .drainSeconds,
    ]

    /// Writes the description of a mesh that starts.
    /// - Parameters:
    ///   - settings: with the addresses on which it listens.
    ///   - environment: of the operator.
    ///   - directory: of the sockets.
    static func write(_ settings: UpSettings, _ environment: Environment, in directory: String) throws {
        let hasGateway = settings.processes[.gateway] != nil
        let own: [Setting: String?] = [
            .dev: settings.isDev ? "1" : nil, .project: settings.project?.rawValue,
            .listen: hasGateway ? settings.listen.description : nil,
            .adminListen: hasGateway ? settings.adminListen?.description : nil,
        ]
        let described = environment.changing(own)
        let lines = Self.settings.compactMap { setting in described[setting].map { "\(setting.name)='\($0)'\n" } }
        try Data(lines.joined().utf8).write(to: URL(filePath: "\(directory)/\(fileName)"), options: .atomic)
    }

    /// Removes the description of a mesh that has ended. One that was killed leaves it, beside sockets that nobody serves.
    static func remove(from directory: String) { unlink("\(directory)/\(fileName)") }

    /// The same environment, completed by the description of the mesh in its data directory. A setting that it has wins.
    /// Nothing is added for a mesh that `LATCHKEY_BROKERS` names, and for a directory without a description.
    static func completing(_ environment: Environment) -> Environment {
        guard environment[.brokers] == nil else { return environment }
        let data = environment[.data] ?? ProcessSettings.devDataDirectory
        // `try?`: an earlier version has left none.
        guard let file = try? EnvironmentFile(path: "\(data)/run/\(fileName)") else { return environment }
        var changes: [Setting: String?] = [:]
        for setting in settings where environment[setting] == nil {
            if let value = file.variables[setting.name] { changes[setting] = value }
        }
        return environment.changing(changes)
    }
}
