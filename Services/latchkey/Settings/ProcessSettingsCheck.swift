import Contracts
import Glibc
import ServiceRuntime
import Settings

/// Asks the processes of a mesh whether they accept their settings: each runs its own parser (`--check`) in the
/// environment in which it would start, and nothing else.
struct ProcessSettingsCheck: Sendable {
    /// A sentence of the processes that refuse a setting.
    struct Refusal: Equatable, Sendable {
        var services: [ServiceName]
        var sentence: String
    }

    /// What to execute for a process.
    var executable: @Sendable (ServiceName) -> ProcessExecutable = ProcessExecutable.running
    /// After this time a process is killed: it waits, for example for a file that is a pipe.
    var timeLimit = Duration.seconds(30)

    /// Lines that are kept of one process.
    private static let maximumLines = 200

    /// The refusals of all processes, in the order of the plan. The processes of one service read the same settings, so one
    /// of them is asked.
    /// - Throws: `ProcessStartError` if the kernel has no pipe.
    func refusals(in plan: MeshPlan) async throws -> [Refusal] {
        let lifeline = try Lifeline()
        var asked: Set<ServiceName> = []
        var refusals: [Refusal] = []
        for process in plan.processes where asked.insert(process.service).inserted {
            for sentence in await sentences(of: process, lifeline: lifeline) {
                if let place = refusals.firstIndex(where: { $0.sentence == sentence }) {
                    refusals[place].services.append(process.service)
                } else {
                    refusals.append(Refusal(services: [process.service], sentence: sentence))
                }
            }
        }
        return refusals
    }

    private enum Output: Sendable {
        case line(String)
        case end(ProcessExit)
    }

    /// The sentences with which a process refuses its settings; empty if it accepts them.
    private func sentences(of process: MeshPlan.PlannedProcess, lifeline: borrowing Lifeline) async -> [String] {
        let child: ChildProcess
        do {
            child = try ChildProcess(
                .init(
                    executable: executable(process.service), arguments: [Program.checkArgument],
                    // As `up` starts it, so that it answers in sentences.
                    environment: process.environment
                        .changing([.startID: ProcessStart(name: process.instance).id]).entries), lifeline: lifeline)
        } catch {
            return [Self.unchecked(.notStarted(error.reason))]
        }
        let (outputs, inbox) = AsyncStream.makeStream(of: Output.self)
        child.watch(line: { inbox.yield(.line($0)) }, end: { inbox.yield(.end($0)) })
        let alarm = Task { [timeLimit] in
            try await Task.sleep(for: timeLimit)
            child.send(SIGKILL)
        }
        defer { alarm.cancel() }
        // Its messages begin with its name.
        let start = process.service.rawValue + ": "
        var sentences: [String] = []
        for await output in outputs {
            switch output {
            case .line(let line):
                guard sentences.count < Self.maximumLines else { continue }
                sentences.append(line.hasPrefix(start) ? String(line.dropFirst(start.count)) : line)
            case .end(.code(ExitCode.success)): return []
            case .end(.code(ExitCode.settings)): return sentences
            case .end(let end): return [Self.unchecked(end)] + sentences
            }
        }
        preconditionFailure("a watched process ends")
    }

    private static func unchecked(_ end: ProcessExit) -> String { "The settings could not be checked: \(end)." }
}

/// The processes of the mesh refuse their settings.
struct RefusedSettingsError: ExitError, Equatable {
    let refusals: [ProcessSettingsCheck.Refusal]

    var exitCode: Int32 { ExitCode.settings }
    var messages: [String] {
        refusals.map { refusal in
            let names = refusal.services.map(\.rawValue).joined(separator: ", ")
            return "\(names): \(LogEscaping.escaped(refusal.sentence, maximumBytes: 1000, betweenQuotes: false))"
        }
    }
}
