import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Synchronization
import Vocabulary

/// `latchkey status`.
struct StatusCommand: Command {
    static let declaration = CommandDeclaration(
        "status", "print the processes, queues and outages of the running mesh",
        discussion: """
            The command waits for one report of every process, which takes three seconds. It exits with 1 if a component \
            cannot work, or if there is no broker, gateway or identity.
            """, options: [.json] + MeshArguments.options)

    /// Each process reports every two seconds.
    private static let reportTime = Duration.seconds(3)
    /// Reports of more processes than this are ignored.
    static let maximumProcesses = 256

    private let mesh: MeshArguments

    /// - Throws: `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment)
    }

    func run() async throws {
        let status = try await Self.status(of: mesh)
        try Self.show(status, on: mesh.output)
        guard !status.processes.isEmpty else { throw StatusError.noReport }
        guard status.missingServices.isEmpty, status.outages.isEmpty else { throw StatusError.degraded(status) }
    }

    /// The state of the mesh after the time in which every process reports.
    static func status(of mesh: MeshArguments) async throws -> MeshStatus {
        let reports = try await mesh.withConnection { bus in
            let received = ReceivedReports()
            let reports = bus.watchReports()
            let receiving = Task { for await report in reports { received.record(report) } }
            try await Task.sleep(for: reportTime)
            receiving.cancel()
            return received.all
        }
        return MeshStatus(reports, secondsSince1970: Double(WallClock.now().milliseconds) / 1000)
    }

    private static func show(_ status: MeshStatus, on output: CommandOutput) throws {
        guard !output.isJSON else { return try output.show(status, []) }
        var processes = output.list(
            OutputColumn<MeshStatus.Process>("PROCESS", \.instance), OutputColumn("VERSION") { $0.version ?? "-" },
            OutputColumn("PID") { $0.pid.map { "\($0)" } ?? "-" },
            OutputColumn("UPTIME") { Self.duration($0.uptimeSeconds) },
            OutputColumn("MEMORY") { $0.memoryBytes.map { "\($0 >> 20) MiB" } ?? "-" },
            OutputColumn("RUNNING") { $0.runningRequests.map { "\($0)" } ?? "-" })
        try processes.append(status.processes)
        if !status.queues.isEmpty { output.note("") }
        var queues = output.list(
            OutputColumn<MeshStatus.Queue>("SERVICE", \.service.rawValue), OutputColumn("WORKERS") { "\($0.workers)" },
            OutputColumn("QUEUED") { "\($0.queuedRequests)" }, OutputColumn("RUNNING") { "\($0.runningRequests)" })
        try queues.append(status.queues)
        if !status.messages.isEmpty { output.note("") }
        var messages = output.list(
            OutputColumn<MeshStatus.Messages>("MESSAGES", \.channel), OutputColumn("QUEUED") { "\($0.queued)" },
            OutputColumn("OLDEST") { Self.duration($0.oldestSeconds) })
        try messages.append(status.messages)
    }

    /// For example `3d 4h` or `12s`.
    static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m \(seconds % 60)s"
        case ..<86_400: "\(seconds / 3600)h \(seconds / 60 % 60)m"
        default: "\(seconds / 86_400)d \(seconds / 3600 % 24)h"
        }
    }
}

/// The last report of each process.
private final class ReceivedReports: Sendable {
    private let reports = Mutex<[String: ProcessReport]>([:])

    func record(_ report: ProcessReport) {
        reports.withLock { reports in
            guard reports.count < StatusCommand.maximumProcesses || reports[report.instance] != nil else { return }
            reports[report.instance] = report
        }
    }

    var all: [ProcessReport] { reports.withLock { Array($0.values) } }
}

/// Why `latchkey status` failed.
enum StatusError: ExitError, Equatable {
    case noReport
    case degraded(MeshStatus)

    var messages: [String] {
        switch self {
        case .noReport: ["No process has reported within three seconds. Is `latchkey up` running?"]
        case .degraded(let status):
            status.missingServices.map { "There is no process of \($0.rawValue)." }
                + status.outages.map { outage in
                    let place = TextTable.escaped("\(outage.instance): \(outage.component)")
                    return "\(place) cannot work for \(StatusCommand.duration(outage.seconds)): "
                        + "\(TextTable.escaped(outage.reason))."
                }
        }
    }
}
