import CommandLineArguments
import Glibc
import ServiceRuntime
import Settings

/// `latchkey drain`.
struct DrainCommand: Command {
    static let declaration = CommandDeclaration(
        "drain", "stop the mesh of this machine so that a load balancer loses no request, and wait for its end",
        discussion: """
            /readyz says 503 at once. The listeners close after LATCHKEY_DRAIN_SECONDS of the running mesh, and the processes end \
            when they have served what arrived until then. A unit of systemd is not started again, because the mesh ends with \
            the exit code 0. The command can be repeated.
            """, options: [.data, .environmentFile])

    /// What a mesh may take beyond its drain time: `MeshLauncher` gives up after a minute at most.
    private static let longestStop = Duration.seconds(65)
    private static let interval = Duration.milliseconds(100)

    private let dataDirectory: String
    private let drainSeconds: Int
    private let output: CommandOutput

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws(SettingsError) {
        var reader = SettingsReader(MeshDescription.completing(environment), of: .latchkey)
        dataDirectory = reader.string(.data, default: ProcessSettings.devDataDirectory, example: "/var/lib/latchkey")
        drainSeconds = reader.integer(.drainSeconds, default: 0)
        try reader.finish()
        output = CommandOutput(arguments)
    }

    func run() async throws {
        let path = try DataDirectory.existing(dataDirectory)
        // It is not SIGTERM, because a second one ends a process at once.
        guard let launcher = DataDirectory.launcher(of: path), kill(launcher, SIGUSR1) == 0 else {
            throw DrainError.noMesh(path)
        }
        output.note("draining: the listeners close in \(drainSeconds) s")
        let end = ContinuousClock.now + .seconds(drainSeconds) + Self.longestStop
        while DataDirectory.launcher(of: path) == launcher {
            guard .now < end else { throw DrainError.stillRuns(launcher) }
            try await Task.sleep(for: Self.interval)
        }
        output.note("stopped")
    }
}

/// Why a mesh was not drained.
enum DrainError: ExitError, Equatable {
    case noMesh(String)
    /// The process of the launcher.
    case stillRuns(pid_t)

    var messages: [String] {
        switch self {
        case .noMesh(let path):
            ["No mesh of latchkey up runs on \(path) in view of this user. Name its data directory with --data."]
        case .stillRuns(let launcher):
            ["The mesh still runs, as process \(launcher). Its log says what has not ended."]
        }
    }
}
