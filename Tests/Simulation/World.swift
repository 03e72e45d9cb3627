import TestSupport

/// The scheduler of a simulation: everything happens in its steps, one after the other, and chance decides the order.
///
/// `@unchecked Sendable`: one thread runs the simulation.
final class World: @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Timer {
        var dueAt: Instant
        var number: Int
        var act: () -> Void
    }

    var random: SeededRandom
    var time = SimulatedTime()
    let network: SimulatedNetwork
    private(set) var processes: [SimulatedProcess] = []
    /// By time, the earliest last.
    private var timers: [Timer] = []
    private var timerCount = 0
    private(set) var stepCount = 0
    /// What happened, as one number: two runs of a seed are the same if it is.
    private(set) var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325
    /// What must not happen, in the order of its discovery.
    private(set) var violations: [String] = []
    /// The last steps, for the report of a violation. Nil: they are not recorded.
    var history: [String]?

    init(seed: UInt64, highWaterMark: Int, ofBroker highWaterMarkOfBroker: Int) {
        random = SeededRandom(seed: seed)
        network = SimulatedNetwork(highWaterMark: highWaterMark, ofBroker: highWaterMarkOfBroker)
        network.world = self
    }

    func add(_ process: SimulatedProcess) { processes.append(process) }

    func schedule(after duration: Duration, _ act: @escaping () -> Void) {
        timerCount += 1
        let timer = Timer(dueAt: time.steady + duration, number: timerCount, act: act)
        let place = timers.firstIndex { ($0.dueAt, $0.number) < (timer.dueAt, timer.number) } ?? timers.endIndex
        timers.insert(timer, at: place)
    }

    func report(_ violation: String) {
        note("VIOLATION \(violation)")
        violations.append("at \(milliseconds(time.elapsed)) ms: \(violation)")
    }

    /// Makes an event part of the fingerprint and of the history.
    func note(_ event: @autoclosure () -> String) {
        if history != nil { history?.append("\(milliseconds(time.elapsed)) ms  \(event())") }
    }

    private func mix(_ value: Int) {
        fingerprint = (fingerprint ^ UInt64(truncatingIfNeeded: value)) &* 0x100_0000_01b3
    }

    private func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }

    /// Runs until this time has passed, or a violation is found.
    func run(for duration: Duration, check: () -> Void) {
        let end = time.steady + duration
        var stepsWithoutWait = 0
        while violations.isEmpty, time.steady < end {
            if step() {
                stepsWithoutWait += 1
                if stepsWithoutWait > 200_000 { report("the processes never wait") }
                check()
            } else {
                stepsWithoutWait = 0
                guard let next = nextChange, next < end else {
                    time.advance(to: end)
                    return
                }
                time.advance(to: next)
            }
        }
    }

    /// Does one of the things that can be done now.
    /// - Returns: false if there is none.
    private func step() -> Bool {
        if let timer = timers.last, timer.dueAt <= time.steady {
            timers.removeLast()
            mix(timer.number)
            timer.act()
            return true
        }
        var choices: [Int] = []
        for (place, process) in processes.enumerated() {
            if case .paused(let until) = process.condition, until <= time.steady {
                process.condition = .running
                process.resumedAt = time.steady
            }
            if process.isReady { choices.append(place) }
        }
        let firstConnection = processes.count
        for (place, connection) in network.connections.enumerated() {
            if let arrival = network.arrival(at: connection), arrival <= time.steady {
                choices.append(firstConnection + place)
            }
        }
        guard !choices.isEmpty else { return false }
        stepCount += 1
        let choice = choices[random.index(below: choices.count)]
        mix(choice)
        guard choice < firstConnection else {
            let connection = network.connections[choice - firstConnection]
            network.deliver(over: connection)
            reportMissedInput(of: connection.router.process)
            reportMissedInput(of: connection.dealer.process)
            return true
        }
        // Work takes time.
        time.advance(by: .microseconds(1 + random.index(below: 40)))
        let process = processes[choice]
        do {
            try process.step()
        } catch {
            report("\(process.name) ended with \(error)")
        }
        if let inconsistency = process.inspect() { report("\(process.name): \(inconsistency)") }
        reportMissedInput(of: process)
        return true
    }

    private func reportMissedInput(of process: SimulatedProcess) {
        if process.hasMissedInput { report("\(process.name) waits beside input that no signal announces") }
    }

    private var nextChange: Instant? {
        var times = processes.compactMap { process -> Instant? in
            if case .paused(let until) = process.condition { until } else { process.readyAt }
        }
        times += network.connections.compactMap { network.arrival(at: $0) }
        if let timer = timers.last { times.append(timer.dueAt) }
        return times.min()
    }

    /// Ends every process, so that nothing stays in memory.
    func end() {
        for process in processes { process.end() }
        timers = []
        for process in processes { process.release() }
        processes = []
    }
}

extension SeededRandom {
    /// 0 to `bound` - 1.
    mutating func index(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    mutating func chance(percent: Int) -> Bool { index(below: 100) < percent }
}
