/// The epoch of a database: a number that changes when its rows are replaced as a whole, by a restored backup. Who kept
/// something in memory compares it, and knows whether that still has to do with what is stored.
extension SQLTransaction {
    /// The table that holds the epoch, in its only row.
    package static let epochTable = "store_epoch"

    /// - Returns: nil when the database has never been migrated.
    package borrowing func epoch() throws(SQLError) -> Int64? {
        try firstRow("SELECT epoch FROM store_epoch WHERE id = 1")?.get("epoch")
    }

    /// Begins the first epoch unless there is one.
    borrowing func ensureEpoch() throws(SQLError) {
        try run(script: "CREATE TABLE IF NOT EXISTS store_epoch (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL)")
        try execute(
            "INSERT INTO store_epoch (id, epoch) VALUES (1, $1) ON CONFLICT (id) DO NOTHING", .integer(Self.newEpoch))
    }

    /// Begins another epoch: every process that knew the former one starts anew.
    package borrowing func beginEpoch() throws(SQLError) {
        try execute(
            """
            INSERT INTO store_epoch (id, epoch) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch
            """, .integer(Self.newEpoch))
    }

    /// At random: two machines that restore the same backup do not agree on one by accident.
    private static var newEpoch: Int64 { .random(in: .min ... .max) }
}
