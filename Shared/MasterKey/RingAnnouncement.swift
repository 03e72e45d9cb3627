import SQL

/// A master key that a rotation has added, as every database records it for the processes of all machines. The key itself
/// is in their files only.
package struct RingAnnouncement: Equatable, Sendable {
    package var keyID: String
    /// The key that sealed before.
    package var replacedID: String
    /// Whether the key seals. Before that, the processes are asked whether they hold it.
    package var isActive: Bool

    package init(keyID: String, replacedID: String, isActive: Bool) {
        self.keyID = keyID
        self.replacedID = replacedID
        self.isActive = isActive
    }
}

extension SealedRecords {
    /// For a migration of the service. Released: never edit it.
    package static let announcementTable = """
        CREATE TABLE ring_announcements (
            key_id TEXT PRIMARY KEY,
            replaced_key_id TEXT NOT NULL,
            is_active INTEGER NOT NULL
        );
        """

    /// All announcements of the database. The ring of this process follows the active ones.
    package func announcements() async throws -> [RingAnnouncement] {
        try await database.read { transaction in try announcements(transaction) }
    }

    /// The same, inside a transaction.
    func announcements(_ transaction: borrowing SQLTransaction) throws -> [RingAnnouncement] {
        let rows = try transaction.rows("SELECT key_id, replaced_key_id, is_active FROM ring_announcements")
        let found = try rows.map { row in
            RingAnnouncement(
                keyID: try row.get("key_id"), replacedID: try row.get("replaced_key_id"),
                isActive: try row.get("is_active"))
        }
        keys.masterKeys.follow(found)
        return found
    }

    /// Records an announcement, or what has become of it.
    package func save(_ announcement: RingAnnouncement) async throws {
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO ring_announcements (key_id, replaced_key_id, is_active) VALUES ($1, $2, $3)
                ON CONFLICT (key_id) DO UPDATE SET is_active = excluded.is_active
                """, .text(announcement.keyID), .text(announcement.replacedID), SQLValue(announcement.isActive))
        }
    }

    /// Lets an announced key seal.
    /// - Returns: false if its announcement was withdrawn.
    package func activate(_ keyID: String) async throws -> Bool {
        try await database.write { transaction in
            try transaction.execute("UPDATE ring_announcements SET is_active = 1 WHERE key_id = $1", .text(keyID))
            return transaction.changes == 1
        }
    }

    /// Removes the announcement of a key that does not seal yet.
    package func withdraw(_ keyID: String) async throws {
        try await database.write { transaction in
            try transaction.execute(
                "DELETE FROM ring_announcements WHERE key_id = $1 AND is_active = 0", .text(keyID))
        }
    }
}
