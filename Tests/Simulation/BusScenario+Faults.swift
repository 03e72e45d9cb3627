import Bus
import Glibc
import LatchkeyProgram

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
        case .killWorker: launcher.kill(.worker(fault.choice % workers.count), .signal(SIGKILL))
        case .killBroker: launcher.kill(broker(fault.choice), .signal(SIGKILL))
        case .killCaller: launcher.kill(.caller(fault.choice % callers.count), .signal(SIGKILL))
        case .stopWorker: requestStop(of: .worker(fault.choice % workers.count))
        case .stopBroker: requestStop(of: broker(fault.choice))
        case .killLauncher:
            // Two such faults within its restart are one.
            guard let connection = launcherConnection else { return }
            connection.process.end()
            launcherConnection = nil
            world.schedule(after: .milliseconds(100)) { [self] in startLauncherConnection() }
        case .crashAgainAndAgain: launcher.crashAgainAndAgain(launcher.child(at: fault.choice), for: fault.duration)
        case .unusable: launcher.becomeUnusable(launcher.child(at: fault.choice), for: fault.duration)
        case .loseEndReports: launcher.reportsLostUntil = world.time.steady + fault.duration * 3
        case .delayEndReports: launcher.reportsLateUntil = world.time.steady + fault.duration * 3
        case .slowNetwork:
            world.network.longestLatency = .milliseconds(300)
            world.schedule(after: fault.duration) { [self] in world.network.longestLatency = .milliseconds(2) }
        case .setClock:
            guard !world.processes.isEmpty else { return }
            let process = world.processes[fault.choice % world.processes.count]
            process.offsets.wall += fault.choice % 2 == 0 ? fault.duration * 100 : fault.duration * -100
        }
    }

    /// A process with a broker.
    private func broker(_ choice: Int) -> SimulatedLauncher.Child {
        let number = choice % brokers.count
        return plan.brokersAreInCallers ? .caller(number) : .broker(number)
    }

    private func withConnection(_ fault: BusFault, _ body: (SimulatedConnection) -> Void) {
        let connections = world.network.connections
        guard !connections.isEmpty else { return }
        body(connections[fault.choice % connections.count])
    }
}
