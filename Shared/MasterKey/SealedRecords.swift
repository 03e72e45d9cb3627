package import SQL

/// All sealed records of one service: the columns that it declares in its database, and the keys for them.
///
/// The declaration is in the table `sealed_columns`. The operator's command reads it there, and reseals and counts
/// records without knowledge of the service.
package struct SealedRecords: Sendable {
    /// For a migration of the service. Released: never edit it.
    package static let tables = """
        CREATE TABLE service_secrets (
            name TEXT NOT NULL,
            secret_id TEXT NOT NULL,
            sealed_secret BLOB NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (name, secret_id)
        );
        CREATE TABLE sealed_columns (
            table_name TEXT NOT NULL,
            column_name TEXT NOT NULL,
            key_columns TEXT NOT NULL,
            label TEXT NOT NULL,
            settled_key_id TEXT,
            PRIMARY KEY (table_name, column_name)
        );
        """

    /// The tables of this module in the database of a service.
    package static let tableNames: Set<String> = [
        "service_secrets", "sealed_columns", "ring_inquiries", "ring_holders", "ring_announcements",
    ]

    package let keys: SealingKeys
    package let columns: [SealedColumn]
    let database: any SQLDatabase

    /// The maximum number of rows read at a time and resealed in one transaction.
    static let batch = 100

    /// - Parameter columns: all sealed columns of the service, except the one of its `ServiceSecrets`.
    package init(_ database: any SQLDatabase, keys: SealingKeys, columns: [SealedColumn]) {
        self.init(database, keys: keys, declared: [ServiceSecrets.column] + columns)
    }

    private init(_ database: any SQLDatabase, keys: SealingKeys, declared: [SealedColumn]) {
        self.database = database
        self.keys = keys
        columns = declared
    }
}

// MARK: - Declaring

extension SealedRecords {
    /// Records in the database which columns are sealed, and registers the process. For the service, when its tables are
    /// up to date, and before it seals anything.
    package func declare() async throws {
        try await database.write { transaction in
            // From here on the process seals under the key that the other machines seal under. In one transaction with the
            // registration: a rotation that asks after it waits for this process, and one that has ended is followed.
            _ = try announcements(transaction)
            let ring = keys.masterKeys.ring
            try keys.masterKeys.holder?.register(ring, in: transaction)
            let known = try transaction.sealedColumns()
            for column in columns where !known.contains(column) {
                // No scan has covered the column yet. An empty table needs none.
                let isEmpty = try transaction.firstRow("SELECT \(column.key[0]) FROM \(column.table) LIMIT 1") == nil
                try transaction.execute(
                    """
                    INSERT INTO sealed_columns (table_name, column_name, key_columns, label, settled_key_id)
                    VALUES ($1, $2, $3, $4, $5)
                    ON CONFLICT (table_name, column_name) DO UPDATE SET key_columns = excluded.key_columns,
                        label = excluded.label, settled_key_id = excluded.settled_key_id
                    """, .text(column.table), .text(column.name), .text(column.key.joined(separator: " ")),
                    .text(column.label), SQLValue(isEmpty ? ring.current.id : nil))
            }
            for column in known where !columns.contains(where: { $0.named == column.named }) {
                try transaction.execute(
                    "DELETE FROM sealed_columns WHERE table_name = $1 AND column_name = $2", .text(column.table),
                    .text(column.name))
            }
        }
    }

    /// The declaration of a service in its database; nil if the service has never used it, or seals nothing. For other
    /// processes than the service.
    /// - Throws: `SealedRecordsError`.
    package static func declared(in database: any SQLDatabase, keys: SealingKeys) async throws -> SealedRecords? {
        let columns: [SealedColumn]
        do {
            columns = try await database.read { transaction in
                let named = SealedColumn.named(in: try transaction.appliedMigrations())
                    .filter { $0.column != "sealed_columns" }
                guard !named.isEmpty else { return [] }
                guard named.contains(ServiceSecrets.column.named) else {
                    throw SealedRecordsError.undeclared(named.map(\.text).sorted())
                }
                let columns = try transaction.sealedColumns()
                let missing = named.subtracting(columns.map(\.named))
                guard missing.isEmpty else { throw SealedRecordsError.undeclared(missing.map(\.text).sorted()) }
                guard try transaction.tables().contains(where: { $0.name == "ring_announcements" }) else {
                    throw SealedRecordsError.older
                }
                return columns
            }
        } catch let error as SQLError where error.isMissingTable {
            return nil
        }
        return columns.isEmpty ? nil : SealedRecords(database, keys: keys, declared: columns)
    }
}

/// Why the operator's command cannot process a database.
package enum SealedRecordsError: Error, Equatable, CustomStringConvertible {
    /// Sealed columns without a declaration: the service is older than this program.
    case undeclared([String])
    /// The service has not run with this version.
    case older
    /// A row of `sealed_columns` that no service has written.
    case damaged

    package var description: String {
        switch self {
        case .damaged: "its table sealed_columns holds what is no column"
        case .older: "it has no table ring_announcements"
        case .undeclared(let columns): "its service has not declared \(columns.joined(separator: ", ")) yet"
        }
    }
}

extension SealedColumn.QualifiedName {
    fileprivate var text: String { "\(table).\(column)" }
}

// MARK: - Scanning

extension SealedRecords {
    /// The result of a scan of all records.
    package struct Scan: Equatable, Sendable {
        /// Records under each key before the scan changed them, by the key's id.
        package var found: [String: Int]
        /// Records of the old form without a key id.
        package var legacyCount: Int
        /// The part of all records that was resealed under the current key.
        package var resealed: Int
        /// The part of all records that no key of the ring opens: damaged, or sealed under a lost key.
        package var unreadable: Int

        package init(found: [String: Int] = [:], legacyCount: Int = 0, resealed: Int = 0, unreadable: Int = 0) {
            self.found = found
            self.legacyCount = legacyCount
            self.resealed = resealed
            self.unreadable = unreadable
        }

        /// The number of scanned records.
        package var seen: Int { found.values.reduce(legacyCount, +) }

        /// Records whose key is not one of these.
        package func count(underNoneOf ids: [String]) -> Int {
            found.reduce(0) { ids.contains($1.key) ? $0 : $0 + $1.value }
        }

        /// Whether every readable record is under `current`.
        package func isAllUnder(_ current: String) -> Bool { seen - unreadable == found[current, default: 0] }
    }

    /// Scans every record in small batches, and reseals those that are not under the current key. A record that another
    /// process changes meanwhile is skipped: another scan will find it if necessary.
    /// - Parameter progress: called after each batch.
    package func reseal(_ progress: (Scan) -> Void = { _ in }) async throws -> Scan {
        let current = keys.masterKeys.ring.current.id
        var scan = Scan()
        for column in columns {
            try await forEachPage(of: column) { rows in
                scan.count(rows)
                let stale = rows.filter { $0.keyID != current }
                if !stale.isEmpty {
                    let outcome = try await reseal(stale, of: column)
                    scan.resealed += outcome.resealed
                    scan.unreadable += outcome.unreadable
                }
                progress(scan)
            }
        }
        return scan
    }

    /// Counts the records under each key.
    package func countRecords() async throws -> Scan {
        var scan = Scan()
        for column in columns {
            try await forEachPage(of: column) { scan.count($0) }
        }
        return scan
    }

    private func forEachPage(of column: SealedColumn, _ body: ([SealedColumn.Row]) async throws -> Void) async throws {
        var position: [SQLValue]?
        repeat {
            let rows = try await database.read { [position] transaction in
                try column.page(after: position, limit: Self.batch, in: transaction)
            }
            try await body(rows)
            position = rows.count == Self.batch ? rows.last?.key : nil
        } while position != nil
    }

    private func reseal(
        _ rows: [SealedColumn.Row], of column: SealedColumn
    ) async throws -> (resealed: Int, unreadable: Int) {
        try await database.write { transaction in
            var (resealed, unreadable) = (0, 0)
            for row in rows {
                let binding = column.binding(row.key)
                // `try?`: one unreadable record must not keep the others under an old key.
                guard let plain = try? keys.open(row.record, binding: binding) else {
                    unreadable += 1
                    continue
                }
                let record = try keys.seal(plain, binding: binding)
                if try column.replace(row, with: record, in: transaction) { resealed += 1 }
            }
            return (resealed, unreadable)
        }
    }
}

extension SealedRecords.Scan {
    fileprivate mutating func count(_ rows: [SealedColumn.Row]) {
        for row in rows {
            if let id = row.keyID { found[id, default: 0] += 1 } else { legacyCount += 1 }
        }
    }
}

// MARK: - Completion

extension SealedRecords {
    /// Whether an earlier scan found every record under this key, after all processes knew it.
    func isResealed(under keyID: String) async throws -> Bool {
        try await database.read { transaction in
            try transaction.rows("SELECT settled_key_id FROM sealed_columns")
                .allSatisfy { try $0.getIfPresent("settled_key_id") == keyID }
        }
    }

    /// Records that every record is under this key.
    /// - Parameter rotated: runs in the same transaction if the records were under another key before. If several
    ///   processes detect this, it runs in one of them.
    func markResealed(on keyID: String, _ rotated: @Sendable @escaping (borrowing SQLTransaction) throws -> Void)
        async throws
    {
        try await database.write { transaction in
            let former: [String] = try transaction.rows("SELECT settled_key_id FROM sealed_columns")
                .compactMap { try $0.getIfPresent("settled_key_id") }
            guard former != columns.map({ _ in keyID }) else { return }
            try transaction.execute("UPDATE sealed_columns SET settled_key_id = $1", .text(keyID))
            if former.contains(where: { $0 != keyID }) { try rotated(transaction) }
        }
    }
}

extension SQLTransaction {
    fileprivate borrowing func sealedColumns() throws -> [SealedColumn] {
        try rows(
            """
            SELECT table_name, column_name, key_columns, label FROM sealed_columns ORDER BY table_name, column_name
            """
        ).map { row in
            guard
                let column = SealedColumn(
                    declared: try row.get("column_name"), of: try row.get("table_name"),
                    key: try row.get("key_columns"),
                    label: try row.get("label"))
            else { throw SealedRecordsError.damaged }
            return column
        }
    }
}
