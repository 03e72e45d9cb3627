import Glibc

/// Which programs can serve the schema, and which are running. Both are rows of the database, so that a program that does
/// not know the last migrations can decide whether it may serve them, and so that a contraction waits for the programs
/// that use what it removes.
extension SQLTransaction {
    /// The table with the lowest number of migrations that a program of this schema must know, in its only row.
    static let schemaWindowTable = "schema_window"
    /// The table with a row for each running process.
    static let schemaProcessesTable = "schema_processes"

    /// A process whose row is older does not run. It renews its row every six seconds (`StoreHealth`).
    static let longestSilenceInMilliseconds: Int64 = 30_000
    /// Older rows are deleted. It bounds the table.
    private static let rowLifetimeInMilliseconds: Int64 = 600_000

    borrowing func ensureSchemaWindow() throws(SQLError) {
        try run(
            script: """
                CREATE TABLE IF NOT EXISTS schema_window (id INTEGER PRIMARY KEY, compatible_since INTEGER NOT NULL);
                CREATE TABLE IF NOT EXISTS schema_processes (
                    process INTEGER PRIMARY KEY, version INTEGER NOT NULL, seen_at INTEGER NOT NULL
                )
                """)
    }

    /// - Returns: nil if no program has recorded it.
    package borrowing func compatibleSince() throws(SQLError) -> Int? {
        try firstRow("SELECT compatible_since FROM schema_window WHERE id = 1")?.get("compatible_since")
    }

    borrowing func setCompatibleSince(_ version: Int) throws(SQLError) {
        try execute(
            """
            INSERT INTO schema_window (id, compatible_since) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET compatible_since = excluded.compatible_since
            """, .integer(Int64(version)))
    }

    /// Whether a program that knows this many migrations may serve the schema.
    /// - Throws: `SQLError.schemaNewer` if not.
    package borrowing func requireCompatibility(with known: Int) throws(SQLError) {
        let found = try schemaVersion()
        guard found > known else { return }
        let needs = try compatibleSince() ?? found
        guard needs <= known else { throw .schemaNewer(found: found, needs: needs, known: known) }
    }

    /// Records a process that starts. A contraction in a transaction beside this one sees the row, or this one throws.
    /// - Throws: `SQLError.schemaNewer`.
    package borrowing func register(_ process: SchemaProcess) throws(SQLError) {
        let now = try milliseconds()
        try execute(
            "DELETE FROM schema_processes WHERE seen_at < $1 OR seen_at > $2",
            .integer(now - Self.rowLifetimeInMilliseconds), .integer(now + Self.rowLifetimeInMilliseconds))
        try renew(process, at: now)
        try requireCompatibility(with: process.version)
    }

    /// Records that a process still runs. The commit shows that the database accepts writes.
    package borrowing func renew(_ process: SchemaProcess) throws(SQLError) {
        try renew(process, at: milliseconds())
    }

    private borrowing func renew(_ process: SchemaProcess, at now: Int64) throws(SQLError) {
        try execute(
            """
            INSERT INTO schema_processes (process, version, seen_at) VALUES ($1, $2, $3)
            ON CONFLICT (process) DO UPDATE SET version = excluded.version, seen_at = excluded.seen_at
            """, .integer(process.number), .integer(Int64(process.version)), .integer(now))
    }

    /// Records that a process has ended.
    package borrowing func remove(_ process: SchemaProcess) throws(SQLError) {
        try execute("DELETE FROM schema_processes WHERE process = $1", .integer(process.number))
    }

    /// The number of running processes by the number of migrations that they know; 0 for a process of a release that did
    /// not record it, which shows by its writes in `store_probe`.
    /// - Parameter tables: those that exist.
    borrowing func runningProcesses(tables: Set<String>) throws(SQLError) -> [Int: Int] {
        let now = try milliseconds()
        let (first, last) = (now - Self.longestSilenceInMilliseconds, now + Self.longestSilenceInMilliseconds)
        var running: [Int: Int] = [:]
        if tables.contains(Self.schemaProcessesTable) {
            for row in try rows(
                "SELECT version, seen_at FROM schema_processes WHERE seen_at >= $1 AND seen_at <= $2", .integer(first),
                .integer(last))
            {
                running[try row.get("version"), default: 0] += 1
            }
        }
        if tables.contains(Self.probeTable),
            try firstRow(
                "SELECT id FROM store_probe WHERE probed_at >= $1 AND probed_at <= $2", .integer(first), .integer(last))
                != nil
        {
            running[0, default: 0] += 1
        }
        return running
    }

    /// The time of the server, so that machines with different clocks agree; of this machine for an engine in the
    /// process.
    private borrowing func milliseconds() throws(SQLError) -> Int64 {
        if let time = try serverTime() { return time }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}

/// A process that uses a database, for its row there.
package struct SchemaProcess: Equatable, Sendable {
    let number: Int64
    /// The number of migrations that its program knows.
    package let version: Int

    /// Random numbers, because processes on other machines have the same identifiers.
    package init(version: Int) {
        number = .random(in: 1 ... .max)
        self.version = version
    }
}
