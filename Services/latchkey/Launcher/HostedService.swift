import Bus
package import Contracts
import EventLoop
package import ServiceRuntime
import Settings

/// The programs of all services. The main file of the executable passes them, because this module does not know the services.
package struct ServicePrograms: Sendable {
    let program: @Sendable (ServiceName) -> Program

    package init(_ program: @escaping @Sendable (ServiceName) -> Program) {
        self.program = program
    }
}

/// A service that runs in the process of `latchkey up`.
final class HostedService: ProcessComponent {
    private let process: MeshPlan.PlannedProcess
    private let program: Program
    private let loop: EventLoop
    private let machine: any BusMachine
    private let processMetrics: [@Sendable () -> [ProcessReport.Metric]]?
    private let (stops, stop) = AsyncStream.makeStream(of: StopRequest.self)
    private let (joins, join) = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - loop: runs the service.
    ///   - machine: its connection to the broker.
    ///   - processMetrics: nil for all services but one, see `ServiceHost`.
    init(
        _ process: MeshPlan.PlannedProcess, _ program: Program, on loop: EventLoop, machine: any BusMachine,
        processMetrics: [@Sendable () -> [ProcessReport.Metric]]?
    ) {
        self.process = process
        self.program = program
        self.loop = loop
        self.machine = machine
        self.processMetrics = processMetrics
    }

    /// Returns when the service has joined the bus, or the task is cancelled.
    func untilJoined() async {
        for await _ in joins {}
    }

    /// - Throws: `LauncherError`
    func run() async throws {
        let start = ProcessStart(name: process.instance)
        let host = ServiceHost.shared(
            loop: loop, machine: machine, processMetrics: processMetrics, stopRequests: { [stops] in stops },
            joined: { [join] in join.finish() })
        do {
            try await program.run(process.environment.changing([.startID: start.id]), in: host)
        } catch is StartCancelledError {
            return
        } catch {
            let failure = ProgramFailure(error)
            let sentences = failure.messages.map { "\(process.service.rawValue): \($0)" }
            throw failure.exitCode == ExitCode.settings
                ? LauncherError.refused(instance: process.instance, sentences: sentences)
                : .serviceEnded(instance: process.instance, exitCode: failure.exitCode, sentences: sentences)
        }
    }

    func beginShutdown() async { stop.yield(.launcherStops) }
}
