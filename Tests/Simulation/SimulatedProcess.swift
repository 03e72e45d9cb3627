import Bus
import EventLoop
import TestSupport

/// One process of the simulated mesh: the core of its event loop, its clocks, and its connections.
///
/// `@unchecked Sendable`: the scheduler runs everything on one thread.
final class SimulatedProcess: EventLoopCore, @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Condition: Equatable {
        case running
        /// Stopped by a signal: it does nothing until then.
        case paused(until: Instant)
        /// Killed, crashed or ended. What its tasks still do has no effect.
        case ended
    }

    /// No tuple: without optimization each copy of one would wrap the function once more.
    private struct AttachedSource {
        let source: any EventSource
        var schedule: TurnSchedule
        /// Those that it opened: their signals are its input.
        let endpoints: [any SimulatedEndpoint]
        let ended: @Sendable ((any Error)?) -> Void
    }

    let name: String
    let world: World
    /// Kept by the process, because the loop of a real one outlives its tasks too.
    private(set) var ownLoop: EventLoop?
    var condition = Condition.running
    var offsets: ClockOffsets
    /// The connections of a member, or those of a broker.
    var endpoints: [any SimulatedEndpoint] = []
    /// When the process last went on after a pause.
    var resumedAt = SimulatedTime.beginning
    /// What contradicts itself in the process, asked after each of its steps.
    var inspect: () -> String? = { nil }

    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var starts: [EventSourceStart] = []
    private var sources: [AttachedSource] = []
    private var mustTurn = true
    private var dueAt: Instant?
    private var sleepers = Sleepers<CheckedContinuation<Void, any Error>>()
    private var pauses: [UInt64: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    /// Before it no pause ends.
    private var pauseDueAt: Instant?
    private var nextSleepID: UInt64 = 0
    private var tasks: [Task<Void, Never>] = []
    /// What ends each wait for others.
    private var waits: [UInt64: () -> Void] = [:]
    private(set) var endedAt: Instant?

    init(_ name: String, in world: World, offsets: ClockOffsets) {
        self.name = name
        self.world = world
        self.offsets = offsets
        ownLoop = EventLoop(core: self)
    }

    /// The loop on which the tasks of this process run.
    var taskLoop: EventLoop {
        // Set in `init`, and released only with the process.
        guard let ownLoop else { preconditionFailure("\(name) was released") }
        return ownLoop
    }

    var isEnded: Bool { condition == .ended }

    func now() -> BusTime { world.time.clocks(of: offsets) }

    // MARK: EventLoopCore

    var loop: EventLoop? { ownLoop }

    func register(_ loop: EventLoop) {}

    func enqueue(_ job: UnownedJob) { jobs.append(job) }

    func attach(_ start: EventSourceStart) {
        starts.append(start)
        mustTurn = true
    }

    func wake() { mustTurn = true }

    func close() {}

    func sleep(forAbout duration: Duration) async throws {
        try await suspend { id, continuation in
            sleepers.insert(id, continuation, forAbout: duration, at: now().steady)
        }
    }

    /// Suspends the task for exactly this time.
    func pause(for duration: Duration) async throws {
        try await suspend { id, continuation in
            let end = now().steady + duration
            pauses[id] = (end, continuation)
            pauseDueAt = min(pauseDueAt ?? end, end)
        }
    }

    private func suspend(_ insert: (UInt64, CheckedContinuation<Void, any Error>) -> Void) async throws {
        guard !isEnded else { throw CancellationError() }
        nextSleepID += 1
        let id = nextSleepID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    insert(id, continuation)
                }
            }
        } onCancel: {
            let continuation = sleepers.remove(id) ?? pauses.removeValue(forKey: id)?.continuation
            continuation?.resume(throwing: CancellationError())
        }
    }

    func randomNumber() -> UInt64? { world.random.next() }

    // MARK: Tasks

    /// Begins a task of the process, which is cancelled at its end.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        tasks.append(Task(executorPreference: taskLoop, operation: body))
    }

    /// Suspends the calling task until `begin` resumes it, at the latest when it is cancelled or the process ends.
    func wait<Result: Sendable>(_ begin: (@escaping (Result) -> Void) -> Void) async throws -> Result {
        guard !isEnded else { throw CancellationError() }
        nextSleepID += 1
        let id = nextSleepID
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                waits[id] = { continuation.resume(throwing: CancellationError()) }
                begin { [self] result in
                    // Only the first result counts.
                    if waits.removeValue(forKey: id) != nil { continuation.resume(returning: result) }
                }
            }
        } onCancel: {
            waits.removeValue(forKey: id)?()
        }
    }

    // MARK: Scheduling

    /// Whether the process has something to do now.
    var isReady: Bool {
        guard condition == .running else { return false }
        if nextJob < jobs.count || mustTurn || endpoints.contains(where: \.hasSignal) { return true }
        return wakesAt.map { $0 <= now().steady } ?? false
    }

    /// When it has something to do again, by the clock of the simulation, if nothing else happens.
    var readyAt: Instant? {
        guard condition == .running else { return nil }
        return wakesAt.map { $0 - offsets.steady }
    }

    private var wakesAt: Instant? {
        var earliest = dueAt
        if let time = sleepers.dueAt { earliest = min(earliest ?? time, time) }
        if let time = pauseDueAt { earliest = min(earliest ?? time, time) }
        return earliest
    }

    /// Runs one job, or gives every source a turn.
    func step() throws {
        try CurrentEventLoopCore.withValue(self) {
            if nextJob < jobs.count, !mustTurn || !world.random.chance(percent: 25) {
                runJob()
            } else {
                try turn()
            }
        }
    }

    private func runJob() {
        let job = jobs[nextJob]
        nextJob += 1
        if nextJob == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            nextJob = 0
        }
        job.runSynchronously(on: taskLoop.asUnownedTaskExecutor())
    }

    private func turn() throws {
        mustTurn = false
        dueAt = nil
        endSleeps(before: now().steady)
        let new = starts
        starts = []
        for start in new {
            let count = endpoints.count
            let source = try start.make()
            let own = Array(endpoints.dropFirst(count))
            sources.append(
                AttachedSource(
                    source: source, schedule: TurnSchedule(start.signal), endpoints: own, ended: start.ended))
        }
        let haveInput = sources.map { $0.endpoints.contains(where: \.hasSignal) }
        let now = now().steady
        var remaining: [AttachedSource] = []
        for (entry, hasInput) in zip(sources, haveInput) {
            var entry = entry
            if entry.schedule.takesTurn(hasInput: hasInput, at: now) {
                let state = try entry.source.turn(hasInput: hasInput)
                entry.schedule.hadTurn(state)
                switch state {
                case .busy: mustTurn = true
                case .waiting: break
                case .finished:
                    for endpoint in entry.endpoints { endpoint.closeAfterLastMessages() }
                    entry.ended(nil)
                    continue
                }
            }
            if let time = entry.schedule.dueAt { dueAt = min(dueAt ?? time, time) }
            remaining.append(entry)
        }
        sources = remaining
        if !new.isEmpty { mustTurn = true }
    }

    private func endSleeps(before now: Instant) {
        for continuation in sleepers.removeDue(at: now) { continuation.resume() }
        guard let pauseDueAt, pauseDueAt <= now else { return }
        for id in pauses.keys.sorted() {
            guard let pause = pauses[id], pause.until <= now else { continue }
            pauses[id] = nil
            pause.continuation.resume()
        }
        self.pauseDueAt = pauses.values.lazy.map(\.until).min()
    }

    // MARK: End

    /// The process ends at once. Its tasks end without an effect, so that nothing of it stays in memory.
    func end() {
        guard !isEnded else { return }
        condition = .ended
        endedAt = world.time.steady
        for endpoint in endpoints { endpoint.close() }
        CurrentEventLoopCore.withValue(self) {
            for entry in sources { entry.ended(CancellationError()) }
            sources = []
            for task in tasks { task.cancel() }
            tasks = []
            for id in waits.keys.sorted() { waits.removeValue(forKey: id)?() }
            while nextJob < jobs.count || !pauses.isEmpty || sleepers.dueAt != nil {
                endSleeps(before: now().steady + .seconds(1_000_000))
                while nextJob < jobs.count { runJob() }
            }
        }
        endpoints = []
    }

    /// Whether messages wait that no signal announces, while the process waits.
    var hasMissedInput: Bool {
        condition == .running && !sources.isEmpty && !mustTurn && nextJob == jobs.count
            && endpoints.contains { $0.hasUnannouncedInput }
    }

    /// Releases the loop, which holds this process.
    func release() { ownLoop = nil }
}

/// The clocks, random numbers and connections of one process.
struct SimulatedMachine: BusMachine {
    let process: SimulatedProcess
    /// To the broker that the process contains.
    var ownBroker: (endpoint: BusEndpoint, connection: MemoryConnection)?

    func now() -> BusTime { process.now() }

    func pause(for duration: Duration) async throws { try await process.pause(for: duration) }

    func randomNumber() -> UInt64 { process.world.random.next() }

    func connect(
        to brokers: [BusEndpoint], with keys: BusKeys?, signal: SourceSignal,
        onHostUnknown: @escaping @Sendable (BusEndpoint) -> Void
    ) throws -> [any BusSocket] {
        brokers.map { broker in
            if let ownBroker, ownBroker.endpoint == broker { return ownBroker.connection.makeMember(signal) }
            let socket = SimulatedDealer(of: process, to: broker)
            process.endpoints.append(socket)
            process.world.network.connect(socket)
            return socket
        }
    }
}
