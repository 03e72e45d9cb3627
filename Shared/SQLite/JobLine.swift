internal import Glibc

/// A bounded waiting line between many tasks and the threads that serve it.
///
/// `@unchecked Sendable`: every mutable part is touched only while `mutex` is held. A condition variable is what lets
/// our own threads sleep; the standard library's `Mutex` has none.
final class JobLine: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private let bound: Int
    /// The end of the line, the latest last.
    private var arriving: [SQLiteJob] = []
    /// The head of the line, the earliest last: both ends cost the same however long the line is.
    private var leaving: [SQLiteJob] = []
    private var isClosed = false
    /// Threads that serve this line.
    private var servers = 0
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

    /// - Parameter bound: how many jobs may wait.
    init(bound: Int) {
        self.bound = bound
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        // With default attributes neither can fail on Linux.
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Starts a thread for this line.
    /// - Parameter loop: calls `take` until it answers nothing, and returns.
    func serve(_ loop: sending @escaping () -> Void) {
        pthread_mutex_lock(mutex)
        servers += 1
        pthread_mutex_unlock(mutex)
        startThread {
            loop()
            self.leave()
        }
    }

    private func leave() {
        pthread_mutex_lock(mutex)
        servers -= 1
        let waiting = servers == 0 ? waitingForEnd : []
        if servers == 0 { waitingForEnd = [] }
        pthread_mutex_unlock(mutex)
        for continuation in waiting { continuation.resume() }
    }

    /// Queues a job at the end of the line.
    func add(_ job: SQLiteJob) throws(SQLiteError) {
        pthread_mutex_lock(mutex)
        let refusal: SQLiteError? = isClosed ? .closed : arriving.count + leaving.count >= bound ? .overloaded : nil
        if refusal == nil { arriving.append(job) }
        pthread_mutex_unlock(mutex)
        if let refusal { throw refusal }
        // Unlocked, so that the thread it wakes does not run into the lock.
        pthread_cond_signal(changed)
    }

    /// Waits for work. It blocks: for the threads of the line only.
    /// - Returns: the next jobs, at most `count`; none when the line is closed and everything was handed out.
    func take(atMost count: Int) -> [SQLiteJob] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while arriving.isEmpty && leaving.isEmpty && !isClosed { pthread_cond_wait(changed, mutex) }
        var taken: [SQLiteJob] = []
        while taken.count < count {
            if leaving.isEmpty {
                leaving = arriving.reversed()
                arriving.removeAll(keepingCapacity: true)
            }
            guard let job = leaving.popLast() else { break }
            taken.append(job)
        }
        return taken
    }

    /// Refuses new jobs. Those in the line are still done.
    func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        pthread_cond_broadcast(changed)
    }

    /// Returns when every thread has left.
    func end() async {
        await withCheckedContinuation { continuation in
            if !waitForEnd(continuation) { continuation.resume() }
        }
    }

    /// False if there is nothing to wait for.
    private func waitForEnd(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard servers > 0 else { return false }
        waitingForEnd.append(continuation)
        return true
    }
}

/// Starts a thread that runs `body` and ends with it.
private func startThread(_ body: sending @escaping () -> Void) {
    final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    // Initialising and detaching cannot fail on Linux.
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Retained once here, released once by the thread.
    let start = Unmanaged.passRetained(Start(body)).toOpaque()
    let code = pthread_create(
        &thread, &attributes,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, start)
    precondition(code == 0, "the system refused a thread: \(String(cString: strerror(code)))")
}
