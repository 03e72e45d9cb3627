import Postgres
package import SQL
import SQLite

/// The engines for the store of a service. The contract is the same on all of them.
package enum StoreEngine: CaseIterable, CustomStringConvertible {
    case memory, file, postgres

    package var description: String {
        switch self {
        case .memory: "SQLite in memory"
        case .file: "SQLite in a file"
        case .postgres: "PostgreSQL"
        }
    }

    /// The engines that several processes can share.
    package static let shared: [StoreEngine] = [.file, .postgres]
}

/// The location of one database, initially empty, which can be opened more than once.
package struct StoreLocation: Sendable {
    private let engine: StoreEngine
    private let name: String
    /// The directory of the file, if there is one.
    package let directory: TemporaryDirectory
    private let url: PostgresURL?

    /// - Parameters:
    ///   - name: the name of the service, for the file and the schema.
    ///   - migrations: those that a database on a server has from the start. It is the copy of one that is migrated once:
    ///     a server takes longer to migrate a database than most tests.
    package init(_ engine: StoreEngine, name: String = "service", migrations: [SQLMigration] = []) async throws {
        self.engine = engine
        self.name = name
        directory = try TemporaryDirectory()
        switch engine {
        case .memory, .file: url = nil
        case .postgres:
            let server = try await RunningPostgres.shared()
            url = try PostgresURL(try await server.makeDatabase(schema: name, migrations: migrations))
        }
    }

    package func open() async throws -> any SQLDatabase {
        switch engine {
        case .memory: try SQLiteDatabase(.memory)
        case .file: try SQLiteDatabase(.file(directory.appending("\(name).sqlite")))
        case .postgres:
            if let url {
                try await PostgresDatabase(url, schema: name, connections: 4, limits: .patient)
            } else {
                preconditionFailure("made with its engine")
            }
        }
    }
}
