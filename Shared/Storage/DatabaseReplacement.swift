package import Blocking
import Contracts
import Postgres
package import SQL
import SQLite

/// Puts new content in the place of a service's database, while processes use it.
///
/// The content is written beside the old one: on SQLite as a file, on PostgreSQL as a schema. So processes serve the old
/// content until it is complete. Then an epoch ends: each process ends as soon as it notices, and starts again with the new
/// content.
package struct DatabaseReplacement: Sendable {
    private let settings: StorageSettings
    private let connection: CommandConnection
    private let pool: BlockingPool

    /// - Parameter pool: for work on files.
    package init(of settings: StorageSettings, through connection: CommandConnection, _ pool: BlockingPool) {
        self.settings = settings
        self.connection = connection
        self.pool = pool
    }

    /// The file with the new content, as `SQLiteArchive` makes it. On SQLite it becomes the database. The caller removes it
    /// when it is not needed any more.
    package static func draft(of settings: StorageSettings) -> String {
        switch settings.location {
        case .sqlite(let path): SQLiteReplacement.draft(of: path)
        case .postgres: "\(settings.dataDirectory)/restore-\(settings.service.rawValue).sqlite"
        }
    }

    /// Puts the content of the draft in the place of the database.
    /// - Parameters:
    ///   - database: opened with `openForCopying`; it is closed afterwards.
    ///   - migrations: those of the draft.
    ///   - check: runs when no other process can change the database any more; throws to leave it as it is.
    ///   - rowCopied: called for each row that is written to a server.
    ///   - indexesBegin: called after the last of them.
    /// - Throws: `SQLError.busy` if a process does not end; the error of `check`; others of the engines. Then the database
    ///   is as it was.
    package func run(
        on database: any SQLDatabase, _ migrations: [SQLMigration],
        check: @Sendable @escaping (borrowing SQLTransaction) throws -> Void,
        rowCopied: @Sendable @escaping () -> Void, indexesBegin: @Sendable @escaping () -> Void
    ) async throws {
        let draft = Self.draft(of: settings)
        switch settings.location {
        case .sqlite(let path):
            let replacement = try await pool.run { try SQLiteReplacement(of: path) }
            defer { replacement.cancel() }
            try await database.write { transaction in
                try check(transaction)
                // An empty database has none.
                if try transaction.tables().contains(where: { $0.name == SQLTransaction.epochTable }) {
                    try transaction.beginEpoch()
                }
            }
            await database.close()
            try await pool.run { try replacement.finish(with: draft) }
        case .postgres(let url):
            guard let server = database as? PostgresDatabase else {
                preconditionFailure("the settings name the engine of the database")
            }
            let name = settings.schema + "_restore"
            try await server.dropSchema(name)
            let copy = try await PostgresDatabase(
                url, schema: name, connections: 1, limits: .longRunning, pool: connection.pool)
            do {
                try await copy.migrate(migrations)
                try await copy.write { target in
                    try SQLiteArchive.read(draft) { source in
                        let tables = try DatabaseCopy(source.tables())
                        // A migration may have inserted rows.
                        try tables.deleteAllRows(target)
                        _ = try tables.run(
                            from: source, to: target, rowCopied: { _, _ in rowCopied() }, indexesBegin: indexesBegin)
                        if let time = try source.trustedTime() { try target.setTrustedTime(time) }
                    }
                }
                await copy.close()
                try await server.replaceSchema(by: name, check)
            } catch {
                await copy.close()
                // `try?`: the first error is the one to report. The next restore removes the schema.
                try? await server.dropSchema(name)
                throw error
            }
        }
    }
}
