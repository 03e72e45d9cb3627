import CommandLineArguments
import Contracts
import ServiceRuntime
import Settings

/// `latchkey healthcheck`.
struct HealthcheckCommand: Command {
    private static let listen = CommandOption(
        "listen", value: "HOST:PORT", overrides: .listen,
        "public address of the mesh (default: that of the running mesh)")

    static let declaration = CommandDeclaration(
        "healthcheck", "say whether the mesh of this machine is ready: for containers and monitors",
        discussion: """
            It asks /readyz of the public listener. A mesh without a gateway has none, so the command waits three seconds \
            for a report of every kind of process that LATCHKEY_ONLY names. It exits with 1 and names what is missing if \
            the mesh is not ready.
            """, options: [listen] + MeshArguments.options)

    /// Who knows whether the mesh is ready.
    private enum Witness {
        case gateway(HostPort)
        case reports(Set<ServiceName>, MeshArguments)
    }

    private let witness: Witness
    private let output: CommandOutput

    /// - Throws: `SettingsError`; `LauncherError` if there is neither a gateway nor a broker to ask.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        let described = MeshDescription.completing(environment)
        var reader = SettingsReader(described, of: .latchkey)
        let kinds = UpSettings.only(from: &reader)
        let address = reader.hostPort(.listen, default: UpSettings.defaultListen)
        try reader.finish()
        witness =
            kinds.contains(.gateway) ? .gateway(address) : .reports(kinds, try MeshArguments(arguments, environment))
        output = CommandOutput(arguments)
    }

    func run() async throws {
        switch witness {
        case .gateway(let address):
            try Self.judge(await ReadinessProbe(of: address).answer(), of: address)
        case .reports(let kinds, let mesh):
            try Self.judge(await StatusCommand.status(of: mesh), expecting: kinds)
        }
        output.note("ready")
    }

    /// - Throws: `HealthcheckError` unless the gateway says that the mesh is ready.
    static func judge(_ answer: ReadinessProbe.Answer, of address: HostPort) throws(HealthcheckError) {
        switch answer {
        case .ready: return
        case .missing(let names): throw .missing(names)
        case .draining: throw .draining
        case .none: throw .noAnswer(address)
        }
    }

    /// - Throws: `HealthcheckError` unless every kind of process has reported, and none has an outage.
    static func judge(_ status: MeshStatus, expecting kinds: Set<ServiceName>) throws(HealthcheckError) {
        let missing = kinds.subtracting(status.processes.map(\.service)).map(\.rawValue)
        let impaired = status.outages.map { "\($0.instance): \($0.component)" }
        guard missing.isEmpty, impaired.isEmpty else { throw .missing(missing.sorted() + impaired) }
    }
}

/// Why a mesh is not ready.
enum HealthcheckError: ExitError, Equatable {
    case noAnswer(HostPort)
    /// Processes, and components of processes, that do not work.
    case missing([String])
    /// It stops.
    case draining

    var messages: [String] {
        switch self {
        case .noAnswer(let address):
            ["No gateway answers on \(address). Start the mesh with latchkey up, or name its address with --listen."]
        case .missing(let names):
            ["The mesh is not ready: \(TextTable.escaped(names.joined(separator: ", "))) cannot work yet."]
        case .draining: ["The mesh stops: it serves requests until its drain time has passed."]
        }
    }
}
