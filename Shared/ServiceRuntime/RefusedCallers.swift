package import Bus
package import Contracts

/// What a service has refused to processes that may not send it, on the way to the audit log: once a minute for each process
/// and operation, so that a stolen key cannot make the service write without end.
package final class RefusedCallers: Sendable {
    struct Refusal: Sendable {
        var request: Identity.RecordRefusedCaller
        var trace: TraceContext
    }

    /// Refusals that wait. Beyond it the oldest ones remain, and the log has the others.
    static let maximumWaiting = 64

    private let service: ServiceName
    private let now: @Sendable () -> ContinuousClock.Instant
    private let limiter = LogLimiter()
    let refusals: AsyncStream<Refusal>
    private let inbox: AsyncStream<Refusal>.Continuation

    /// - Parameter service: of this process.
    package init(by service: ServiceName, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.service = service
        self.now = now
        (refusals, inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Receives every diagnostic of the bus.
    package func note(_ diagnostic: BusDiagnostic) {
        guard case .callerRefused(let operation, let caller, let trace) = diagnostic,
            // Otherwise the refusal of a record would be the next refusal to record.
            operation != Identity.Operation.recordRefusedCaller.rawValue,
            limiter.admit("\(operation) \(caller?.rawValue ?? "")", at: now()) != nil
        else { return }
        inbox.yield(
            Refusal(request: .init(caller: caller?.rawValue, service: service, refused: operation), trace: trace))
    }

    /// No other refusal follows.
    func finish() { inbox.finish() }
}

/// Sends the refusals of a process to identity, which writes them into the audit log.
package struct RefusedCallerRecorder: SignaledComponent {
    private let source: RefusedCallers
    private let peers: any BusRequestSending
    package let stop = StopSignal()

    private static let timeout = Duration.seconds(5)

    package init(_ source: RefusedCallers, peers: any BusRequestSending) {
        self.source = source
        self.peers = peers
    }

    package func run() async throws {
        await stop.run { await recordAll() }
    }

    /// Returns after the last one.
    func recordAll() async {
        for await refusal in source.refusals {
            // The log of this process has it, too.
            _ = try? await peers.send(refusal.request, trace: refusal.trace, timeout: Self.timeout)
        }
    }
}
