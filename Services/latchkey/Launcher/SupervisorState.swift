import ServiceRuntime

/// Decides which processes run. It knows names and times; `Supervisor` owns the processes and performs the actions.
package struct SupervisorState: Sendable {
    /// A process to keep running.
    package struct Member: Equatable, Sendable {
        /// Unique, for example `identity.1`.
        package var instance: String
        /// Members stop in the order of their stages, all of one stage together.
        package var stopStage: Int
        /// Whether the mesh cannot work without it. The other members can fail without stopping the rest of the mesh.
        package var isEssential: Bool
        /// Whether it joins the bus: every process but the brokers, which are the bus.
        package var joinsBus: Bool
        /// Whether it is asked to close before the first stage: it then takes no work from outside, and serves the
        /// members that stop before it.
        package var closesFirst: Bool

        package init(
            _ instance: String, stopStage: Int, isEssential: Bool = true, joinsBus: Bool = true,
            closesFirst: Bool = false
        ) {
            self.instance = instance
            self.stopStage = stopStage
            self.isEssential = isEssential
            self.joinsBus = joinsBus
            self.closesFirst = closesFirst
        }
    }

    package enum Input: Equatable, Sendable {
        case start
        case exited(String, ProcessExit)
        /// A process has joined the bus.
        case joined(String)
        /// A process that was asked to close has done so.
        case closed(String)
        /// The gateway says for the first time that the mesh is ready.
        case ready
        /// The processes are to read files again.
        case reload
        case stop
        /// Time has passed; see `nextWakeUp`.
        case wake
    }

    package enum Action: Equatable, Sendable {
        case spawn(String)
        /// Logs that a process exited, and when it restarts.
        case reportExit(String, ProcessExit, restartIn: Duration)
        /// The same for a process whose settings or data stay unusable until the operator corrects them.
        case reportUnusable(String, ProcessExit, restartIn: Duration)
        /// Says that the mesh is ready: the gateway says so, and every process has joined. A process that cannot run
        /// and is not essential is not awaited: its failures are reported.
        case announceReady
        /// Asks a process to read files again.
        case reload(String)
        /// Asks a process to take no more work from outside.
        case close(String)
        case terminate(String)
        case kill(String)
        case finish(Outcome)
    }

    package enum Outcome: Equatable, Sendable {
        /// Stopped on request.
        case stopped
        /// Stopped because this member cannot run with its settings.
        case refused(String)
        /// Stopped because this essential member exited too often before the mesh was ready.
        case neverReady(String, ProcessExit)
    }

    package struct Limits: Equatable, Sendable {
        /// The delay of the second consecutive restart; each further delay is twice as long.
        package var initialBackoff = Duration.milliseconds(100)
        package var maximumBackoff = Duration.seconds(5)
        /// The first delay of a process that cannot use its settings or data; it doubles each time.
        package var firstUnusablePause = Duration.seconds(1)
        package var longestUnusablePause = Duration.seconds(60)
        /// After this time the backoff of a process is reset: its next restart has no delay.
        package var stableUptime = Duration.seconds(10)
        /// Consecutive restarts of one member after which the mesh stops, before it was ready for the first time.
        package var restartsBeforeReady = 5
        /// The time from the request to stop until running processes are killed.
        package var stopTimeout = Duration.seconds(5)

        package init() {}
    }

    private enum Phase: Equatable {
        case running
        /// `killAt` is nil once all processes were killed and only their exits are awaited.
        case stopping(Outcome, killAt: ContinuousClock.Instant?, stage: Int?)
        case finished
    }

    private enum ProcessState: Equatable {
        case idle
        case alive(since: ContinuousClock.Instant)
        case pausing(until: ContinuousClock.Instant)
    }

    private struct Entry {
        var member: Member
        var condition = ProcessState.idle
        /// Since its start.
        var hasJoined = false
        /// It was asked to close, and has not done so yet.
        var isClosing = false
        /// Restarts since it last ran stably.
        var restarts = 0
        /// The consecutive exits because of unusable settings or data.
        var unusable = 0
        /// It has run stably before, so its settings are valid.
        var hasWorked = false
        /// Since when it has not run stably, and how it ended last.
        var downSince: ContinuousClock.Instant?
        var lastEnd: ProcessExit?
    }

    private let limits: Limits
    private var entries: [Entry]
    private var phase = Phase.running
    private var isGatewayReady = false
    /// The mesh was ready for the first time, and this was said.
    private var wasReady = false

    /// - Parameter members: in the order in which they start.
    package init(_ members: [Member], limits: Limits = Limits()) {
        self.limits = limits
        entries = members.map { Entry(member: $0) }
    }

    /// The latest time for `wake`; nil if only events matter.
    package var nextWakeUp: ContinuousClock.Instant? {
        switch phase {
        case .running:
            entries.compactMap { entry in
                if case .pausing(let until) = entry.condition { until } else { nil }
            }.min()
        case .stopping(_, let killAt, _): killAt
        case .finished: nil
        }
    }

    package mutating func receive(_ input: Input, at now: ContinuousClock.Instant) -> [Action] {
        switch input {
        case .start:
            return spawn(at: now) { $0 == .idle }
        case .ready:
            isGatewayReady = true
            return announceIfReady()
        case .joined(let instance):
            guard let index = index(of: instance) else { return [] }
            entries[index].hasJoined = isAlive(entries[index])
            return announceIfReady()
        case .closed(let instance):
            guard let index = index(of: instance), entries[index].isClosing else { return [] }
            entries[index].isClosing = false
            return stopNextStage()
        case .exited(let instance, let end):
            guard let index = index(of: instance) else { return [] }
            entries[index].hasJoined = false
            entries[index].isClosing = false
            let actions = end.isLasting ? stopAfterRefusal(index, end, at: now) : handleExit(index, end, at: now)
            return actions + announceIfReady()
        case .reload:
            return alive(in: nil).map { .reload($0) }
        case .stop:
            return phase == .running ? stop(.stopped, at: now) : []
        case .wake:
            return wake(at: now)
        }
    }

    private func index(of instance: String) -> Int? { entries.firstIndex { $0.member.instance == instance } }

    private mutating func announceIfReady() -> [Action] {
        guard phase == .running, isGatewayReady, !wasReady, entries.allSatisfy(isSettled) else { return [] }
        wasReady = true
        return [.announceReady]
    }

    /// Whether the readiness of the mesh waits no longer for a process.
    private func isSettled(_ entry: Entry) -> Bool {
        !entry.member.joinsBus || entry.hasJoined || entry.unusable > 0
            || (!entry.member.isEssential && entry.restarts > 1)
    }

    /// A process that does not work at present, since when, and how it ended last.
    package struct Outage: Equatable, Sendable {
        package var instance: String
        package var since: ContinuousClock.Instant
        package var end: ProcessExit

        package init(instance: String, since: ContinuousClock.Instant, end: ProcessExit) {
            self.instance = instance
            self.since = since
            self.end = end
        }
    }

    /// The processes that exited more than once without running stably in between, or cannot use their settings or
    /// data.
    package func outages(at now: ContinuousClock.Instant) -> [Outage] {
        guard phase == .running else { return [] }
        return entries.compactMap { entry in
            guard let since = entry.downSince, let end = entry.lastEnd, entry.restarts > 1 || entry.unusable > 0 else {
                return nil
            }
            if case .alive(let start) = entry.condition, start.duration(to: now) >= limits.stableUptime { return nil }
            return Outage(instance: entry.member.instance, since: since, end: end)
        }
    }

    /// Its settings or its data cannot be used. At its first start the mesh stops if the process is essential or a
    /// setting is wrong, because the operator must correct it. Later the other processes continue without it.
    private mutating func stopAfterRefusal(_ index: Int, _ end: ProcessExit, at now: ContinuousClock.Instant)
        -> [Action]
    {
        let instance = entries[index].member.instance
        guard phase == .running else {
            entries[index].condition = .idle
            return stopNextStage()
        }
        noteLife(of: index, end, at: now)
        let isFirstStart = !wasReady && !entries[index].hasWorked
        if isFirstStart, end == .code(ExitCode.settings) || entries[index].member.isEssential {
            entries[index].condition = .idle
            return stop(.refused(instance), at: now)
        }
        let pause = pause(
            after: entries[index].unusable, first: limits.firstUnusablePause, longest: limits.longestUnusablePause)
        entries[index].unusable += 1
        entries[index].condition = .pausing(until: now.advanced(by: pause))
        return [.reportUnusable(instance, end, restartIn: pause)]
    }

    /// Records how long a process ran that has ended now.
    private mutating func noteLife(of index: Int, _ end: ProcessExit, at now: ContinuousClock.Instant) {
        entries[index].lastEnd = end
        if case .alive(let since) = entries[index].condition, since.duration(to: now) >= limits.stableUptime {
            entries[index].restarts = 0
            entries[index].unusable = 0
            entries[index].hasWorked = true
            entries[index].downSince = nil
        }
        entries[index].downSince = entries[index].downSince ?? now
    }

    private mutating func handleExit(_ index: Int, _ end: ProcessExit, at now: ContinuousClock.Instant) -> [Action] {
        let instance = entries[index].member.instance
        guard phase == .running else {
            entries[index].condition = .idle
            return stopNextStage()
        }
        noteLife(of: index, end, at: now)
        if !wasReady, entries[index].member.isEssential, entries[index].restarts >= limits.restartsBeforeReady {
            entries[index].condition = .idle
            return stop(.neverReady(instance, end), at: now)
        }
        // The first restart has no delay.
        let restarts = entries[index].restarts
        let pause =
            restarts == 0
            ? .zero : pause(after: restarts - 1, first: limits.initialBackoff, longest: limits.maximumBackoff)
        entries[index].restarts += 1
        entries[index].condition = .pausing(until: now.advanced(by: pause))
        return [.reportExit(instance, end, restartIn: pause)] + wake(at: now)
    }

    private func pause(after count: Int, first: Duration, longest: Duration) -> Duration {
        var pause = first
        for _ in 0..<count where pause < longest { pause *= 2 }
        return min(pause, longest)
    }

    private mutating func wake(at now: ContinuousClock.Instant) -> [Action] {
        switch phase {
        case .running:
            return spawn(at: now) { condition in
                if case .pausing(let until) = condition { until <= now } else { false }
            }
        case .stopping(let outcome, let killAt?, let stage) where killAt <= now:
            phase = .stopping(outcome, killAt: nil, stage: stage)
            return alive(in: nil).map { .kill($0) }
        case .stopping, .finished:
            return []
        }
    }

    private mutating func spawn(at now: ContinuousClock.Instant, where isDue: (ProcessState) -> Bool) -> [Action] {
        var actions: [Action] = []
        for index in entries.indices where isDue(entries[index].condition) {
            entries[index].condition = .alive(since: now)
            actions.append(.spawn(entries[index].member.instance))
        }
        return actions
    }

    private mutating func stop(_ outcome: Outcome, at now: ContinuousClock.Instant) -> [Action] {
        for index in entries.indices {
            if case .pausing = entries[index].condition { entries[index].condition = .idle }
        }
        phase = .stopping(outcome, killAt: now.advanced(by: limits.stopTimeout), stage: nil)
        for index in entries.indices where isAlive(entries[index]) && entries[index].member.closesFirst {
            entries[index].isClosing = true
        }
        let closing = entries.filter(\.isClosing).map { Action.close($0.member.instance) }
        return closing.isEmpty ? stopNextStage() : closing
    }

    /// Moves to the next stage when all processes of the current one have ended.
    private mutating func stopNextStage() -> [Action] {
        guard case .stopping(let outcome, let killAt, let stage) = phase else { return [] }
        if entries.contains(where: \.isClosing) { return [] }
        if let stage, !alive(in: stage).isEmpty { return [] }
        let stages = entries.filter { isAlive($0) }.map(\.member.stopStage)
        guard let next = stages.min() else {
            phase = .finished
            return [.finish(outcome)]
        }
        phase = .stopping(outcome, killAt: killAt, stage: next)
        return alive(in: next).map { .terminate($0) }
    }

    /// The running members of one stage, or of all.
    private func alive(in stage: Int?) -> [String] {
        entries.filter { isAlive($0) && (stage == nil || $0.member.stopStage == stage) }.map(\.member.instance)
    }

    private func isAlive(_ entry: Entry) -> Bool {
        if case .alive = entry.condition { true } else { false }
    }
}
