internal import Bus
internal import Contracts
internal import ServiceRuntime
internal import Vocabulary

/// `latchkey audit`: verifies the audit log, and lists its records.
struct AuditCommand: Sendable {
    private enum Action: Sendable {
        case verify
        case list(ProjectID?, AccountID?, limit: Int)
    }

    private static let defaultLimit = 100
    private static let maximumLimit = 1_000_000
    /// A batch reads and hashes thousands of records.
    private static let batchTimeout = Duration.seconds(30)

    private let action: Action
    private let brokers: [String]

    /// - Throws: `UsageError`, `SettingsError`, and `LauncherError` if the mesh does not run.
    init(_ arguments: [String], _ environment: Environment) throws {
        let line = try MeshCommandLine(arguments, environment, options: ["account", "limit"])
        action = try Self.action(line)
        brokers = try line.brokers()
    }

    private static func action(_ line: MeshCommandLine) throws -> Action {
        switch line.words {
        case ["verify"]:
            guard line.values.isEmpty, line.givenProject == nil else {
                throw UsageError("audit verify reads the whole log. It has no --project, --account or --limit.")
            }
            return .verify
        case ["list"]:
            let account = line.values["account"].map { AccountID($0) }
            guard account == nil || line.givenProject != nil else {
                throw UsageError("--account requires --project.")
            }
            let limit = line.values["limit"].map { Int($0) } ?? defaultLimit
            guard let limit, (1...maximumLimit).contains(limit) else {
                throw UsageError("--limit requires a number from 1 to \(maximumLimit).")
            }
            return .list(line.givenProject, account, limit: limit)
        default: throw UsageError("audit requires `verify` or `list`.")
        }
    }

    /// - Throws: `AuditCommandError` if the log was changed, has no records to list, or the mesh returns an error.
    func run(_ write: @Sendable (String) -> Void) async throws {
        do {
            switch action {
            case .verify: write(try await MeshCommandLine.withMesh(brokers, Self.verify))
            case .list(let project, let account, let limit):
                let count = try await MeshCommandLine.withMesh(brokers) { bus in
                    try await Self.list(project, account, limit: limit, over: bus, write)
                }
                if count == 0 { throw AuditCommandError.nothingFound }
            }
        } catch let error as WireError {
            throw AuditCommandError.refused(error)
        }
    }

    private static func verify(_ bus: BusClient) async throws -> String {
        var after: Identity.AuditLogPosition?
        while true {
            let reply = try await bus.send(
                Identity.VerifyAuditLog(after: after), trace: .random(), timeout: batchTimeout)
            if let violation = reply.violation {
                throw AuditCommandError.violated(violation, link: reply.violatedLink, last: reply.last?.link)
            }
            guard let last = reply.last else { throw AuditCommandError.nothingFound }
            if reply.isComplete { return "verified up to link \(last.link), chain \(last.chain)" }
            after = last
        }
    }

    /// - Returns: the number of records.
    private static func list(
        _ project: ProjectID?, _ account: AccountID?, limit: Int, over bus: BusClient,
        _ write: @Sendable (String) -> Void
    ) async throws -> Int {
        var count = 0
        var before: Int64?
        while count < limit {
            let page = min(limit - count, Identity.ListAuditRecords.maximumRecords)
            let records = try await bus.send(
                Identity.ListAuditRecords(project: project, accountID: account, before: before, limit: page),
                trace: .random(), timeout: batchTimeout
            ).records
            for record in records { write(line(record)) }
            count += records.count
            guard records.count == page, let last = records.last else { break }
            before = last.sequence
        }
        return count
    }

    /// One record in one line. Text of the log is escaped: the address of a service account is external input.
    private static func line(_ record: Identity.AuditLogRecord) -> String {
        let fields: [(name: String, value: String?)] = [
            ("actor", record.actor), ("project", record.project), ("tenant", record.tenant),
            ("account", record.accountID), ("address", record.ipAddress), ("count", record.count.map { "\($0)" }),
            ("trace", record.traceID),
        ]
        let shown = fields.compactMap { field in
            field.value.flatMap { value in
                value.isEmpty ? nil : "\(field.name)=\(LogEscaping.escaped(value, maximumBytes: 200))"
            }
        }
        return ([record.at.text, record.action, record.outcome] + shown).joined(separator: " ")
    }
}

/// Why `latchkey audit` failed.
enum AuditCommandError: ExitError, Equatable {
    case violated(Identity.VerifyAuditLog.Violation, link: Int64?, last: Int64?)
    case nothingFound
    case refused(WireError)

    var exitCode: Int32 {
        switch self {
        case .violated: ExitCode.data
        case .nothingFound, .refused: ExitCode.failure
        }
    }

    var messages: [String] {
        switch self {
        case .violated(let violation, let link, let last):
            let record = link.map { "Record \($0)" } ?? "A record"
            let finding =
                switch violation {
                case .missingRecord: "\(record) of the audit log is missing."
                case .alteredRecord: "\(record) of the audit log was changed after it was written."
                case .rewrittenChain: "\(record) of the audit log does not match the copy sealed at the time."
                case .unreadableCopy: "A sealed copy of the audit log's chain cannot be opened with the master key."
                }
            return [finding, last.map { "The log is intact up to link \($0)." } ?? "No link before it is intact."]
        case .nothingFound: return ["The audit log has no such records."]
        case .refused(let error): return ["No reply from the mesh: \(error.code.rawValue)."]
        }
    }
}
