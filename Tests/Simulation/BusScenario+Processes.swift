import Broker
import Bus
import Contracts
import EventLoop
import LatchkeyProgram
import ServiceRuntime

/// How the processes of the mesh start and end.
extension BusScenario {
    private func process(_ name: String) -> SimulatedProcess {
        var offsets = ClockOffsets()
        offsets.steady = .milliseconds(world.random.index(below: 1_000_000))
        offsets.wall = .milliseconds(world.random.index(below: 7_200_000) - 3_600_000)
        let process = SimulatedProcess(name, in: world, offsets: offsets)
        world.add(process)
        return process
    }

    /// Runs a process of the launcher. Its end is passed to the launcher.
    func start(_ child: SimulatedLauncher.Child, as instance: String) -> SimulatedProcess {
        let process = process(instance)
        switch child {
        case .broker(let number):
            startBroker(number, process) { [unowned self] error in
                closeAfterLastMessages(process, error == nil ? .code(0) : .code(1))
            }
        case .worker(let number):
            let settings = try? BusSettings(
                brokers: endpoints, service: .notifier, instance: instance, capacity: plan.capacity)
            workers[number] = member(settings, of: child, process) { [unowned self] in
                try await handle($0, in: process)
            }
        case .caller(let number):
            let settings = try? BusSettings(brokers: endpoints, service: .gateway, instance: instance, capacity: 0)
            callers[number] =
                plan.brokersAreInCallers
                ? gateway(settings, number, process) : member(settings, of: child, process)
        }
        return process
    }

    /// The process of a child has ended.
    func forget(_ child: SimulatedLauncher.Child) {
        switch child {
        case .broker(let number): brokers[number] = nil
        case .worker(let number): workers[number] = nil
        case .caller(let number):
            callers[number] = nil
            if plan.brokersAreInCallers { brokers[number] = nil }
        }
    }

    /// SIGUSR1, for a gateway with a broker: its connection ends, and the broker goes on until SIGTERM.
    func requestClose(of child: SimulatedLauncher.Child) {
        guard case .caller(let number) = child else { return world.report("\(child) has no broker to go on with") }
        guard let member = callers[number] else { return }
        member.broker?.goesOn = true
        requestStop(of: member)
    }

    /// SIGTERM.
    func requestStop(of child: SimulatedLauncher.Child) {
        switch child {
        case .broker(let number): brokers[number]?.stop()
        case .worker(let number): requestStop(of: workers[number])
        case .caller(let number):
            callers[number]?.broker?.goesOn = false
            if callers[number]?.broker?.isAlone == true { callers[number]?.broker?.stop() }
            requestStop(of: callers[number])
        }
    }

    private func requestStop(of member: Member?) {
        guard let member else { return }
        Task(executorPreference: member.process.taskLoop) { await member.connection.beginShutdown() }
    }

    /// A gateway stops its connection first and its broker last.
    private func gateway(_ settings: BusSettings?, _ number: Int, _ process: SimulatedProcess) -> Member? {
        guard let endpoint = try? BusEndpoint(endpoints[number]) else { return nil }
        let own = MemoryConnection()
        startBroker(number, process, own: own) { [unowned self] error in
            closeAfterLastMessages(process, error == nil ? .code(0) : .code(1))
        }
        let child = SimulatedLauncher.Child.caller(number)
        let machine = SimulatedMachine(process: process, ownBroker: (endpoint, own))
        let broker = brokers[number]
        var gateway = member(settings, of: child, process, on: machine) { [unowned self] in
            guard let broker else { return }
            broker.isAlone = true
            if broker.goesOn { launcher.closed(child, process) } else { broker.stop() }
        }
        gateway?.broker = broker
        return gateway
    }

    private func startBroker(
        _ number: Int, _ process: SimulatedProcess, own: MemoryConnection? = nil,
        whenEnded: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard let endpoint = try? BusEndpoint(endpoints[number]) else { return world.report("a broken endpoint") }
        let broker = SimulatedBroker(process)
        brokers[number] = broker
        brokerStarts += 1
        let router = SimulatedRouter(of: process, at: endpoint)
        process.inspect = { [weak broker] in broker?.loop?.state.inconsistency }
        let log = Log(instance: process.name, write: { _ in })
        process.attach(
            EventSourceStart(
                signal: broker.signal,
                make: { [unowned broker] in
                    process.endpoints.append(router)
                    process.world.network.listen(router)
                    var connections: any BrokerRouting = router
                    if let own {
                        connections = BrokerConnections(router, own: [own], signal: broker.signal)
                    }
                    let loop = BrokerLoop(
                        connections, limits: .init(), inbox: broker.inbox, log: log, now: { process.now() })
                    broker.loop = loop
                    return loop
                },
                ended: { error in
                    if !process.isEnded { whenEnded(error) }
                    broker.loop = nil
                }))
    }

    /// A process that ends by itself ends after its last messages.
    private func closeAfterLastMessages(_ process: SimulatedProcess, _ exit: ProcessExit) {
        world.network.whenSent(by: process) { [unowned self] in
            process.end()
            launcher.ended(process, exit)
        }
    }

    private func member(
        _ settings: BusSettings?, of child: SimulatedLauncher.Child?, _ process: SimulatedProcess,
        worker: BusHandler? = nil, on machine: SimulatedMachine? = nil, whenEnded: (@Sendable () -> Void)? = nil
    ) -> Member? {
        let machine = machine ?? SimulatedMachine(process: process)
        // The line that says so takes a moment to the launcher.
        let note: @Sendable (BusDiagnostic) -> Void = { [unowned self] diagnostic in
            guard case .connected = diagnostic, let child else { return }
            world.schedule(after: .milliseconds(world.random.index(below: 3))) { [unowned self] in
                launcher.joined(child, process)
            }
        }
        guard let settings,
            let connection = try? BusConnection(
                settings, worker: worker, on: process.taskLoop, machine: machine, note: note)
        else {
            world.report("\(process.name) cannot start")
            return nil
        }
        Task(executorPreference: process.taskLoop) { [self] in
            try? await connection.run()
            guard !process.isEnded else { return }
            if let whenEnded { whenEnded() } else { closeAfterLastMessages(process, .code(0)) }
        }
        return Member(process: process, connection: connection, instance: settings.instance.rawValue)
    }

    func startLauncherConnection() {
        let process = process(newInstance("launcher"))
        launcherConnection = member(try? BusSettings(brokers: endpoints, launcher: process.name), of: nil, process)
    }
}
