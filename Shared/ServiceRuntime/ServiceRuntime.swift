/// Runs the parts of one process until it is asked to stop or one of them fails.
package struct ServiceRuntime: Sendable {
    package let log: Log
    package let metrics: Metrics
    private let grace: Duration
    private let stops: StopRequestDispatcher

    /// - Parameters:
    ///   - grace: how long the parts have to finish what they do once the process is asked to stop.
    ///   - stopRequests: the reasons to stop, from outside.
    package init(
        log: Log, metrics: Metrics = Metrics(), grace: Duration = .seconds(5),
        stopRequests: @escaping @Sendable () -> AsyncStream<StopRequest> = ProcessSignals.stopRequests
    ) {
        self.log = log
        self.metrics = metrics
        self.grace = grace
        stops = StopRequestDispatcher(stopRequests)
    }

    package init(_ settings: ProcessSettings) {
        self.init(log: Log(instance: settings.instance, settings: settings.log))
    }

    /// Runs what has to be done before the parts can be made and may take long: waiting for a database server. A
    /// request to stop cancels it.
    /// - Throws: what `body` threw, or `StartCancelledError`.
    package func start<Made: Sendable>(_ body: @Sendable @escaping () async throws -> Made) async throws -> Made {
        let starting = Task { try await body() }
        stops.listen { _ in starting.cancel() }
        do {
            return try await starting.value
        } catch {
            throw starting.isCancelled ? StartCancelledError() : error
        }
    }

    /// Runs all parts at once, and stops them one by one in reverse order when a stop is requested.
    /// - Throws: what the first part threw that ended unasked, or `ServiceRuntimeError`.
    package func run(_ parts: [any ProcessComponent]) async throws {
        let (inputs, inbox) = AsyncStream.makeStream(of: Message.self)
        // Unstructured: a part that does not end in time must not keep the process.
        for (place, part) in parts.enumerated() {
            Task {
                do {
                    try await part.run()
                    inbox.yield(.ended(place, nil))
                } catch {
                    inbox.yield(.ended(place, error))
                }
            }
        }
        stops.listen { inbox.yield(.stopRequested($0)) }

        var lifecycle = Lifecycle(parts: parts.count)
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
                case .finish(.clean):
                    log.info("process.stopped")
                    return
                case .finish(.componentEnded(let place)):
                    throw failures[place] ?? ServiceRuntimeError.componentEnded(Self.name(of: parts[place]))
                case .finish(.timedOut(let places)):
                    throw ServiceRuntimeError.stopTimedOut(places.map { Self.name(of: parts[$0]) })
                }
            }
        }
    }

    private enum Message: Sendable {
        case stopRequested(StopRequest)
        case ended(Int, (any Error)?)
        case graceExpired
    }

    /// Logs what happened, keeps errors, and leaves what the lifecycle needs to know.
    private func note(
        _ message: Message, of parts: [any ProcessComponent], in failures: inout [Int: any Error]
    ) -> Lifecycle.Input {
        switch message {
        case .stopRequested(let request):
            log.info("process.stop-requested", ["reason": .public(request.rawValue)])
            return .stopRequested
        case .ended(let place, let error):
            if let error {
                failures[place] = error
                log.error(
                    "process.component-failed",
                    ["component": .public(Self.name(of: parts[place])), "error": .kind(of: error)])
            }
            return .ended(part: place)
        case .graceExpired:
            return .graceExpired
        }
    }

    private static func name(of part: any ProcessComponent) -> String { String(describing: type(of: part)) }
}

/// A process was asked to stop before it ever ran: it did nothing, and nothing is wrong.
package struct StartCancelledError: ExitError, Equatable {
    package var exitCode: Int32 { ExitCode.success }
    package var messages: [String] { [] }
}

/// The ends of a process that nobody asked for.
package enum ServiceRuntimeError: ExitError, Equatable {
    /// A part ended though nobody asked it to.
    case componentEnded(String)
    /// These parts still ran when the time for stopping was over.
    case stopTimedOut([String])

    package var exitCode: Int32 { ExitCode.failure }

    package var messages: [String] {
        switch self {
        case .componentEnded(let part): ["\(part) ended unasked."]
        case .stopTimedOut(let parts): ["\(parts.joined(separator: ", ")) did not stop in time."]
        }
    }
}
