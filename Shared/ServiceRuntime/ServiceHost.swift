package import Bus
package import Contracts
package import EventLoop

/// Where a service runs: in a process of its own, or in one that it shares with the other services of a mesh. A service takes
/// from it what belongs to a process.
package struct ServiceHost: Sendable {
    /// Runs the service. Nil for a loop of its own.
    package let loop: EventLoop?
    /// The connections of the service to brokers.
    package let machine: any BusMachine
    /// File descriptors that the other services of the process use: their databases, and connections to others.
    package let descriptorsOfOthers: Int
    /// Metrics of what the process has beside its services. One service of a process reports them with the measurements of
    /// the process, and returns its memory when it is idle. Nil for the other services.
    let processMetrics: [@Sendable () -> [ProcessReport.Metric]]?
    let stopRequests: @Sendable () -> AsyncStream<StopRequest>
    /// Nil unless the service is a unit of systemd.
    let manager: SystemdUnit?
    /// Called each time the service has joined the bus.
    package let joined: @Sendable () -> Void
    /// Called when the service has closed on request, and serves the other processes only.
    let closed: @Sendable () -> Void

    /// A process with this service only.
    /// - Parameter isUnderLauncher: whether `latchkey up` reads the output of the process.
    package static func process(isUnderLauncher: Bool) -> Self {
        Self(
            loop: nil, machine: LocalMachine(), descriptorsOfOthers: 0, processMetrics: [],
            stopRequests: ProcessSignals.stopRequests, manager: .ofProcess,
            joined: {
                if isUnderLauncher { JoinMark.write() }
                SystemdUnit.ofProcess?.send(.ready)
            }, closed: CloseMark.write)
    }

    /// Idle services with SQLite use 80.
    private static let sharedDescriptors = 160

    /// A process with several services, which answers for itself to the service manager.
    /// - Parameters:
    ///   - processMetrics: nil for all services but one.
    ///   - stopRequests: called once.
    package static func shared(
        loop: EventLoop, machine: any BusMachine, processMetrics: [@Sendable () -> [ProcessReport.Metric]]?,
        stopRequests: @escaping @Sendable () -> AsyncStream<StopRequest>, joined: @escaping @Sendable () -> Void
    ) -> Self {
        Self(
            loop: loop, machine: machine, descriptorsOfOthers: sharedDescriptors, processMetrics: processMetrics,
            stopRequests: stopRequests, manager: nil, joined: joined, closed: {})
    }
}
