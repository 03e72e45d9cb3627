/// The last time of day that a process trusted. It is stored, and acts that cannot be undone are compared with it.
extension SQLTransaction {
    /// The table with the time in its only row.
    package static let clockTable = "store_clock"

    borrowing func ensureClock() throws(SQLError) {
        try run(script: "CREATE TABLE IF NOT EXISTS store_clock (id INTEGER PRIMARY KEY, trusted_at INTEGER NOT NULL)")
    }

    /// - Returns: Unix milliseconds; nil if no process has trusted a clock yet.
    package borrowing func trustedTime() throws(SQLError) -> Int64? {
        try firstRow("SELECT trusted_at FROM store_clock WHERE id = 1")?.get("trusted_at")
    }

    /// - Parameter milliseconds: nil if no process has trusted a clock.
    package borrowing func setTrustedTime(_ milliseconds: Int64?) throws(SQLError) {
        guard let milliseconds else { return try execute("DELETE FROM store_clock") }
        try execute(
            """
            INSERT INTO store_clock (id, trusted_at) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET trusted_at = excluded.trusted_at
            """, .integer(milliseconds))
    }

    /// The current time of the database server in Unix milliseconds; nil for an engine in this process.
    package borrowing func serverTime() throws(SQLError) -> Int64? { try catalog.serverTime(self) }
}
