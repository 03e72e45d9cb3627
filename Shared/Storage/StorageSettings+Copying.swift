internal import Glibc
internal import Postgres
package import SQL
internal import SQLite

extension StorageSettings {
    /// Opens the database for a complete copy, with long timeouts.
    /// - Parameter createIfMissing: whether a missing database is created.
    /// - Returns: nil if it is missing and must not be created.
    /// - Throws: as `open`.
    package func openForCopying(createIfMissing: Bool) async throws -> (any SQLDatabase)? {
        switch location {
        case .sqlite(let path):
            guard createIfMissing || access(path, F_OK) == 0 else { return nil }
            return try SQLiteDatabase(.file(path), readers: 1, statementTime: nil)
        case .postgres(let url):
            return try await PostgresDatabase(
                url, schema: schema, connections: 1, createsSchema: createIfMissing, limits: .longRunning)
        }
    }

    /// The name of the engine in a backup.
    package var engineName: String {
        switch location {
        case .sqlite: "sqlite"
        case .postgres: "postgres"
        }
    }
}
