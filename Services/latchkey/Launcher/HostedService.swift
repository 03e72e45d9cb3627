package import Contracts
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
    private let makeHost: @Sendable (_ service: HostedService) -> ServiceHost
    private let (stops, stop) = AsyncStream.makeStream(of: StopRequest.self)
    private let (joins, join) = AsyncStream.makeStream(of: Void.self)

    /// - Parameter makeHost: the part of this process that the service uses.
    init(
        _ process: MeshPlan.PlannedProcess, _ program: Program,
        in makeHost: @escaping @Sendable (_ service: HostedService) -> ServiceHost
    ) {
        self.process = process
        self.program = program
        self.makeHost = makeHost
    }

    /// What `ServiceHost` takes from it.
    var stopRequests: @Sendable () -> AsyncStream<StopRequest> { { [stops] in stops } }
    var joined: @Sendable () -> Void { { [join] in join.finish() } }

    /// Returns when the service has joined the bus, or the task is cancelled.
    func untilJoined() async {
        for await _ in joins {}
    }

    /// - Throws: `LauncherError`
    func run() async throws {
        let start = ProcessStart(name: process.instance)
        do {
            try await program.run(process.environment.changing([.startID: start.id]), in: makeHost(self))
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
