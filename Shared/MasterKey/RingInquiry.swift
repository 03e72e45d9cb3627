import Crypto
import Glibc
package import SQL
import Vocabulary

/// How the operator's command finds the master keys of all processes that use a database, on any machine. Each process
/// registers in the database before it seals anything, until it ends. The command writes an inquiry, and each process
/// writes the ids of its ring within a second. A registered process that does not reply is starting, busy, suspended or was
/// killed.
package struct RingHolder: Equatable, Sendable {
    /// One run of a process.
    package let id: String
    /// Its name and that of its machine.
    package let instance: String
    /// The ids of its keys, the current one first.
    package let keyIDs: [String]
}

extension SealedRecords {
    /// For a migration of the service. Released: never edit it.
    package static let inquiryTables = """
        CREATE TABLE ring_inquiries (inquiry TEXT PRIMARY KEY);
        CREATE TABLE ring_holders (
            holder TEXT PRIMARY KEY,
            instance TEXT NOT NULL,
            inquiry TEXT NOT NULL,
            key_ids TEXT NOT NULL
        );
        """

    // MARK: The command

    /// Requests the ring of every process that uses the database. It ends an earlier inquiry.
    /// - Returns: the argument for `holders` and `endInquiry`.
    package func inquire() async throws -> String {
        let inquiry = Random.bytes(8).hexadecimal
        try await database.write { transaction in
            try Self.removeInquiry(transaction)
            try transaction.execute("INSERT INTO ring_inquiries (inquiry) VALUES ($1)", .text(inquiry))
        }
        return inquiry
    }

    /// The registered processes: those that have replied so far, and those that have not.
    /// - Returns: nil if another command has begun an inquiry in the meantime.
    package func holders(answering inquiry: String) async throws -> (replied: [RingHolder], silent: [RingHolder])? {
        try await database.read { transaction in
            guard try Self.inquiry(transaction) == inquiry else { return nil }
            var (replied, silent): ([RingHolder], [RingHolder]) = ([], [])
            let rows = try transaction.rows(
                "SELECT holder, instance, inquiry, key_ids FROM ring_holders ORDER BY instance, holder")
            for row in rows {
                let ids: String = try row.get("key_ids")
                let holder = RingHolder(
                    id: try row.get("holder"), instance: try row.get("instance"),
                    keyIDs: ids.split(separator: " ").map(String.init))
                if try row.get("inquiry") == inquiry { replied.append(holder) } else { silent.append(holder) }
            }
            return (replied, silent)
        }
    }

    /// Deletes the registrations of processes that have ended without doing it. One that runs registers again with its next
    /// reply.
    package func forget(_ holders: [RingHolder]) async throws {
        try await database.write { transaction in
            for holder in holders {
                try transaction.execute("DELETE FROM ring_holders WHERE holder = $1", .text(holder.id))
            }
        }
    }

    /// Deletes an inquiry. The processes stay registered.
    package func endInquiry(_ inquiry: String) async throws {
        try await database.write { transaction in
            guard try Self.inquiry(transaction) == inquiry else { return }
            try Self.removeInquiry(transaction)
        }
    }

    // MARK: The processes

    /// The ids of keys that this process does not have, and under which records of the service are: a rotation on another
    /// machine ended without it.
    func missingKeys() async throws -> [String] {
        let settled = try await database.read { transaction -> [String] in
            try transaction.rows("SELECT DISTINCT settled_key_id FROM sealed_columns")
                .compactMap { try $0.getIfPresent("settled_key_id") }
        }
        let masterKeys = keys.masterKeys
        return Set(settled).union(masterKeys.missedKeys).filter { !masterKeys.isKnown($0) }.sorted()
    }

    /// The ids of announced keys that this process does not have yet.
    func lackedAnnouncements() async throws -> [String] {
        try await announcements().filter { !$0.isActive }.map(\.keyID).filter { !keys.masterKeys.isKnown($0) }.sorted()
    }

    /// Replies to the current inquiry, unless this process has replied to it.
    /// - Parameter answered: the result of the previous call.
    /// - Returns: the inquiry that has a reply now; nil if there is none.
    func answerInquiry(as holder: RingHolder.Identity, after answered: String?) async throws -> String? {
        let inquiry = try await database.read { transaction in
            // In one transaction: a reply after an activation names the ring after it.
            _ = try announcements(transaction)
            return try Self.inquiry(transaction)
        }
        guard let inquiry, inquiry != answered else { return inquiry }
        let masterKeys = keys.masterKeys
        try await database.write { transaction in
            // `try?`: if the file is unusable, the ring stays as it is, and that is the reply.
            try? masterKeys.refresh()
            guard try Self.inquiry(transaction) == inquiry else { return }
            try holder.save(masterKeys.ring, answering: inquiry, in: transaction)
        }
        return inquiry
    }

    private static func inquiry(_ transaction: borrowing SQLTransaction) throws -> String? {
        try transaction.firstRow("SELECT inquiry FROM ring_inquiries LIMIT 1")?.get("inquiry")
    }

    private static func removeInquiry(_ transaction: borrowing SQLTransaction) throws {
        try transaction.execute("DELETE FROM ring_inquiries")
    }
}

extension RingHolder {
    /// The identity of a process in its registration and its replies.
    package struct Identity: Sendable {
        let id = Random.bytes(8).hexadecimal
        /// With the name of the machine, for messages to the operator.
        let instance: String

        package init(instance: String) {
            var name = [CChar](repeating: 0, count: 256)
            let isKnown = gethostname(&name, name.count - 1) == 0
            let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            self.instance = isKnown ? "\(instance) on \(host)" : instance
        }

        /// The maximum number of registrations under one name. A process that is killed leaves its own, and may be started
        /// again and again.
        static let registrationsPerInstance = 100

        /// Registers a process that starts. Of too many under its name, those that run register again with their next reply.
        func register(_ ring: MasterKeyRing, in transaction: borrowing SQLTransaction) throws {
            let row = try transaction.firstRow(
                "SELECT COUNT(*) AS holders FROM ring_holders WHERE instance = $1", .text(instance))
            if try row?.get("holders") ?? 0 >= Self.registrationsPerInstance {
                try transaction.execute("DELETE FROM ring_holders WHERE instance = $1", .text(instance))
            }
            try save(ring, answering: "", in: transaction)
        }

        /// Registers the process with its reply.
        /// - Parameter inquiry: empty if it has replied to none.
        func save(
            _ ring: MasterKeyRing, answering inquiry: String, in transaction: borrowing SQLTransaction
        ) throws {
            try transaction.execute(
                """
                INSERT INTO ring_holders (holder, instance, inquiry, key_ids) VALUES ($1, $2, $3, $4)
                ON CONFLICT (holder) DO UPDATE SET inquiry = excluded.inquiry, key_ids = excluded.key_ids
                """, .text(id), .text(instance), .text(inquiry), .text(ring.ids.joined(separator: " ")))
        }

        /// Removes the registration of a process that ends, or does not start.
        package func remove(from database: any SQLDatabase) async throws {
            try await database.write { transaction in
                try transaction.execute("DELETE FROM ring_holders WHERE holder = $1", .text(id))
            }
        }
    }
}
