import SQL
import Vocabulary

/// The rows of a database, to compare two of them.
struct DatabaseContent: Equatable, Sendable {
    /// The rows of each table, in one order, as texts.
    var rows: [String: [String]] = [:]

    /// Tables that a store needs to open, and those that every database has.
    private static let lasting: Set<String> = SQLTransaction.bookkeepingTables.union([
        "store_commits", "service_secrets", "sealed_columns", "ring_inquiries", "ring_holders",
        "ring_announcements",
    ])

    private static func tables(_ transaction: borrowing SQLTransaction) throws -> [SQLTable] {
        try transaction.tables().filter { !lasting.contains($0.name) }
    }

    /// Deletes all rows except those that a store needs to open.
    static func clear(_ database: any SQLDatabase, keeping kept: Set<String>) async throws {
        try await database.write { transaction in
            var rest = try tables(transaction).filter { !kept.contains($0.name) }
            while !rest.isEmpty {
                // A row is deleted after those that refer to it.
                let referenced = rest.reduce(into: Set<String>()) { found, table in
                    found.formUnion(table.references.subtracting([table.name]))
                }
                let free = rest.filter { !referenced.contains($0.name) }
                for table in free.isEmpty ? rest : free { try transaction.execute("DELETE FROM \(table.name)") }
                rest.removeAll { table in free.isEmpty || free.contains { $0.name == table.name } }
            }
        }
    }

    /// - Parameter masked: columns that differ between two equal runs, for example times and what is sealed.
    init(of database: any SQLDatabase, masking masked: Set<String>) async throws {
        rows = try await database.read { transaction in
            var rows: [String: [String]] = [:]
            for table in try Self.tables(transaction) where !masked.contains("\(table.name).*") {
                let columns = table.columns.filter { column in
                    !masked.contains(column) && !masked.contains("\(table.name).\(column)")
                        && !column.hasPrefix("sealed_")
                }
                guard !columns.isEmpty else { continue }
                let found = try transaction.rows("SELECT \(columns.joined(separator: ", ")) FROM \(table.name)")
                rows[table.name] = found.map { row in
                    zip(columns, row.values).map { "\($0)=\(Self.text($1))" }.joined(separator: " ")
                }.sorted()
            }
            return rows
        }
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text)'"
        case .blob(let bytes): bytes.hexadecimal
        }
    }

    /// The rows that only one of the two has.
    func difference(from other: DatabaseContent) -> String {
        let names = Set(rows.keys).union(other.rows.keys).sorted()
        return names.flatMap { name -> [String] in
            let (mine, others) = (rows[name] ?? [], other.rows[name] ?? [])
            return mine.filter { !others.contains($0) }.map { "  \(name) has \($0)" }
                + others.filter { !mine.contains($0) }.map { "  \(name) lacks \($0)" }
        }.joined(separator: "\n")
    }
}
