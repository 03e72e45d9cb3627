/// The database of one service, on any engine. Bodies are synchronous and run on a thread of the engine, so no
/// cooperative thread waits for a disk or a network.
///
/// One SQL text serves every engine: parameters `$1`, `$2`, ...; columns of the types `TEXT`, `INTEGER` (64 bits,
/// Booleans too) and `BLOB`; `ON CONFLICT` and `RETURNING`. `README.md` in this folder lists what to avoid.
package protocol SQLDatabase: Sendable {
    /// Runs `body` in a transaction and returns its result once the commit is durable. Transactions are serializable.
    /// - Parameter body: short. It has no effect outside the transaction, because it runs again if the engine aborts
    ///   the transaction because of a concurrent one.
    /// - Throws: the error of `body`, and then nothing was written; `SQLError.overloaded` at once if the queue is full;
    ///   `unavailable`, `busy`, `full`, `closed`.
    func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result

    /// Runs `body` on one consistent snapshot, which contains everything that was committed before the call.
    /// - Throws: the error of `body`; `SQLError.overloaded` at once if the queue is full; `unavailable`, `closed`;
    ///   `writeInReadOnlyTransaction` if a statement would change rows.
    func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result

    /// Runs one short statement that only reads, such as one by a key, on a snapshot that contains everything that was
    /// committed before the call. An engine on a network needs one round trip, and may share it among callers.
    /// - Throws: as `read`; `replaced` if the database has another epoch than the query.
    func rows(_ query: SQLQuery) async throws -> [SQLRow]

    /// Runs `body` as `read` does, but separately from all short work: for queries that read many rows. A few may wait.
    /// - Throws: as `read`.
    func longRead<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result

    /// Applies the missing `migrations`, as `SchemaPlan` says; each in a transaction, or all of them in one. Processes of an
    /// earlier release may serve the database meanwhile. If several processes start, one migrates; the others wait and find
    /// nothing left to do.
    /// - Returns: the version before; 0 for a new schema.
    /// - Throws: `SQLError.schemaNewer`, `migrationChanged`, `migrationWaits`, or the error of a statement.
    @discardableResult
    func migrate(_ migrations: [SQLMigration]) async throws -> Int

    /// Keeps a note outside of the database, if the engine has a place for one: whoever restores an earlier state of the
    /// database does not restore the note. It may be lost in a power failure.
    /// - Parameter note: at most a kilobyte. It replaces the former one.
    func keepNote(_ note: [UInt8]) async throws

    /// - Returns: nil without a note, and for an engine without a place for one.
    func note() async throws -> [UInt8]?

    /// Rejects new work, completes queued work, and returns when every connection is closed.
    func close() async
}

extension SQLDatabase {
    /// The default for a database without a separate connection for long reads.
    package func longRead<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await read(body)
    }

    /// The default for an engine on a server: a client has no place beside its files.
    package func keepNote(_ note: [UInt8]) async throws {}

    /// As above.
    package func note() async throws -> [UInt8]? { nil }
}
