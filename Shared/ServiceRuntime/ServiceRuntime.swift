package import EventLoop
package import Tracing

/// Runs the components of one process until a stop is requested or one of them fails.
package struct ServiceRuntime: Sendable {
    package let log: Log
    package let metrics: Metrics
    /// The spans of this process; nil if it records no traces.
    package private(set) var spans: SpanRecorder?
    private var grace: Duration
    private let stops: StopRequestDispatcher
    private let manager: SystemdUnit?
    private let closed: @Sendable () -> Void
    /// Runs the components. Nil for Swift's pool.
    private var loop: EventLoop?
    /// Runs the reports to the service manager; nil for the loop of the components.
    private var reportingLoop: EventLoop?
    /// Run before those that are passed to `run`, and stopped after them.
    private var added: [any ProcessComponent] = []

    /// - Parameters:
    ///   - grace: how long the components may finish their work after a stop is requested.
    ///   - stopRequests: the requests to stop.
    ///   - manager: learns that the process works, and that it stops.
    ///   - closed: called when only the components that serve others still run.
    package init(
        log: Log, metrics: Metrics = Metrics(), grace: Duration = .seconds(5),
        stopRequests: @escaping @Sendable () -> AsyncStream<StopRequest> = ProcessSignals.stopRequests,
        manager: SystemdUnit? = .ofProcess, closed: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log
        self.metrics = metrics
        self.grace = grace
        stops = StopRequestDispatcher(stopRequests)
        self.manager = manager
        self.closed = closed
    }

    /// The runtime of a service.
    package init(_ settings: ProcessSettings, in host: ServiceHost) {
        self.init(
            log: Log(instance: settings.instance, settings: settings.log), stopRequests: host.stopRequests,
            manager: host.manager, closed: host.closed)
        loop = host.loop
        for read in host.processMetrics ?? [] { metrics.addCollector(read) }
        if let keys = settings.busKeys { added = [PeerTableWatch(keys, log: log)] }
        guard let traces = settings.traces else { return }
        let spans = SpanRecorder(sampledPercent: traces.sampledPercent)
        let exporter = TraceExporter(spans, of: settings, to: traces, log: log)
        metrics.addCollector { exporter.metrics }
        self.spans = spans
        added.append(exporter)
    }

    /// The same runtime, which runs the components on this loop. So their periodic work shares the wake-ups of the loop,
    /// and their short reads of a database need no other thread.
    package func on(_ loop: EventLoop) -> Self {
        var runtime = self
        runtime.loop = loop
        return runtime
    }

    /// The same runtime, whose reports to the service manager end when this loop cannot go on.
    package func reporting(from loop: EventLoop) -> Self {
        var runtime = self
        runtime.reportingLoop = loop
        return runtime
    }

    /// The same runtime, which runs these components too.
    package func adding(_ components: [any ProcessComponent]) -> Self {
        var runtime = self
        runtime.added += components
        return runtime
    }

    /// The same runtime, whose components have this much longer to end after a stop is requested.
    package func allowing(_ time: Duration) -> Self {
        var runtime = self
        runtime.grace += time
        return runtime
    }

    /// Runs work that must precede the components and may take long, such as waiting for a database server. A request
    /// to stop cancels it.
    /// - Throws: the error of `body`, or `StartCancelledError`.
    package func start<Made: Sendable>(_ body: @Sendable @escaping () async throws -> Made) async throws -> Made {
        let starting = Task { try await body() }
        stops.listen { _ in starting.cancel() }
        do {
            return try await starting.value
        } catch {
            throw starting.isCancelled ? StartCancelledError() : error
        }
    }

    /// Runs all components at once, and stops them one by one in reverse order when a stop is requested.
    /// - Parameter servingOthers: components that other processes need: they are stopped last, and go on when the process
    ///   is only asked to close.
    /// - Throws: the error of the first component that ended by itself, or `ServiceRuntimeError`.
    package func run(
        _ components: [any ProcessComponent], servingOthers: [any ProcessComponent] = []
    ) async throws {
        // Last, so that it is the first to learn of a stop.
        let parts = servingOthers + added + components + (manager.map { [ServiceManagerReports(manager: $0)] } ?? [])
        let (inputs, inbox) = AsyncStream.makeStream(of: Message.self)
        // Unstructured: a component that does not end in time must not keep the process alive.
        for (place, part) in parts.enumerated() {
            Task(executorPreference: part is ServiceManagerReports ? reportingLoop ?? loop : loop) {
                do {
                    try await part.run()
                    inbox.yield(.ended(place, nil))
                } catch {
                    inbox.yield(.ended(place, error))
                }
            }
        }
        stops.listen { inbox.yield(.stopRequested($0)) }

        var lifecycle = Lifecycle(parts: parts.count, servingOthers: servingOthers.count)
        var failures: [Int: any Error] = [:]
        for await message in inputs {
            for action in lifecycle.receive(note(message, of: parts, in: &failures)) {
                switch action {
                case .startGrace:
                    Task { [grace] in
                        try await Task.sleep(for: grace)
                        inbox.yield(.graceExpired)
                    }
                case .beginShutdown(let place):
                    Task { await parts[place].beginShutdown() }
                case .announceClosed:
                    closed()
                case .finish(.clean):
                    log.info(.processStopped)
                    return
                case .finish(.componentEnded(let place)):
                    throw failures[place] ?? ServiceRuntimeError.componentEnded(Self.name(of: parts[place]))
                case .finish(.timedOut(let places)):
                    throw ServiceRuntimeError.stopTimedOut(places.map { Self.name(of: parts[$0]) })
                }
            }
        }
    }

    /// Runs what a process does last. What it has acknowledged does not depend on it, so a process that is stopped waits
    /// for a limited time only.
    /// - Parameter body: for example closes a database.
    package func close(within limit: Duration = .seconds(2), _ body: @Sendable @escaping () async -> Void) async {
        if await !runAtMost(limit, body) { log.warn(.processClosingTimedOut) }
    }

    private enum Message: Sendable {
        case stopRequested(StopRequest)
        case ended(Int, (any Error)?)
        case graceExpired
    }

    /// Logs a message, stores errors, and returns the input for the lifecycle.
    private func note(
        _ message: Message, of parts: [any ProcessComponent], in failures: inout [Int: any Error]
    ) -> Lifecycle.Input {
        switch message {
        case .stopRequested(let request):
            log.info(.processStopRequested, ["reason": .public(request.rawValue)])
            return request == .close ? .closeRequested : .stopRequested
        case .ended(let place, let error):
            if let error {
                failures[place] = error
                log.error(
                    .processComponentFailed,
                    ["component": .public(Self.name(of: parts[place])), "error": .kind(of: error)])
            }
            return .ended(part: place)
        case .graceExpired:
            return .graceExpired
        }
    }

    private static func name(of part: any ProcessComponent) -> String { String(describing: type(of: part)) }
}

/// A process was stopped before it ran: it did nothing, and there is no error.
package struct StartCancelledError: ExitError, Equatable {
    package var exitCode: Int32 { ExitCode.success }
    package var messages: [String] { [] }
}

/// Unexpected ends of a process.
package enum ServiceRuntimeError: ExitError, Equatable {
    /// A component ended without a request.
    case componentEnded(String)
    /// These components still ran when the time for stopping had passed.
    case stopTimedOut([String])

    package var messages: [String] {
        switch self {
        case .componentEnded(let part): ["\(part) ended unasked."]
        case .stopTimedOut(let parts): ["\(parts.joined(separator: ", ")) did not stop in time."]
        }
    }
}
