import BrokerService
import Bus
import Synchronization

/// What each fault does.
extension BusScenario {
    func begin(_ fault: BusFault) {
        world.note("FAULT \(fault)")
        switch fault.kind {
        case .cut:
            withConnection(fault) { world.network.cut($0) }
        case .silentCut:
            withConnection(fault) { world.network.cut($0, noticedWithin: fault.duration) }
        case .stall:
            withConnection(fault) { $0.stalledUntil = world.time.steady + fault.duration }
        case .pause:
            let running = world.processes.filter { $0.condition == .running }
            guard !running.isEmpty else { return }
            running[fault.choice % running.count].condition = .paused(until: world.time.steady + fault.duration)
        case .killWorker:
            killWorker(fault.choice % workers.count, .stopped)
        case .killBroker:
            killBroker(fault.choice % brokers.count)
        case .killCaller:
            let number = fault.choice % callers.count
            callers[number]?.process.end()
            world.schedule(after: .milliseconds(100)) { [self] in startCaller(number) }
        case .stopWorker:
            guard let worker = workers[fault.choice % workers.count] else { return }
            Task(executorPreference: worker.process.taskLoop) { await worker.connection.beginShutdown() }
        case .stopBroker:
            guard let broker = brokers[fault.choice % brokers.count] else { return }
            broker.inbox.content.withLock { $0.isStopping = true }
            broker.process.wake()
        case .killLauncher:
            launcher?.process.end()
            launcher = nil
            world.schedule(after: .milliseconds(100)) { [self] in startLauncher() }
        case .slowNetwork:
            world.network.longestLatency = .milliseconds(300)
            world.schedule(after: fault.duration) { [self] in world.network.longestLatency = .milliseconds(2) }
        case .setClock:
            guard !world.processes.isEmpty else { return }
            let process = world.processes[fault.choice % world.processes.count]
            process.offsets.wall += fault.choice % 2 == 0 ? fault.duration * 100 : fault.duration * -100
        }
    }

    private func withConnection(_ fault: BusFault, _ body: (SimulatedConnection) -> Void) {
        let connections = world.network.connections
        guard !connections.isEmpty else { return }
        body(connections[fault.choice % connections.count])
    }
}
