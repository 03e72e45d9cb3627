/// A small durable commit that checks whether a database accepts writes. It fails on a full or read-only file system, a
/// damaged file, and a server that became a standby.
extension SQLTransaction {
    /// The table that the probe writes, in its only row.
    package static let probeTable = "store_probe"

    /// - Parameter milliseconds: any number that differs from the last one, for example the time.
    package borrowing func probe(_ milliseconds: Int64) throws(SQLError) {
        try execute(
            """
            INSERT INTO store_probe (id, probed_at) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at
            """, .integer(milliseconds))
    }

    borrowing func ensureProbe() throws(SQLError) {
        try run(script: "CREATE TABLE IF NOT EXISTS store_probe (id INTEGER PRIMARY KEY, probed_at INTEGER NOT NULL)")
    }
}
