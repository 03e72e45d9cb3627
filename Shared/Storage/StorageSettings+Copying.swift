import Glibc
import Postgres
package import SQL
import SQLite

/// The one connection to PostgreSQL of a command that opens several databases and uses them one after the other.
package struct CommandConnection: Sendable {
    let pool = PostgresConnectionPool(isSingle: true)

    package init() {}
}

extension StorageSettings {
    /// Opens the database for a command, such as a complete copy, with long timeouts and one connection.
    /// - Parameters:
    ///   - createIfMissing: whether a missing database is created.
    ///   - connection: that of the command, for all databases that it opens.
    /// - Returns: nil if it is missing and must not be created.
    /// - Throws: as `open`; `SQLError.connectionsExhausted` if the server has had no free slot for ten seconds.
    package func openForCopying(
        createIfMissing: Bool, through connection: CommandConnection = CommandConnection()
    ) async throws -> (any SQLDatabase)? {
        switch location {
        case .sqlite(let path):
            guard createIfMissing || access(path, F_OK) == 0 else { return nil }
            return try SQLiteDatabase(.file(path), readers: 1, statementTime: nil)
        case .postgres(let url):
            return try await PostgresDatabase(
                url, schema: schema, connections: 1, createsSchema: createIfMissing, limits: .longRunning,
                pool: connection.pool)
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
