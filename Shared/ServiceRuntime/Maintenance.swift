import EventLoop

/// One task of the maintenance of a service, which runs again and again. Skipping a run is safe.
package struct MaintenanceTask: Sendable {
    package let name: String
    let interval: Duration
    let initialDelay: Duration
    let body: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - name: for the log.
    ///   - interval: from the end of a run to the next one.
    ///   - initialDelay: from the start of the process to the first run; nil for the interval.
    package init(
        _ name: String, every interval: Duration, after initialDelay: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.interval = interval
        self.initialDelay = initialDelay ?? interval
        self.body = body
    }
}

/// Runs the maintenance tasks of a service. The log has `maintenance.failed` with the first of consecutive failures of a
/// task; the task runs again after its interval, and the others are not affected.
package struct Maintenance: SignaledComponent {
    private let lists: [[MaintenanceTask]]
    private let log: Log
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    package let stop = StopSignal()

    /// - Parameters:
    ///   - lists: tasks of one list run one after the other, in order. The lists run concurrently, so a task that takes
    ///     long has a list of its own.
    ///   - now: a steady clock.
    ///   - sleep: throws when its task is canceled.
    package init(
        _ lists: [[MaintenanceTask]], log: Log, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await EventLoop.sleep(forAbout: $0) }
    ) {
        self.lists = lists
        self.log = log
        self.now = now
        self.sleep = sleep
    }

    package func run() async throws {
        await stop.run {
            await withTaskGroup { group in
                for list in lists { group.addTask { await run(list) } }
            }
        }
    }

    private func run(_ tasks: [MaintenanceTask]) async {
        var schedule = MaintenanceSchedule(tasks, at: now())
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await sleep(schedule.pause(at: now()))) != nil {
            for (place, task) in tasks.enumerated() where schedule.isDue(place, at: now()) {
                do {
                    try await task.body()
                    schedule.recordSuccess(of: place, at: now())
                } catch {
                    guard !Task.isCancelled else { return }
                    if schedule.recordFailure(of: place, at: now()) {
                        log.error(.maintenanceFailed, ["task": .public(task.name), "error": .kind(of: error)])
                    }
                }
            }
        }
    }
}

/// Decides when each task of a list runs. Tasks are known by their place in the list.
struct MaintenanceSchedule: Sendable {
    private struct Entry {
        let interval: Duration
        var dueAt: ContinuousClock.Instant
        var isFailing = false
    }

    private var entries: [Entry]

    init(_ tasks: [MaintenanceTask], at now: ContinuousClock.Instant) {
        entries = tasks.map { Entry(interval: $0.interval, dueAt: now + $0.initialDelay) }
    }

    /// The time until a task is due.
    func pause(at now: ContinuousClock.Instant) -> Duration {
        entries.map(\.dueAt).min().map { max(.zero, now.duration(to: $0)) } ?? .seconds(3600)
    }

    func isDue(_ place: Int, at now: ContinuousClock.Instant) -> Bool { entries[place].dueAt <= now }

    mutating func recordSuccess(of place: Int, at now: ContinuousClock.Instant) {
        entries[place].isFailing = false
        entries[place].dueAt = now + entries[place].interval
    }

    /// - Returns: whether it is the first of consecutive failures.
    mutating func recordFailure(of place: Int, at now: ContinuousClock.Instant) -> Bool {
        let isFirst = !entries[place].isFailing
        entries[place].isFailing = true
        entries[place].dueAt = now + entries[place].interval
        return isFirst
    }
}
