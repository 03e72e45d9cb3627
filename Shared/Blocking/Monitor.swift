import Glibc

/// State that several threads share, and a condition on which a thread can wait.
///
/// Only dedicated threads may call `wait`: a cooperative thread must never block in C.
///
/// `@unchecked Sendable`: `state` is accessed only while the mutex is held.
package final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: sending State) {
        self.state = state
        // Both fail only for attributes, which are not passed here.
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state. `body` must be short: it runs with the mutex held.
    package func withLock<R>(_ body: (inout State) -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state, then wakes one waiting thread.
    package func withLockAndSignal<R>(_ body: (inout State) -> R) -> R {
        defer { pthread_cond_signal(changed) }
        return withLock(body)
    }

    /// Changes the state, then wakes every waiting thread.
    package func withLockAndBroadcast<R>(_ body: (inout State) -> R) -> R {
        defer { pthread_cond_broadcast(changed) }
        return withLock(body)
    }

    /// Waits until `body` returns a value.
    package func wait<R>(until body: (inout State) -> R?) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let found = body(&state) { return found }
            pthread_cond_wait(changed, mutex)
        }
    }
}
