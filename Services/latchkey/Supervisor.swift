internal import Contracts
internal import Glibc
package import ServiceRuntime

/// Owns the processes of the mesh and does what `SupervisorState` decides.
package final class Supervisor: RunningPart {
    private let plan: MeshPlan
    private let executables: [String: String]
    private let limits: SupervisorState.Limits
    private let log: Log
    private let announce: @Sendable (String) -> Void
    private let untilReady: (@Sendable () async throws -> Void)?
    private let inputs: AsyncStream<SupervisorState.Input>
    private let inbox: AsyncStream<SupervisorState.Input>.Continuation

    /// - Parameters:
    ///   - announce: takes text for standard output.
    ///   - untilReady: returns when the mesh answers; cancelled when it stops before. nil when there is no gateway to ask.
    package init(
        _ plan: MeshPlan, executables: ExecutableDirectory, limits: SupervisorState.Limits = .init(), log: Log,
        announce: @escaping @Sendable (String) -> Void, untilReady: (@Sendable () async throws -> Void)?
    ) throws(LauncherFailure) {
        self.plan = plan
        self.limits = limits
        self.log = log
        self.announce = announce
        self.untilReady = untilReady
        var files: [String: String] = [:]
        for process in plan.processes {
            files[process.instance] = try executables.executable(process.service.rawValue)
        }
        self.executables = files
        (inputs, inbox) = AsyncStream.makeStream()
    }

    package func beginShutdown() async {
        inbox.yield(.stop)
    }

    /// Runs the mesh until it is stopped.
    /// - Throws: `LauncherFailure` when it cannot go on.
    package func run() async throws {
        let lifeline = try Lifeline()
        var state = SupervisorState(plan.members, limits: limits)
        var children: [String: ChildProcess] = [:]
        var alarm: Task<Void, any Error>?
        inbox.yield(.start)
        let readiness = untilReady.map { untilReady in
            Task {
                try await untilReady()
                inbox.yield(.ready)
            }
        }
        defer {
            readiness?.cancel()
            alarm?.cancel()
        }

        let outputs = Dictionary(
            uniqueKeysWithValues: plan.processes.map { ($0.instance, ProcessOutput(instance: $0.instance, log: log)) })
        for await input in inputs {
            for action in state.receive(input, at: .now) {
                switch action {
                case .spawn(let instance):
                    children[instance] = spawn(instance, outputs[instance]!, lifeline: lifeline)  // One per process.
                case .reportDeath(let instance, let end, let pause):
                    log.warn(
                        "process.died",
                        ["process": .public(instance), "end": .public(end.description), "restartIn": .public(pause)])
                case .terminate(let instance):
                    children[instance]?.send(SIGTERM)
                case .kill(let instance):
                    log.warn("process.killed", ["process": .public(instance), "reason": "did not stop in time"])
                    children[instance]?.send(SIGKILL)
                case .finish(.stopped):
                    return
                case .finish(.refused(let instance)):
                    throw LauncherFailure.refused(
                        instance: instance, sentences: outputs[instance]?.lastWords ?? [])
                case .finish(.neverReady(let instance, let end)):
                    throw LauncherFailure.neverReady(
                        instance: instance, end: end.description, sentences: outputs[instance]?.lastWords ?? [])
                }
            }
            if input == .start { announce(table(of: children)) }
            alarm?.cancel()
            alarm = state.nextWakeUp.map { time in
                Task {
                    try await Task.sleep(until: time, clock: .continuous)
                    inbox.yield(.wake)
                }
            }
        }
    }

    /// Starts one process. A failure is told to the state as the end of the process.
    private func spawn(_ instance: String, _ output: ProcessOutput, lifeline: borrowing Lifeline) -> ChildProcess? {
        guard let process = plan.processes.first(where: { $0.instance == instance }),
            let executable = executables[instance]
        else { preconditionFailure("\(instance) is not in the plan") }
        do {
            let child = try ChildProcess(
                .init(executable: executable, environment: process.environment.entries), lifeline: lifeline)
            log.info("process.started", ["process": .public(instance), "pid": .public(child.pid)])
            child.watch(line: output.receive) { [inbox] end in inbox.yield(.ended(instance, end)) }
            return child
        } catch {
            inbox.yield(.ended(instance, .notStarted(error.reason)))
            return nil
        }
    }

    private func table(of children: [String: ChildProcess]) -> String {
        let rows = plan.processes.map { process in
            (process.instance, children[process.instance].map { String($0.pid) } ?? "-", process.listens)
        }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = [("process", "pid", "listens on")] + rows
        return lines.map { "  \(padded($0.0, width))  \(padded($0.1, 8))\($0.2)".trimmedAtEnd }.joined(separator: "\n")
    }
}

extension String {
    fileprivate var trimmedAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
