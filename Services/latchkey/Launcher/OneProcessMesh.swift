import Broker
import Bus
import EventLoop
import Glibc
import ServiceRuntime

/// The mesh of `latchkey up --one-process`: the services are components of the launcher, beside a broker that takes their
/// requests in memory. Commands reach the broker over its socket, as in every mesh.
struct OneProcessMesh: Sendable {
    /// In the order in which they start; each stops before those that precede it.
    let components: [any ProcessComponent]
    /// Runs all services.
    let loop: EventLoop

    /// - Parameters:
    ///   - listen: the endpoint of the broker.
    ///   - untilReady: returns when the gateway says that the mesh is ready; cancelled if it stops before.
    ///   - whenReady: called once, when the mesh is ready and every service has joined the bus.
    /// - Throws: `EventLoopError` when the process has no free file descriptor.
    init(
        _ plan: MeshPlan, _ programs: ServicePrograms, listen: BusEndpoint, log: Log,
        untilReady: @escaping @Sendable () async throws -> Void, whenReady: @escaping @Sendable () -> Void
    ) throws {
        let loop = try EventLoop(label: "mesh")
        self.loop = loop
        let processes = plan.inOrderOfStart
        let broker = Broker(listen: listen, inside: loop, members: processes.count, log: log)
        let services = processes.enumerated().map { number, process in
            HostedService(
                process, programs.program(process.service), on: loop, machine: broker.machine(ofMember: number),
                // The gateway if there is one, as in the other form.
                processMetrics: number == processes.count - 1 ? [{ broker.metrics }] : nil)
        }
        let readiness = ReadinessAnnouncement {
            // An error of the seed ends the launcher where it occurs.
            guard (try? await untilReady()) != nil else { return }
            for service in services { await service.untilJoined() }
            if !Task.isCancelled { whenReady() }
        }
        components = [broker] + services + [readiness]
        for process in plan.processes { log.reportStart(of: process, pid: getpid()) }
    }
}

/// Says once that the mesh is ready.
private struct ReadinessAnnouncement: SignaledComponent {
    let stop = StopSignal()
    let announce: @Sendable () async -> Void

    init(_ announce: @escaping @Sendable () async -> Void) {
        self.announce = announce
    }

    func run() async throws { await stop.run(announce) }
}
