import Blocking
import Glibc
import Synchronization

/// The thread of an `EventLoop`, and what other threads pass to it.
final class EventLoopThread: EventLoopCore {
    private struct Inbox {
        var jobs: [UnownedJob] = []
        var starts: [EventSourceStart] = []
        var isClosed = false

        /// Replaces jobs that have run by those that were enqueued since.
        mutating func takeJobs(_ jobs: inout [UnownedJob], _ next: inout Int) {
            jobs.removeAll(keepingCapacity: true)
            next = 0
            swap(&jobs, &self.jobs)
        }
    }

    private struct Sleeping {
        var sleepers = Sleepers<CheckedContinuation<Void, any Error>>()
        var nextID: UInt64 = 0
    }

    private struct Owner {
        weak var loop: EventLoop?
    }

    private let owner = Mutex(Owner())
    private let inbox = Mutex(Inbox())
    private let sleeping = Mutex(Sleeping())
    private let signal: LoopSignal

    init() throws(EventLoopError) {
        signal = try LoopSignal()
    }

    var loop: EventLoop? { owner.withLock { $0.loop } }

    func register(_ loop: EventLoop) {
        owner.withLock { $0.loop = loop }
    }

    func enqueue(_ job: UnownedJob) {
        inbox.withLock { $0.jobs.append(job) }
        signal.notify()
    }

    func attach(_ start: EventSourceStart) {
        inbox.withLock { $0.starts.append(start) }
        signal.notify()
    }

    func wake() {
        signal.notify()
    }

    /// The thread ends once no source is left.
    func close() {
        inbox.withLock { $0.isClosed = true }
        signal.notify()
    }

    // MARK: Sleep

    /// Called on the thread of the loop, which therefore takes the new sleeper into account before it waits.
    func sleep(forAbout duration: Duration) async throws {
        let id = sleeping.withLock { sleeping in
            defer { sleeping.nextID += 1 }
            return sleeping.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleeping.withLock { $0.sleepers.insert(id, continuation, forAbout: duration, at: .now) }
                // Cancelled before the insertion: the handler below found no sleeper.
                if Task.isCancelled { endSleep(of: id) }
            }
        } onCancel: {
            endSleep(of: id)
        }
    }

    private func endSleep(of id: UInt64) {
        sleeping.withLock { $0.sleepers.remove(id) }?.resume(throwing: CancellationError())
    }

    // MARK: On the thread

    /// The maximum number of jobs between two turns of the sources: their heartbeats and timeouts must not wait long.
    private static let jobsPerTurn = 128

    /// A source that the loop serves.
    private struct Served {
        let owner: SourceOwner
        var schedule: TurnSchedule
        var ended: @Sendable ((any Error)?) -> Void
        /// The positions of its descriptors among those of the loop.
        var descriptors: Range<Int> = 0..<0
    }

    func run(as executor: UnownedTaskExecutor) {
        CurrentEventLoopCore.withValue(self) { serveUntilClosed(as: executor) }
    }

    private func serveUntilClosed(as executor: UnownedTaskExecutor) {
        var served: [Served] = []
        var polled = [pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)]
        var jobs: [UnownedJob] = []
        var nextJob = 0
        while true {
            // Jobs that these jobs enqueue run before the turns, which cost more.
            for _ in 0..<Self.jobsPerTurn {
                if nextJob == jobs.count { inbox.withLock { $0.takeJobs(&jobs, &nextJob) } }
                guard nextJob < jobs.count else { break }
                jobs[nextJob].runSynchronously(on: executor)
                nextJob += 1
            }

            // What changes after this line is seen below, or it notifies the loop.
            signal.beginTurn()
            var isBusy = false
            var dueAt: ContinuousClock.Instant?
            var finished: [(place: Int, error: (any Error)?)] = []
            let now = ContinuousClock.now
            for place in served.indices {
                let hasInput = polled[served[place].descriptors].contains { $0.revents != 0 }
                if served[place].schedule.takesTurn(hasInput: hasInput, at: now) {
                    do {
                        let state = try served[place].owner.turn(hasInput: hasInput)
                        served[place].schedule.hadTurn(state)
                        switch state {
                        case .busy: isBusy = true
                        case .waiting: break
                        case .finished: finished.append((place, nil))
                        }
                    } catch {
                        finished.append((place, error))
                    }
                }
                if let time = served[place].schedule.dueAt { dueAt = min(dueAt ?? time, time) }
            }
            if let sleepEnd = endDueSleeps(at: now) { dueAt = min(dueAt ?? sleepEnd, sleepEnd) }
            for (place, error) in finished.reversed() { Self.release(served.remove(at: place), error) }

            let (starts, isClosed) = inbox.withLock { inbox in
                if nextJob == jobs.count { inbox.takeJobs(&jobs, &nextJob) }
                defer { inbox.starts = [] }
                return (inbox.starts, inbox.isClosed)
            }
            if !starts.isEmpty { begin(starts, &served) }
            if isClosed, served.isEmpty, jobs.isEmpty { return }
            if !finished.isEmpty || !starts.isEmpty {
                polled = pollSet(of: &served)
                isBusy = true
            }
            poll(&polled, isBusy: isBusy || !jobs.isEmpty, dueAt: dueAt)
        }
    }

    /// - Returns: when the next sleep ends.
    private func endDueSleeps(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let (due, next) = sleeping.withLock { sleeping in
            (sleeping.sleepers.removeDue(at: now), sleeping.sleepers.dueAt)
        }
        for continuation in due { continuation.resume() }
        return next
    }

    private func begin(_ starts: [EventSourceStart], _ served: inout [Served]) {
        for start in starts {
            do {
                served.append(
                    Served(
                        owner: SourceOwner(try start.make()), schedule: TurnSchedule(start.signal), ended: start.ended))
            } catch {
                start.ended(error)
            }
        }
    }

    private func pollSet(of served: inout [Served]) -> [pollfd] {
        var polled = [pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)]
        for place in served.indices {
            let first = polled.count
            for descriptor in served[place].owner.descriptors {
                polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
            }
            served[place].descriptors = first..<polled.count
        }
        return polled
    }

    /// Waits until a descriptor is readable, the time has come, or another thread has called `notify`. A loop with work
    /// left only looks.
    private func poll(_ polled: inout [pollfd], isBusy: Bool, dueAt: ContinuousClock.Instant?) {
        let mayWait = !isBusy && signal.beginWait()
        let timeout = mayWait ? dueAt.map { Self.milliseconds(until: $0) } ?? -1 : 0
        // After a Unix signal it returns early, and leaves the results of the call before: sources with input then get another turn.
        _ = Glibc.poll(&polled, nfds_t(polled.count), timeout)
        if polled[0].revents != 0 { signal.reset() }
    }

    /// Rounded up, so that something is due when the wait ends.
    private static func milliseconds(until instant: ContinuousClock.Instant) -> Int32 {
        let (seconds, attoseconds) = (instant - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Releases a source on a thread of its own, because closing its sockets may wait for the last messages.
    private static func release(_ served: Served, _ error: (any Error)?) {
        let (owner, ended) = (served.owner, served.ended)
        DedicatedThread.start(label: "closing") {
            owner.release()
            ended(error)
        }
    }

    /// The only reference to a source.
    ///
    /// `@unchecked Sendable`: the thread of the loop uses it, and after the last turn the thread that releases it.
    private final class SourceOwner: @unchecked Sendable {
        private var source: (any EventSource)?

        init(_ source: any EventSource) {
            self.source = source
        }

        var descriptors: [Int32] { source?.descriptors ?? [] }

        func turn(hasInput: Bool) throws -> EventSourceState { try source?.turn(hasInput: hasInput) ?? .finished }

        func release() { source = nil }
    }
}
