// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import Delivery
    import MasterKey
    import ServiceRuntime
    import TestSupport

    @testable import IdentityService

    /// One start of a process of a service.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class SimulatedMember: @unchecked Sendable {
        let service: ServiceName
        /// Among the processes of its service.
        let number: Int
        let process: SimulatedProcess
        /// Handles the requests of the bus. Set when the process serves.
        var handler: BusHandler?
        /// Set when a process of identity serves.
        var identity: IdentityStore?
        var components: [any ProcessComponent] = []
        /// Gets the events of the bus.
        var receive: @Sendable (BusEvent) async -> Void = { _ in }
        fileprivate(set) var runningComponents = 0
        fileprivate(set) var isStopping = false

        init(_ service: ServiceName, _ number: Int, _ process: SimulatedProcess) {
            self.service = service
            self.number = number
            self.process = process
        }

        /// Whether requests reach it.
        var isServing: Bool { !process.isEnded && !isStopping }
    }

    /// Processes of services with their databases, and the bus between them.
    protocol MemberScenario: Scenario, Sendable {
        var bus: SimulatedBus { get set }
        /// The latest start of each process.
        var members: [SimulatedMember] { get set }
        var disks: [SimulatedDisk] { get }

        /// Starts the service: its components, and what handles requests.
        func open(_ member: SimulatedMember) async throws
        /// The reply of a service that no process of this scenario has.
        func reply<Request: BusRequest>(to request: Request, _ options: CallOptions) -> Request.Reply?
        /// A process was killed or has ended.
        func hasEnded(_ member: SimulatedMember)
    }

    enum SimulatedKeys {
        /// The master key of every run: nothing depends on its value.
        static let master = Result { try ReloadingMasterKeyRing(.variable(.init(.random()))) }
    }

    extension MemberScenario {
        typealias Instant = ContinuousClock.Instant

        func hasEnded(_ member: SimulatedMember) {}

        func members(of service: ServiceName) -> [SimulatedMember] { members.filter { $0.service == service } }

        // MARK: Starts and ends

        func process(_ name: String) -> SimulatedProcess {
            var offsets = ClockOffsets()
            offsets.steady = .milliseconds(world.random.index(below: 1_000_000))
            // Processes that share a database have clocks that are near to each other.
            offsets.wall = .milliseconds(world.random.index(below: 2000) - 1000)
            let process = SimulatedProcess("\(name).\(world.processes.count + 1)", in: world, offsets: offsets)
            world.add(process)
            return process
        }

        func log(of process: SimulatedProcess) -> Log {
            let world = world
            return Log(instance: process.name, now: { process.now().wall }, write: { line in world.note(line) })
        }

        func environment(of process: SimulatedProcess) -> DeliveryEnvironment {
            DeliveryEnvironment(
                on: SimulatedMachine(process: process),
                hasEnded: { [unowned self] holder in
                    world.processes.contains { $0.name == holder && $0.isEnded }
                }, log: log(of: process))
        }

        func start(_ service: ServiceName, _ number: Int) {
            let member = SimulatedMember(service, number, process(service.rawValue))
            if let place = members.firstIndex(where: { $0.service == service && $0.number == number }) {
                members[place] = member
            } else {
                members.append(member)
            }
            let process = member.process
            process.begin { [unowned self] in
                do {
                    try await open(member)
                    for component in member.components { run(component, of: member) }
                } catch {
                    // The database failed. A real process ends, and is started again.
                    guard !process.isEnded else { return }
                    world.note("\(process.name) cannot start: \(error)")
                    endItself(member)
                }
            }
        }

        private func run(_ component: any ProcessComponent, of member: SimulatedMember) {
            member.runningComponents += 1
            let process = member.process
            process.begin { [unowned self] in
                try? await component.run()
                guard !process.isEnded else { return }
                if !member.isStopping { world.report("\(process.name) ended a component that was not stopped") }
                member.runningComponents -= 1
                guard member.runningComponents == 0 else { return }
                endItself(member)
            }
        }

        /// A task of a process ends the process, which is started again.
        private func endItself(_ member: SimulatedMember) {
            world.schedule(after: .milliseconds(1)) { [unowned self] in
                guard !member.process.isEnded else { return }
                end(member, restartingAfter: .milliseconds(100))
            }
        }

        private func end(_ member: SimulatedMember, restartingAfter pause: Duration) {
            member.process.end()
            hasEnded(member)
            world.schedule(after: pause) { [unowned self] in start(member.service, member.number) }
        }

        // MARK: Faults

        private func chosen(_ service: ServiceName, _ choice: Int) -> SimulatedMember? {
            let group = members(of: service)
            return group.isEmpty ? nil : group[choice % group.count]
        }

        func kill(_ service: ServiceName, _ choice: Int, restartingAfter pause: Duration) {
            guard let member = chosen(service, choice), !member.process.isEnded else { return }
            end(member, restartingAfter: pause)
        }

        func pause(_ service: ServiceName, _ choice: Int, for duration: Duration) {
            guard let member = chosen(service, choice), member.process.condition == .running else { return }
            member.process.condition = .paused(until: world.time.steady + duration)
        }

        /// SIGTERM, and SIGKILL after five seconds.
        func requestStop(of service: ServiceName, _ choice: Int) {
            guard let member = chosen(service, choice), member.isServing, !member.components.isEmpty else { return }
            member.isStopping = true
            let process = member.process
            for component in member.components { process.begin { await component.beginShutdown() } }
            world.schedule(after: .seconds(5)) { [unowned self] in
                guard !process.isEnded else { return }
                if process.condition == .running, process.resumedAt + .seconds(5) < world.time.steady,
                    disks.allSatisfy({ $0.isSlowUntil < world.time.steady - .seconds(10) })
                {
                    world.report("\(process.name) did not stop within five seconds")
                }
                end(member, restartingAfter: .milliseconds(100))
            }
        }

        /// - Parameter offset: from the time of the simulation.
        func setClock(_ choice: Int, to offset: Duration) {
            let running = world.processes.filter { !$0.isEnded }
            guard !running.isEmpty else { return }
            running[choice % running.count].offsets.wall = offset
        }

        // MARK: Events of the bus

        /// Tells the other processes of these services. Events may be lost.
        func publish(_ event: BusEvent, from process: SimulatedProcess, to services: Set<ServiceName>) {
            for other in members
            where services.contains(other.service) && other.process !== process && world.random.chance(percent: 70) {
                let (process, receive) = (other.process, other.receive)
                world.schedule(after: .milliseconds(1 + world.random.index(below: 5))) {
                    if !process.isEnded { process.begin { await receive(event) } }
                }
            }
        }
    }

#endif
