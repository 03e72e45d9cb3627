internal import Glibc
internal import Postgres
package import SQL
internal import SQLite

extension StorageSettings {
    /// Opens the database for one who goes through all of it, with the time that takes.
    /// - Parameter makes: whether a database that is not there is made.
    /// - Returns: nil when it is not there and is not to be made.
    /// - Throws: as `open`.
    package func openForCopying(makes: Bool) async throws -> (any SQLDatabase)? {
        switch location {
        case .sqlite(let path):
            guard makes || access(path, F_OK) == 0 else { return nil }
            return try SQLiteDatabase(.file(path), readers: 1, statementTime: nil)
        case .postgres(let url):
            return try await PostgresDatabase(
                url, schema: schema, connections: 1, makesSchema: makes, limits: .longRunning)
        }
    }

    /// The engine, as a backup names it.
    package var engineName: String {
        switch location {
        case .sqlite: "sqlite"
        case .postgres: "postgres"
        }
    }
}
