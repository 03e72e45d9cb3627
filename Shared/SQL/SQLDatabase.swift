/// A database of one service, whatever engine keeps it. Bodies are synchronous and run on a thread of the engine, so no
/// cooperative thread ever waits for a disk or a network.
///
/// One SQL text serves every engine: parameters `$1`, `$2`, ...; columns of the types `TEXT`, `INTEGER` (64 bits, truth
/// values too) and `BLOB`; `ON CONFLICT` and `RETURNING`. `README.md` beside this file lists what to keep away from.
package protocol SQLDatabase: Sendable {
    /// Runs `body` in a transaction and returns its answer once the commit is durable. Transactions that run at the
    /// same time have the effect of some order one after the other.
    /// - Parameter body: short. It has no effect outside the transaction, because it runs again when the engine gave
    ///   the transaction up over a neighbour.
    /// - Throws: what `body` threw, and then nothing was written; `SQLError.overloaded` at once when too many wait;
    ///   `unavailable`, `busy`, `full`, `closed`.
    func write<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer

    /// Runs `body` on one consistent snapshot, which holds everything that was committed before the call.
    /// - Throws: what `body` threw; `SQLError.overloaded` at once when too many wait; `unavailable`, `closed`;
    ///   `writeInReadOnlyTransaction` when a statement would change rows.
    func read<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer

    /// Runs `body` as `read` does, apart from all short work: for queries that look at many rows. A few may wait.
    /// - Throws: as `read`.
    func longRead<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer

    /// Brings the schema to the last of `migrations`, in one transaction: all that are missing, or none. Of several
    /// starters one migrates; the others wait, and find nothing left to do.
    /// - Throws: `SQLError.schemaNewer`, `migrationChanged`, or what a statement refused.
    func migrate(_ migrations: [SQLMigration]) async throws

    /// Refuses new work, does what waits, and returns when every connection is closed.
    func close() async
}

extension SQLDatabase {
    /// For a database that has nothing to keep apart.
    package func longRead<Answer: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Answer
    ) async throws -> Answer {
        try await read(body)
    }
}
