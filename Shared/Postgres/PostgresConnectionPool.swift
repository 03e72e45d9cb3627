import Synchronization

/// The connections of one database, or of several that a command opens one after the other.
///
/// A thread takes the idle connection that was used last, so little work uses few connections. Those that nobody uses for a
/// while are closed. A database opens at most as many as it has threads: each holds at most one, and opens one only if
/// none is idle.
package final class PostgresConnectionPool: Sendable {
    /// What a session is configured for, and the database that opened it.
    struct Purpose: Hashable, Sendable {
        enum Work: Sendable { case transactions, queries, migration }

        var owner: UInt64
        var work: Work
    }

    /// `@unchecked`: libpq allows any thread, one at a time. The pool hands each connection to one thread, which keeps no
    /// reference when it returns it.
    private struct Idle: @unchecked Sendable {
        let connection: PostgresConnection
        let purpose: Purpose
        let since: ContinuousClock.Instant
    }

    private struct State {
        var owners: UInt64 = 0
        /// The one used last is the last.
        var idle: [Idle] = []
        /// By owner: how many times its connections became obsolete.
        var generations: [UInt64: UInt64] = [:]
        /// Idle ones and those that a thread holds.
        var opened: [Purpose: Int] = [:]

        /// Removes idle connections. They close when the caller drops the result, outside of the lock.
        mutating func remove(where isLeaving: (Idle) -> Bool) -> [Idle] {
            let leaving = idle.filter(isLeaving)
            idle.removeAll(where: isLeaving)
            for entry in leaving { opened[entry.purpose, default: 1] -= 1 }
            return leaving
        }
    }

    private let state = Mutex(State())
    /// Whether a connection is opened only after the idle ones of other databases are closed.
    private let isSingle: Bool

    /// - Parameter isSingle: for a command, which works with one database at a time and uses one connection.
    package init(isSingle: Bool = false) {
        self.isSingle = isSingle
    }

    /// A number for a database that uses the pool.
    func newOwner() -> UInt64 {
        state.withLock { state in
            state.owners += 1
            return state.owners
        }
    }

    /// The idle connection for this purpose that was used last.
    func take(_ purpose: Purpose) -> PostgresConnection? {
        state.withLock { state -> Idle? in
            guard let place = state.idle.lastIndex(where: { $0.purpose == purpose }) else { return nil }
            return state.idle.remove(at: place)
        }?.connection
    }

    /// Makes room before a connection is opened.
    func prepareToOpen(_ purpose: Purpose) {
        if isSingle { closeIdle { $0.purpose != purpose } }
    }

    /// Counts a connection that its thread holds.
    func countOpened(_ purpose: Purpose) {
        state.withLock { $0.opened[purpose, default: 0] += 1 }
    }

    /// A thread has closed its connection, because no other job needs it.
    func countClosed(_ purpose: Purpose) {
        state.withLock { $0.opened[purpose, default: 1] -= 1 }
    }

    /// A thread has closed its connection, because it is lost or its server accepts no writes. After a restart of the
    /// server, or when another one became the primary, all others of the database are as useless, and each would fail a
    /// job: the idle ones are closed now, and threads close theirs before the next job.
    func countLost(_ purpose: Purpose) {
        state.withLock { state in
            state.opened[purpose, default: 1] -= 1
            state.generations[purpose.owner, default: 0] += 1
        }
        closeIdle { $0.purpose.owner == purpose.owner }
    }

    /// A connection that was opened in an earlier generation is not used again.
    func generation(of owner: UInt64) -> UInt64 {
        state.withLock { $0.generations[owner, default: 0] }
    }

    /// Keeps a connection for the next job, and closes those that were idle for too long.
    /// - Parameter generation: the one in which it was opened; if it is over, the connection is closed.
    func put(_ connection: PostgresConnection, _ purpose: Purpose, generation: UInt64, idleTimeout: Duration) {
        let now = ContinuousClock.now
        let isKept = state.withLock { state in
            guard state.generations[purpose.owner, default: 0] == generation else {
                state.opened[purpose, default: 1] -= 1
                return false
            }
            state.idle.append(Idle(connection: connection, purpose: purpose, since: now))
            return true
        }
        guard isKept else { return }
        closeIdle { now - $0.since > idleTimeout }
    }

    /// Whether a thread holds or can take a connection for this purpose.
    func hasOpened(_ purpose: Purpose) -> Bool {
        state.withLock { $0.opened[purpose, default: 0] > 0 }
    }

    /// The server has no free slot: gives those back that serve another purpose.
    func makeRoom(for purpose: Purpose) {
        closeIdle { $0.purpose != purpose }
    }

    /// Closes the idle connections of a database that is closed.
    func close(owner: UInt64) {
        closeIdle { $0.purpose.owner == owner }
    }

    private func closeIdle(where isLeaving: (Idle) -> Bool) {
        let leaving = state.withLock { $0.remove(where: isLeaving) }
        // A connection closes with its last reference, after the lock.
        withExtendedLifetime(leaving) {}
    }
}
