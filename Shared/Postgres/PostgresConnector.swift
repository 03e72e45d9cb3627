import Glibc
import SQL

/// The connection of one thread while it has work: taken from the pool, or opened. It is opened again after an outage of the
/// server.
struct PostgresConnector {
    let settings: PostgresSettings
    let circuitBreaker: ServerCircuitBreaker
    let pool: PostgresConnectionPool
    let purpose: PostgresConnectionPool.Purpose
    private(set) var current: PostgresConnection?
    /// That of the pool when the current connection was opened.
    private var generation: UInt64 = 0

    init(
        settings: PostgresSettings, circuitBreaker: ServerCircuitBreaker, pool: PostgresConnectionPool,
        purpose: PostgresConnectionPool.Purpose
    ) {
        self.settings = settings
        self.circuitBreaker = circuitBreaker
        self.pool = pool
        self.purpose = purpose
    }

    /// - Throws: `connectionsExhausted` if the server accepts no further connection; `unavailable`, `cannotOpen`.
    mutating func connected() throws(SQLError) -> PostgresConnection {
        if let current {
            if generation == pool.generation(of: purpose.owner) { return current }
            // Another thread has found out that this server is gone, or another one is the primary.
            self.current = nil
            pool.countClosed(purpose)
        }
        generation = pool.generation(of: purpose.owner)
        if let idle = takeIdle() {
            current = idle
            return idle
        }
        try circuitBreaker.acquirePermission(at: ContinuousClock().now)
        pool.prepareToOpen(purpose)
        do throws(SQLError) {
            let connection = try PostgresConnection(settings, additionalSettings: additionalSettings)
            circuitBreaker.recordSuccess()
            pool.countOpened(purpose)
            current = connection
            return connection
        } catch .connectionsExhausted {
            pool.makeRoom(for: purpose)
            // Each attempt makes the server start a process, so they are few.
            circuitBreaker.recordFailure(
                .connectionsExhausted, at: ContinuousClock().now, cooldown: settings.limits.freeSlotInterval)
            throw .connectionsExhausted
        } catch {
            circuitBreaker.recordFailure(error, at: ContinuousClock().now)
            throw error
        }
    }

    /// Short jobs that begin together, as the periodic ones of an idle process do, share one connection: another one is
    /// opened only if none becomes idle for a moment.
    private func takeIdle() -> PostgresConnection? {
        if let idle = pool.take(purpose) { return idle }
        guard pool.hasOpened(purpose) else { return nil }
        for _ in 0..<Self.idleAttempts {
            usleep(1000)
            if let idle = pool.take(purpose) { return idle }
        }
        return nil
    }

    /// A millisecond each. Opening a connection takes several.
    private static let idleAttempts = 15

    /// Commands after those of every session.
    private var additionalSettings: [String] {
        switch purpose.work {
        case .transactions, .migration: []
        case .queries: PostgresSettings.settingsOfQueries
        }
    }

    /// Whether a job that waited since `start` may wait on for a connection: another thread of the database has one, or
    /// the server may soon have a free slot.
    func mayWait(since start: ContinuousClock.Instant) -> Bool {
        pool.hasOpened(purpose) || ContinuousClock().now - start < settings.limits.freeSlotTimeout
    }

    /// Returns the connection to the pool, because no job waits. It must not keep the snapshot of its last read.
    mutating func release() {
        guard let connection = current else { return }
        guard connection.endRead() else { return drop() }
        current = nil
        guard purpose.work != .migration else { return pool.countClosed(purpose) }
        pool.put(connection, purpose, generation: generation, idleTimeout: settings.limits.idleTimeout)
    }

    /// Closes a connection that is lost.
    mutating func drop() {
        guard current != nil else { return }
        current = nil
        pool.countLost(purpose)
    }

    /// Closes a connection whose server accepts no writes, unless it was opened just now: then the next one would not
    /// either. With `read-write`, libpq asks a server before it uses it.
    /// - Returns: whether it was closed.
    mutating func dropReadOnly() -> Bool {
        guard let current else { return false }
        let isAsked = settings.url.servers.allSatisfy { $0["target_session_attrs"] == "read-write" }
        guard isAsked || ContinuousClock.now - current.openedAt >= Self.trustInReadOnly else { return false }
        drop()
        return true
    }

    /// How long a new connection is not replaced because its server accepts no writes.
    private static let trustInReadOnly = Duration.seconds(1)

    /// Closes a connection on which the server did not reply in time, and reports that.
    mutating func drop(afterTimeout error: SQLError) {
        drop()
        circuitBreaker.recordFailure(error, at: ContinuousClock().now)
    }
}
