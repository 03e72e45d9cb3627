/// The epoch of a database: a number that changes when a restored backup replaces all rows. A process with cached rows
/// compares it to detect that they are invalid.
extension SQLTransaction {
    /// The table with the epoch in its only row.
    package static let epochTable = "store_epoch"

    package static let epochQuery = "SELECT epoch FROM store_epoch WHERE id = 1"

    /// - Returns: nil if the database was never migrated.
    package borrowing func epoch() throws(SQLError) -> Int64? {
        try firstRow(Self.epochQuery)?.get("epoch")
    }

    /// Begins the first epoch unless there is one.
    borrowing func ensureEpoch() throws(SQLError) {
        try run(script: "CREATE TABLE IF NOT EXISTS store_epoch (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL)")
        try execute(
            "INSERT INTO store_epoch (id, epoch) VALUES (1, $1) ON CONFLICT (id) DO NOTHING", .integer(Self.newEpoch))
    }

    /// Begins another epoch: every process that knows the former one restarts.
    package borrowing func beginEpoch() throws(SQLError) {
        try execute(
            """
            INSERT INTO store_epoch (id, epoch) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch
            """, .integer(Self.newEpoch))
    }

    /// Random, so that two machines that restore the same backup do not choose the same one.
    private static var newEpoch: Int64 { .random(in: .min ... .max) }
}
