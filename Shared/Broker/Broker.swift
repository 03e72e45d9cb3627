package import Bus
package import Contracts
package import EventLoop
import JSON
package import ServiceRuntime
package import Synchronization
package import ZeroMQ

/// The broker: its socket on the thread of an event loop, and what this process asks of it.
///
/// It is a process of its own, or a part of another one, whose own requests reach it in memory.
package final class Broker: ProcessComponent {
    private let listen: BusEndpoint
    private let limits: BrokerLimits
    private let keys: BusKeys?
    private let log: Log
    private let whenListening: @Sendable () -> Void
    /// Owns the socket.
    package let loop: EventLoop
    private let signal: SourceSignal
    private let inbox = BrokerInbox()
    /// To the members in the process that contains the broker.
    private let own: [MemoryConnection]
    private let boundEndpoint = Mutex<String?>(nil)

    /// A broker with a loop of its own.
    /// - Parameters:
    ///   - keys: nil without keys.
    ///   - whenListening: called once, when other processes can connect.
    /// - Throws: `EventLoopError` when the process has no free file descriptor.
    package init(
        listen: BusEndpoint, limits: BrokerLimits = .init(), keys: BusKeys? = nil, log: Log,
        whenListening: @escaping @Sendable () -> Void = {}
    ) throws(EventLoopError) {
        self.listen = listen
        self.limits = limits
        self.keys = keys
        self.log = log
        self.whenListening = whenListening
        let loop = try EventLoop(label: "broker")
        self.loop = loop
        let signal = loop.makeSignal()
        self.signal = signal
        own = []
        keys?.observe { [weak signal] in signal?.raise() }
    }

    /// A broker on a loop of the process that contains it. The members in this process use `machine(ofMember:)`.
    /// - Parameters:
    ///   - keys: nil without keys.
    ///   - members: the number of members in this process.
    package init(
        listen: BusEndpoint, limits: BrokerLimits = .init(), keys: BusKeys? = nil, inside loop: EventLoop,
        members: Int = 1, log: Log
    ) {
        self.listen = listen
        self.limits = limits
        self.keys = keys
        self.log = log
        whenListening = {}
        self.loop = loop
        let signal = loop.makeSignal()
        self.signal = signal
        own = (0..<members).map { _ in MemoryConnection() }
        keys?.observe { [weak signal] in signal?.raise() }
    }

    /// The machine of a member in the process that contains the broker: its connection to this broker is in memory.
    /// - Parameter number: each member has its own, from 0.
    package func machine(ofMember number: Int) -> LocalMachine {
        LocalMachine(containing: listen, over: own[number])
    }

    /// Listens and serves until `beginShutdown` and the reply to the last running request. Call it once.
    /// - Throws: `BrokerError` when it cannot listen.
    package func run() async throws {
        try await loop.serve(signal) { [self] in
            let socket = try BrokerRouter(listen: listen, keys: keys)
            var router: any BrokerRouting = socket
            if !own.isEmpty {
                router = BrokerConnections(router, own: own, keys: keys, signal: signal)
            }
            let source = BrokerLoop(router, limits: limits, inbox: inbox, log: log, keys: keys, now: BusTime.now)
            log.info(.brokerListening, ["endpoint": .public(socket.endpoint)])
            boundEndpoint.withLock { $0 = socket.endpoint }
            whenListening()
            return source
        }
    }

    /// Where it listens, with the port that the kernel chose; nil before it does.
    package var endpoint: String? { boundEndpoint.withLock { $0 } }

    /// Announces the shutdown to the members, which use another broker. Accepted requests still get their replies.
    package func beginShutdown() async {
        inbox.content.withLock { $0.isStopping = true }
        signal.raise()
    }

    /// Publishes the report of this process to the members that watch reports.
    package func publish(_ report: ProcessReport) {
        // Strings and numbers can be encoded; a NaN among the measurements loses one report.
        guard let json = try? WireJSON.encode(report) else { return }
        inbox.content.withLock { $0.reports.append(ZeroMQFrame(json)) }
        signal.raise()
    }

    /// The broker's own measurements of its last turn.
    package var metrics: [ProcessReport.Metric] { inbox.content.withLock(\.metrics) }
}

/// What the tasks of this process and the thread of the broker exchange.
package final class BrokerInbox: Sendable {
    package struct Content: Sendable {
        /// Reports of this process, for the members that watch reports.
        package var reports: [ZeroMQFrame] = []
        /// Set once, when the broker is to stop.
        package var isStopping = false
        /// The broker's measurements of its last turn.
        package var metrics: [ProcessReport.Metric] = []
    }

    package let content = Mutex(Content())

    package init() {}
}
