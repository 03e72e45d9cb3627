import CommandLineArguments
import Contracts
import ServiceRuntime

/// `latchkey migrate`.
struct MigrateCommand: SchemaCommand {
    private static let contract = CommandOption(
        "contract", "also remove what only earlier releases use, once none of their processes runs")

    static let declaration = CommandDeclaration(
        "migrate", "bring the databases to the schema of this release, while the mesh runs",
        discussion: """
            Without an option it does what the first start of this release does: it adds what the release needs, and \
            processes of the release before go on. --contract also runs the migrations that remove something. It refuses \
            them while a process of an earlier release runs, or has run in the last half minute. Afterwards these releases \
            refuse the databases.
            """, options: [contract, .json, .data, .dev, .environmentFile])

    /// The versions of one service; without them it has no database.
    private struct Row: Encodable {
        var service: ServiceName
        var from: Int?
        var to: Int?
    }

    private let contracts: Bool
    private let settings: DatabaseSettings
    private let output: CommandOutput

    /// - Throws: `SettingsError`.
    init(_ arguments: ParsedArguments, _ environment: Environment) throws(SettingsError) {
        contracts = arguments.has(Self.contract)
        settings = try DatabaseSettings(environment)
        output = CommandOutput(arguments)
    }

    func run(knowing schemas: ServiceSchemas) async throws {
        try await SchemaInspection(settings.stores, schemas).migrate(contracts: contracts) { service, versions in
            let sentence =
                switch versions {
                case nil: "there is no database yet; the first start creates it."
                case let (former, current)? where former < current: "schema version \(former) is now \(current)."
                case let (_, current)?: "schema version \(current); nothing to do."
                }
            try output.show(
                Row(service: service, from: versions?.former, to: versions?.current), "\(service.rawValue): \(sentence)"
            )
        }
    }
}
