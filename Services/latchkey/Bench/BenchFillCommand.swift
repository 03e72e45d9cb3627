import CommandLineArguments
package import Contracts
package import MasterKey
package import SQL
import ServiceRuntime
import Settings
import Storage
package import Vocabulary

/// How the databases of services are filled with accounts. The main file of the executable passes it, because services do
/// not know each other.
package struct AccountFills: Sendable {
    package typealias FactorInsertion = @Sendable ([MFATOTP.ImportedFactor]) async throws -> Void

    let accounts:
        @Sendable (
            _ count: Int, Realm, any SQLDatabase, ReloadingMasterKeyRing, _ now: Moment, FactorInsertion,
            _ added: @Sendable (Int) -> Void
        ) async throws -> Int
    let factors: @Sendable (Realm, any SQLDatabase, ReloadingMasterKeyRing) async throws -> FactorInsertion

    /// - Parameters:
    ///   - accounts: adds the accounts that are missing to identity, and returns their number.
    ///   - factors: opens mfa-totp for the factors of these accounts.
    package init(
        accounts:
            @escaping @Sendable (
                _ count: Int, Realm, any SQLDatabase, ReloadingMasterKeyRing, _ now: Moment, FactorInsertion,
                _ added: @Sendable (Int) -> Void
            ) async throws -> Int,
        factors: @escaping @Sendable (Realm, any SQLDatabase, ReloadingMasterKeyRing) async throws -> FactorInsertion
    ) {
        self.accounts = accounts
        self.factors = factors
    }
}

/// `latchkey bench fill`.
struct BenchFillCommand: Command {
    private static let accounts = CommandOption(
        "accounts", value: "NUMBER", "accounts in all, those of an earlier run included (default: 1000)")
    static let permittedCounts = 1...100_000_000

    static let declaration = CommandDeclaration(
        "fill", "fill the databases of dev mode with accounts",
        discussion: """
            It makes accounts as they are after a month, with sessions, second factors and the audit log, and writes them \
            into the databases, some thousand in a transaction. An interrupted run goes on where it stopped. Without dev mode \
            it is refused. The mesh must have been started once, and must be stopped.

            Accounts with an address and no provider have the password "a password of the bench". Authenticator apps have \
            the secret "secret of every app ", as ASCII.
            """, options: [accounts, .project, .json, .data, .dev, .environmentFile])

    private struct Result: Encodable {
        var accounts: Int
        var added: Int
    }

    let count: Int
    let realm: Realm
    private let settings: DatabaseSettings
    private let output: CommandOutput

    /// - Throws: `SettingsError` outside of dev mode, too; `UsageError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        var reader = SettingsReader(environment, of: .latchkey)
        if !reader.boolean(.dev) {
            reader.addIssue(
                .dev, "is not set, and `latchkey bench fill` writes into databases of dev mode only",
                remedy: "Add --dev, and never for an installation that somebody uses")
        }
        let project: ProjectID? = reader.value(
            .project, default: .some(nil), placeholder: nil, expects: "a project id", example: "my-project"
        ) { text in ProcessSettings.projectID(text).map(Optional.some) }
        try reader.finish()
        realm = Realm(project: project ?? ProcessSettings.devProject)
        count = try arguments.integer(Self.accounts, Self.permittedCounts) ?? 1000
        settings = try DatabaseSettings(environment)
        output = CommandOutput(arguments)
    }

    func run() async throws { preconditionFailure("LatchkeyCommand runs it with fills") }

    /// - Throws: `BenchError`, `LauncherError`, `MasterKeyError`, `SQLError`.
    func run(with fills: AccountFills) async throws {
        let settings = try settings.inExistingDirectory()
        guard !DataDirectory.isInUse(settings.dataDirectory) else {
            throw BenchError.meshRuns(settings.dataDirectory)
        }
        let keys = try ReloadingMasterKeyRing(settings.masterKey)
        let progress = CopyProgress.standardError()
        let added = try await Self.withDatabases([.mfaTOTP, .identity], of: settings.stores) { databases in
            let insertFactors = try await fills.factors(realm, databases[0], keys)
            progress.begin(.identity, total: count, of: "accounts")
            defer { progress.finish() }
            return try await fills.accounts(
                count, realm, databases[1], keys, WallClock.now(), insertFactors, progress.reach)
        }
        try output.show(
            Result(accounts: count, added: added),
            "\(count) accounts of project \(realm.project) are there; \(added) of them were added.")
    }

    /// Opens databases that a mesh has made, for `body`.
    private static func withDatabases<Result: Sendable>(
        _ services: [ServiceName], of stores: [StorageSettings], _ body: ([any SQLDatabase]) async throws -> Result
    ) async throws -> Result {
        var databases: [any SQLDatabase] = []
        func close() async { for database in databases { await database.close() } }
        do {
            for service in services {
                let store = stores.first { $0.service == service }
                guard let store, let database = try await store.openForCopying(createIfMissing: false)
                else { throw BenchError.noDatabase(service) }
                databases.append(database)
                guard try await database.hasTables() else { throw BenchError.noDatabase(service) }
            }
            let result = try await body(databases)
            await close()
            return result
        } catch {
            await close()
            if let error = error as? SQLError { throw BenchError.database(error) }
            throw error
        }
    }
}

/// Why a command about measurements did nothing.
enum BenchError: ExitError, Equatable {
    case noDatabase(ServiceName)
    /// It keeps in memory what a fill changes.
    case meshRuns(String)
    case database(SQLError)

    var messages: [String] {
        switch self {
        case .noDatabase(let service): ["\(service.rawValue) has no database yet. Start the mesh once: it makes them."]
        case .meshRuns(let path): ["A mesh runs on \(path). Stop it first."]
        case .database(let error): ["A database could not be filled: \(error.reason)."]
        }
    }
}
