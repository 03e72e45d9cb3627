import Blocking
package import Bus
package import Contracts
import Glibc
package import ServiceRuntime
import Settings
import Synchronization

/// Owns the processes of the mesh and performs what `SupervisorState` decides.
package final class Supervisor: ProcessComponent {
    private let plan: MeshPlan
    private let executable: @Sendable (ServiceName) -> ProcessExecutable
    private let limits: SupervisorState.Limits
    private let log: Log
    private let printLine: @Sendable (String) -> Void
    private let untilReady: @Sendable () async throws -> Void
    private let whenReady: @Sendable () -> Void
    private let reportEnd: @Sendable (BusMessage.Ended) -> Void
    private let publish: @Sendable (ProcessReport) -> Void
    /// The starts that have not ended.
    private let starts = Mutex<[String: ProcessStart]>([:])
    private let inputs: AsyncStream<SupervisorState.Input>
    private let inbox: AsyncStream<SupervisorState.Input>.Continuation

    /// - Parameters:
    ///   - executable: what to execute for a process.
    ///   - printLine: receives text for standard output.
    ///   - reportEnd: reports to the brokers how a process ended.
    ///   - publish: publishes to the mesh which processes do not work.
    ///   - untilReady: returns when the gateway says that the mesh is ready; cancelled if it stops before.
    ///   - whenReady: called once, when the mesh is ready and every process has joined the bus.
    package init(
        _ plan: MeshPlan, executable: @escaping @Sendable (ServiceName) -> ProcessExecutable,
        limits: SupervisorState.Limits = .init(), log: Log,
        printLine: @escaping @Sendable (String) -> Void, untilReady: @escaping @Sendable () async throws -> Void,
        whenReady: @escaping @Sendable () -> Void = {},
        reportEnd: @escaping @Sendable (BusMessage.Ended) -> Void = { _ in },
        publish: @escaping @Sendable (ProcessReport) -> Void = { _ in }
    ) {
        self.plan = plan
        self.executable = executable
        self.limits = limits
        self.log = log
        self.printLine = printLine
        self.untilReady = untilReady
        self.whenReady = whenReady
        self.reportEnd = reportEnd
        self.publish = publish
        (inputs, inbox) = AsyncStream.makeStream()
    }

    package func beginShutdown() async {
        inbox.yield(.stop)
    }

    /// Asks every process to read files again, as `latchkey up` itself was asked.
    package func reload() {
        inbox.yield(.reload)
    }

    /// Runs the mesh until it is stopped.
    /// - Throws: `LauncherError` if it cannot continue.
    package func run() async throws {
        let lifeline = try Lifeline()
        var state = SupervisorState(plan.members, limits: limits)
        var children: [String: ChildProcess] = [:]
        var alarm: Task<Void, any Error>?
        inbox.yield(.start)
        let readiness = Task {
            try await untilReady()
            inbox.yield(.ready)
        }
        defer {
            readiness.cancel()
            alarm?.cancel()
        }

        let outputs = Dictionary(
            uniqueKeysWithValues: plan.processes.map { process in
                let instance = process.instance
                // Reported at once, because a process that writes a backtrace needs time to end.
                let crash: @Sendable (RequestMark) -> Void = { [self] in report(.crashed, of: instance, over: $0) }
                return (
                    instance,
                    ProcessOutput(
                        instance: instance, log: log, crash: crash,
                        joined: { [inbox] in inbox.yield(.joined(instance)) },
                        closed: { [inbox] in inbox.yield(.closed(instance)) })
                )
            })
        for await input in inputs {
            if case .exited(let instance, let end) = input {
                report(end.isCrash ? .crashed : .stopped, of: instance)
                starts.withLock { $0[instance] = nil }
            }
            for action in state.receive(input, at: .now) {
                switch action {
                case .spawn(let instance):
                    let start = ProcessStart(name: instance)
                    starts.withLock { $0[instance] = start }
                    children[instance] = spawn(start, outputs[instance]!, lifeline: lifeline)  // One per process.
                case .reportExit(let instance, let end, let pause):
                    log.warn(
                        .processExited,
                        [
                            "process": .public(instance), "exit": .public(end.description),
                            "restartInMilliseconds": .public(pause),
                        ])
                case .reportUnusable(let instance, let end, let pause):
                    log.error(
                        .processUnusable,
                        [
                            "process": .public(instance), "exit": .public(end.description),
                            "restartInMilliseconds": .public(pause),
                            "reason": .public(outputs[instance]?.lastOutputLines.joined(separator: " ") ?? ""),
                        ])
                case .announceReady:
                    whenReady()
                case .reload(let instance):
                    children[instance]?.send(SIGHUP)
                case .close(let instance):
                    children[instance]?.send(SIGUSR1)
                case .terminate(let instance):
                    children[instance]?.send(SIGTERM)
                case .kill(let instance):
                    log.warn(.processKilled, ["process": .public(instance), "reason": "did not stop in time"])
                    children[instance]?.send(SIGKILL)
                case .finish(.stopped):
                    return
                case .finish(.refused(let instance)):
                    throw LauncherError.refused(
                        instance: instance, sentences: outputs[instance]?.lastOutputLines ?? [])
                case .finish(.neverReady(let instance, let end)):
                    throw LauncherError.neverReady(
                        instance: instance, end: end.description, sentences: outputs[instance]?.lastOutputLines ?? [])
                }
            }
            if input == .start { printLine(plan.table { children[$0.instance]?.pid }) }
            let outages = state.outages(at: .now)
            for outage in outages { publish(report(outage)) }
            alarm?.cancel()
            // Repeated while the outage lasts, because reports expire in the gateway.
            let repetition = outages.isEmpty ? nil : ContinuousClock.now + Self.outageInterval
            alarm = [state.nextWakeUp, repetition].compactMap(\.self).min().map { time in
                Task {
                    try await Task.sleep(until: time, clock: .continuous)
                    inbox.yield(.wake)
                }
            }
        }
    }

    /// Starts one process. A failure is passed to the state as the end of the process.
    private func spawn(_ start: ProcessStart, _ output: ProcessOutput, lifeline: borrowing Lifeline) -> ChildProcess? {
        let instance = start.name
        guard let process = plan.processes.first(where: { $0.instance == instance })
        else { preconditionFailure("\(instance) is not in the plan") }
        do {
            let child = try ChildProcess(
                .init(
                    executable: executable(process.service),
                    environment: process.environment.changing([.startID: start.id]).entries),
                lifeline: lifeline)
            log.reportStart(of: process, pid: child.pid)
            child.watch(line: output.receive) { [inbox] end in inbox.yield(.exited(instance, end)) }
            return child
        } catch {
            inbox.yield(.exited(instance, .notStarted(error.reason)))
            return nil
        }
    }

    private static let outageInterval = Duration.seconds(5)

    /// The report on behalf of a process that does not work.
    private func report(_ outage: SupervisorState.Outage) -> ProcessReport {
        let service = plan.processes.first { $0.instance == outage.instance }?.service ?? .broker
        let seconds = Double(outage.since.duration(to: .now).components.seconds)
        return ProcessReport(
            service: service, instance: outage.instance,
            metrics: [
                .init(
                    name: ProcessReport.Metric.outageName, kind: .gauge,
                    labels: ["component": "process", "reason": outage.end.problem], value: seconds)
            ])
    }

    /// Reports to the brokers how a process ended. They give the requests of a killed process to another worker, but
    /// not the request over which a process crashed.
    private func report(_ cause: BusMessage.Ended.Cause, of instance: String, over mark: RequestMark? = nil) {
        guard let process = plan.processes.first(where: { $0.instance == instance }),
            let name = starts.withLock({ $0[instance] }).flatMap({ BusName($0.busInstance) })
        else { return }
        reportEnd(
            .init(
                service: BusName(process.service), instance: name, cause: cause,
                payload: mark.map { PayloadDigest(high: $0.high, low: $0.low) }))
    }

}
