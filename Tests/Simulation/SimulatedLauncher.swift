import Bus
import Contracts
import EventLoop
import Glibc
import LatchkeyProgram
import ServiceRuntime
import TestSupport

/// `latchkey up` without processes of the machine: `SupervisorState` decides, and this performs it and judges it.
///
/// It starts processes of the scenario, starts them again with its pauses, reports their ends to the brokers, and stops
/// them stage by stage.
final class SimulatedLauncher {
    typealias Instant = ContinuousClock.Instant

    /// A process that the launcher keeps running.
    enum Child: Hashable, CustomStringConvertible {
        case broker(Int), worker(Int), caller(Int)

        var service: ServiceName {
            switch self {
            case .broker: .broker
            case .worker: .notifier
            case .caller: .gateway
            }
        }

        var number: Int {
            switch self {
            case .broker(let number), .worker(let number), .caller(let number): number
            }
        }

        var description: String { "\(service.rawValue).\(number + 1)" }

        /// As `MeshPlan` has it: the gateway stops first, the brokers stop last.
        /// - Parameter hasBroker: whether a gateway contains a broker: it closes first and stops last.
        func member(_ hasBroker: Bool) -> SupervisorState.Member {
            switch self {
            case .broker: .init(description, stopStage: 2, joinsBus: false)
            case .worker: .init(description, stopStage: 1)
            case .caller: .init(description, stopStage: hasBroker ? 2 : 0, closesFirst: hasBroker)
            }
        }
    }

    /// One start of a child, from the decision to its end.
    private struct Start {
        var number: Int
        var at: Instant
        /// The name on the bus.
        var instance: String
        /// Nil before the process runs.
        var process: SimulatedProcess?
        var hasJoined = false
        var hasTerminated = false
    }

    /// What must be true of the pauses between two starts.
    private struct Record {
        /// Consecutive ends without a stable time before them.
        var ends = 0
        var endedAt: Instant?
        var latestStarts: [Instant] = []
        var crashesUntil = SimulatedTime.beginning
        var isUnusableUntil = SimulatedTime.beginning
        /// Crashes at the next starts, before the process runs.
        var crashesAtStart = 0
    }

    private unowned let scenario: BusScenario
    private var world: World { scenario.world }
    private let children: [Child]
    private var state: SupervisorState
    private var starts: [Child: Start] = [:]
    private var records: [Child: Record] = [:]
    /// Found unusable before: its pauses would be longer than the run.
    private var wasUnusable: Set<Child> = []
    private var startCount = 0
    private var wakeCount = 0
    private var announcements = 0
    private(set) var outcome: SupervisorState.Outcome?
    /// The mesh was ready for the first time.
    var isReady: Bool { announcements > 0 }
    private(set) var stopsSince: Instant?
    /// Reports of ends are lost, or late, until then.
    var reportsLostUntil = SimulatedTime.beginning
    var reportsLateUntil = SimulatedTime.beginning

    private static let limits = SupervisorState.Limits()

    init(_ scenario: BusScenario, children: [Child]) {
        self.scenario = scenario
        self.children = children
        state = SupervisorState(children.map { $0.member(scenario.plan.brokersAreInCallers) }, limits: Self.limits)
        for child in children { records[child] = Record() }
    }

    // MARK: Inputs

    func begin() { receive(.start) }

    func stop() {
        stopsSince = world.time.steady
        receive(.stop)
    }

    func becomeReady() { receive(.ready) }

    /// The process of a start has joined the bus.
    func joined(_ child: Child, _ process: SimulatedProcess) {
        guard starts[child]?.process === process, starts[child]?.hasJoined == false else { return }
        starts[child]?.hasJoined = true
        receive(.joined(child.description))
    }

    /// The process of a start has closed on request.
    func closed(_ child: Child, _ process: SimulatedProcess) {
        guard starts[child]?.process === process else { return }
        receive(.closed(child.description))
    }

    /// A process has ended.
    func ended(_ process: SimulatedProcess, _ end: ProcessExit, payload: PayloadDigest? = nil) {
        guard let (child, start) = starts.first(where: { $0.value.process === process }) else { return }
        exited(child, start.number, end, payload: payload)
    }

    private func exited(_ child: Child, _ number: Int, _ end: ProcessExit, payload: PayloadDigest? = nil) {
        guard let start = starts[child], start.number == number else { return }
        starts[child] = nil
        scenario.forget(child)
        world.note("\(start.instance) ended with \(end)")
        noteEnd(of: child, start, end)
        report(.init(service: BusName(child.service), cause: end.isCrash ? .crashed : .stopped, payload), start)
        receive(.exited(child.description, end))
    }

    private struct End {
        var service: BusName
        var cause: BusMessage.Ended.Cause
        var payload: PayloadDigest?

        init(service: BusName, cause: BusMessage.Ended.Cause, _ payload: PayloadDigest?) {
            (self.service, self.cause, self.payload) = (service, cause, payload)
        }
    }

    private func report(_ end: End, _ start: Start) {
        guard world.time.steady >= reportsLostUntil, let instance = BusName(start.instance) else { return }
        let isLate = world.time.steady < reportsLateUntil
        world.schedule(after: .milliseconds(1 + world.random.index(below: isLate ? 3000 : 50))) { [scenario] in
            guard let launcher = scenario.launcherConnection, !launcher.process.isEnded else { return }
            launcher.connection.report(
                .init(service: end.service, instance: instance, cause: end.cause, payload: end.payload))
        }
    }

    private func receive(_ input: SupervisorState.Input) {
        for action in state.receive(input, at: world.time.steady) { perform(action) }
        checkOutages()
        wakeCount += 1
        guard let wakeUp = state.nextWakeUp else { return }
        let wake = wakeCount
        world.schedule(after: max(.zero, wakeUp - world.time.steady)) { [weak self] in
            guard let self, wakeCount == wake else { return }
            receive(.wake)
        }
    }

    // MARK: Actions

    private func member(_ child: Child) -> SupervisorState.Member {
        child.member(scenario.plan.brokersAreInCallers)
    }

    private func hasJoined(_ child: Child) -> Bool { !member(child).joinsBus || starts[child]?.hasJoined == true }

    var haveAllJoined: Bool { children.allSatisfy(hasJoined) }

    private func child(_ name: String) -> Child? { children.first { $0.description == name } }

    private func perform(_ action: SupervisorState.Action) {
        switch action {
        case .spawn(let name):
            guard let child = child(name) else { return world.report("the launcher starts a strange \(name)") }
            spawn(child)
        case .reportExit(_, _, let pause):
            if pause > Self.limits.maximumBackoff { world.report("the launcher pauses for \(pause)") }
        case .reportUnusable(_, _, let pause):
            if pause > Self.limits.longestUnusablePause { world.report("the launcher pauses for \(pause)") }
        case .announceReady:
            announcements += 1
            if announcements > 1 { world.report("the launcher announces the mesh twice") }
            for child in children where !hasJoined(child) {
                world.report("the launcher announces the mesh before \(child) has joined")
            }
        case .reload(let name):
            world.report("the launcher asks \(name) to read files again")
        case .close(let name):
            guard let child = child(name), let start = starts[child], member(child).closesFirst else {
                return world.report("the launcher asks \(name) to close")
            }
            // Before it handles the signal, it ends the process.
            if start.process == nil { starts[child]?.hasTerminated = true } else { scenario.requestClose(of: child) }
        case .terminate(let name):
            guard let child = child(name) else { return }
            terminate(child)
        case .kill(let name):
            guard let child = child(name), let start = starts[child] else {
                return world.report("the launcher kills \(name), which does not run")
            }
            start.process?.end()
            exited(child, start.number, .signal(SIGKILL))
        case .finish(let outcome):
            world.note("the launcher finishes: \(outcome)")
            if self.outcome != nil { world.report("the launcher finishes twice") }
            self.outcome = outcome
            if let child = starts.keys.first { world.report("the launcher finishes and \(child) still runs") }
        }
    }

    private func spawn(_ child: Child) {
        if starts[child] != nil { world.report("the launcher starts \(child) twice") }
        if stopsSince != nil { world.report("the launcher starts \(child) while it stops") }
        startCount += 1
        let start = Start(
            number: startCount, at: world.time.steady, instance: scenario.newInstance(child.service.rawValue))
        starts[child] = start
        world.note("the launcher starts \(child) as \(start.instance)")
        checkPause(of: child)
        // A process that was started needs time before it runs.
        let pause = Duration.milliseconds(1 + world.random.index(below: 150))
        world.schedule(after: pause) { [weak self] in self?.run(child, start.number) }
    }

    private func run(_ child: Child, _ number: Int) {
        guard let start = starts[child], start.number == number, var record = records[child] else { return }
        guard !start.hasTerminated else { return exited(child, number, .signal(SIGTERM)) }
        if world.time.steady < record.isUnusableUntil { return exited(child, number, .code(ExitCode.data)) }
        if record.crashesAtStart > 0 || world.time.steady < record.crashesUntil {
            record.crashesAtStart = max(0, record.crashesAtStart - 1)
            records[child] = record
            return exited(child, number, .signal(SIGSEGV))
        }
        starts[child]?.process = scenario.start(child, as: start.instance)
    }

    private func terminate(_ child: Child) {
        guard let start = starts[child] else { return world.report("the launcher stops \(child), which does not run") }
        for other in children where member(other).stopStage < member(child).stopStage && starts[other] != nil {
            world.report("the launcher stops \(child) while \(other) still runs")
        }
        starts[child]?.hasTerminated = true
        if start.process != nil { scenario.requestStop(of: child) }
    }

    // MARK: Faults

    func crashAtStart(_ child: Child, times: Int) { records[child]?.crashesAtStart = times }

    func crashAgainAndAgain(_ child: Child, for duration: Duration) {
        records[child]?.crashesUntil = world.time.steady + duration
        kill(child, .signal(SIGSEGV))
    }

    func becomeUnusable(_ child: Child, for duration: Duration) {
        guard wasUnusable.insert(child).inserted else { return }
        records[child]?.isUnusableUntil = world.time.steady + duration
        kill(child, .signal(SIGKILL))
    }

    func kill(_ child: Child, _ end: ProcessExit, payload: PayloadDigest? = nil) {
        guard let start = starts[child], let process = start.process else { return }
        process.end()
        exited(child, start.number, end, payload: payload)
    }

    func child(at choice: Int) -> Child { children[choice % children.count] }

    // MARK: What must hold

    private func noteEnd(of child: Child, _ start: Start, _ end: ProcessExit) {
        records[child]?.endedAt = world.time.steady
        if world.time.steady - start.at >= Self.limits.stableUptime { records[child]?.ends = 0 }
        if end.isLasting {
            // Its pauses are longer than those of an end that a new start may mend.
            records[child]?.ends = 0
            records[child]?.endedAt = nil
        }
        records[child]?.ends += 1
    }

    /// The first new start is at once. Each following one waits twice as long, and never longer than the limit.
    private func checkPause(of child: Child) {
        guard let record = records[child] else { return }
        let now = world.time.steady
        let latest = (record.latestStarts + [now]).filter { now - $0 < .seconds(3) }
        records[child]?.latestStarts = latest
        // 0, 100, 200, 400, 800 and 1600 milliseconds, after the first one.
        if latest.count > 7 { world.report("the launcher starts \(child) \(latest.count) times in 3 seconds") }
        guard let endedAt = record.endedAt else { return }
        let pause = now - endedAt
        if record.ends <= 1, pause > .milliseconds(10) {
            world.report("the launcher starts \(child) after \(pause), and it had run long enough")
        }
        if pause > Self.limits.maximumBackoff + .milliseconds(10) {
            world.report("the launcher starts \(child) after \(pause)")
        }
    }

    /// A process that has run for long is no outage.
    private func checkOutages() {
        for outage in state.outages(at: world.time.steady) {
            guard let child = child(outage.instance), let start = starts[child] else { continue }
            if world.time.steady - start.at >= Self.limits.stableUptime {
                world.report("\(child) runs, and is reported as an outage")
            }
        }
    }

    /// Everything runs again some time after the last fault.
    func checkThatEverythingRuns() {
        if announcements == 0 { world.report("the launcher has never announced the mesh") }
        for child in children where starts[child]?.process?.isEnded != false { world.report("\(child) does not run") }
    }

    /// Everything has ended, soon enough.
    func checkThatEverythingHasStopped() {
        let running = starts.keys.map(\.description).sorted()
        if outcome != .stopped { world.report("the launcher does not stop, and \(running) run") }
        for process in world.processes where process !== scenario.launcherConnection?.process && !process.isEnded {
            world.report("\(process.name) still runs after the stop")
        }
    }
}
