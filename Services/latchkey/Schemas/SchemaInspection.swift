import CommandLineArguments
package import Contracts
package import SQL
import ServiceRuntime
import Storage

/// The migrations of each service in this release. The main file of the executable passes them, because this module does
/// not know the services.
package struct ServiceSchemas: Sendable {
    let migrations: [ServiceName: [SQLMigration]]

    package init(_ migrations: [ServiceName: [SQLMigration]]) {
        self.migrations = migrations
    }
}

/// A command that compares databases with the migrations of this release. `LatchkeyCommand` gives it these.
protocol SchemaCommand: Command {
    /// - Throws: an `ExitError`.
    func run(knowing schemas: ServiceSchemas) async throws
}

extension SchemaCommand {
    func run() async throws { preconditionFailure("LatchkeyCommand runs it with the migrations") }
}

/// What the start of this release would do to the database of one service.
struct SchemaForecast: Encodable, Equatable {
    enum Outcome: String, Encodable {
        /// There is none yet.
        case created
        case unchanged
        /// Migrations run, while processes of earlier releases go on.
        case expanded
        /// A newer release has migrated it, and this one can serve it.
        case servedAsItIs = "served-as-it-is"
        /// Running processes of an earlier release need what a contraction removes.
        case waits
        case refused

        /// Whether the start of this release succeeds at once.
        var isAccepted: Bool {
            switch self {
            case .created, .unchanged, .expanded, .servedAsItIs: true
            case .waits, .refused: false
            }
        }
    }

    var service: ServiceName
    var outcome: Outcome
    /// The version of the database; 0 if there is none.
    var schema: Int
    /// The number of migrations that this release knows.
    var known: Int
    /// The migrations that the first start runs.
    var runs: [Int] = []
    /// Those that wait for `latchkey migrate --contract`.
    var waiting: [Int] = []
    /// Processes that use the database now, of this release and of others.
    var processes: [Int: Int] = [:]
    var sentence: String

    private enum CodingKeys: String, CodingKey { case service, outcome, schema, known, runs, waiting, sentence }

    /// - Parameter state: nil without a database.
    init(of service: ServiceName, _ migrations: [SQLMigration], in state: SchemaState?) {
        self.service = service
        let state = state ?? SchemaState(applied: [], compatibleSince: nil)
        (schema, known, processes) = (state.applied.count, migrations.count, state.processes)
        let name = service.rawValue
        do throws(SQLError) {
            let plan = try SchemaPlan(migrations, in: state)
            runs = plan.steps.map(\.version)
            waiting = plan.waiting.map(\.version)
            let steps = plan.steps.map { "\($0.version) (\($0.name))" }.joined(separator: ", ")
            if plan.found == 0 {
                outcome = .created
                sentence = "\(name): there is no database yet; the first start creates it with schema version \(known)."
            } else if plan.found > known {
                outcome = .servedAsItIs
                sentence =
                    "\(name): schema version \(plan.found) is that of a newer release, and serves this one, which knows \(known)."
            } else if plan.steps.isEmpty {
                outcome = .unchanged
                sentence = "\(name): schema version \(plan.found); this release changes nothing."
            } else {
                outcome = .expanded
                sentence =
                    "\(name): schema version \(plan.found); the first process of this release adds \(steps), and running "
                    + "processes go on."
            }
            if !plan.waiting.isEmpty {
                let names = plan.waiting.map { "\($0.version) (\($0.name))" }.joined(separator: ", ")
                sentence += " `latchkey migrate --contract` then runs \(names)."
            }
        } catch {
            if case .migrationWaits = error { outcome = .waits } else { outcome = .refused }
            sentence = "\(name): \(error.reason)."
        }
    }
}

/// Reads and migrates the databases of all services, one after the other.
struct SchemaInspection: Sendable {
    let stores: [StorageSettings]
    let schemas: ServiceSchemas
    private let connection = CommandConnection()

    init(_ stores: [StorageSettings], _ schemas: ServiceSchemas) {
        self.stores = stores
        self.schemas = schemas
    }

    /// What the start of this release would do. It changes nothing.
    /// - Throws: `SchemaCommandError.database`.
    func forecasts() async throws -> [SchemaForecast] {
        var forecasts: [SchemaForecast] = []
        for store in stores {
            guard let migrations = schemas.migrations[store.service] else { continue }
            let state = try await with(store) { database in
                try await database.read { transaction in try SchemaState(of: transaction) }
            }
            forecasts.append(SchemaForecast(of: store.service, migrations, in: state))
        }
        return forecasts
    }

    /// Runs the migrations that the start of this release runs; with `contracts` also those that wait.
    /// - Parameter note: called for each service with its versions before and after; without versions if there is no database.
    /// - Throws: `SchemaCommandError.database`.
    func migrate(
        contracts: Bool, _ note: (ServiceName, (former: Int, current: Int)?) throws -> Void
    ) async throws {
        for store in stores {
            guard let migrations = schemas.migrations[store.service] else { continue }
            let due = contracts ? migrations.map(\.withoutWaiting) : migrations
            let versions: (former: Int, current: Int)? = try await with(store) { database in
                // An empty one is created by the first start, which knows whether it lost its data.
                guard try await database.hasTables() else { return nil }
                let former = try await database.migrate(due)
                return (former, try await database.read { transaction in try transaction.schemaVersion() })
            }
            try note(store.service, versions)
        }
    }

    /// - Returns: nil without a database.
    private func with<Result: Sendable>(
        _ store: StorageSettings, _ body: (any SQLDatabase) async throws -> Result?
    ) async throws -> Result? {
        do {
            guard let database = try await store.openForCopying(createIfMissing: false, through: connection) else {
                return nil
            }
            do {
                let result = try await body(database)
                await database.close()
                return result
            } catch {
                await database.close()
                throw error
            }
        } catch let error as SQLError {
            throw SchemaCommandError.database(store.service, store.location.description, error)
        }
    }
}

/// The databases are not as a command needs them.
enum SchemaCommandError: ExitError, Equatable {
    case database(ServiceName, String, SQLError)
    /// What the start of this release would meet.
    case notServed([SchemaForecast])

    var exitCode: Int32 {
        switch self {
        case .database(_, _, let error): error.isPermanent ? StorageError.exitCode(of: error) : ExitCode.failure
        case .notServed(let forecasts):
            forecasts.contains { $0.outcome == .refused } ? ExitCode.data : ExitCode.failure
        }
    }

    var messages: [String] {
        switch self {
        case .database(let service, let place, let error): ["\(service.rawValue): \(place): \(error.reason)."]
        case .notServed(let forecasts): forecasts.filter { !$0.outcome.isAccepted }.map(\.sentence)
        }
    }
}
