import Bus
import CommandLineArguments
import Contracts
import ServiceRuntime
import Vocabulary

/// `latchkey audit verify`.
struct AuditVerifyCommand: Command {
    private static let against = CommandOption(
        "against", value: "LINE", "a line audit.anchored of the log of a mesh, which the audit log must contain")

    static let declaration = CommandDeclaration(
        "verify", "verify the hash chain of the audit log and its sealed copies",
        options: [against] + MeshArguments.options)

    private let line: AnchorLine?
    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        line = try arguments.value(Self.against).map { text in
            guard let line = AnchorLine(text) else {
                throw UsageError("--against requires a line with the event audit.anchored, its link and its chain.")
            }
            return line
        }
        mesh = try MeshArguments(arguments, environment)
    }

    /// - Throws: `AuditCommandError` if the log was changed or is empty, `MeshRequestError`.
    func run() async throws {
        let sentences = try await mesh.withRequests { bus in
            var sentences = [try await Self.verify(bus)]
            if let line { sentences.append(try await Self.compare(line, bus)) }
            return sentences
        }
        for sentence in sentences { print(sentence) }
    }

    /// Compares a line of the log, which a writer of the database cannot change, with the record of its link.
    private static func compare(_ line: AnchorLine, _ bus: any BusRequestSending) async throws -> String {
        let records = try await bus.send(
            Identity.ExportAuditRecords(afterLink: line.link - 1, limit: 1), trace: .random(),
            timeout: AuditListCommand.batchTimeout
        ).records
        switch line.comparison(with: records.first) {
        case .equal: return "link \(line.link) is the one of the line"
        case .missing: throw AuditCommandError.violated(.missingRecord, link: line.link, last: nil)
        case .different: throw AuditCommandError.violated(.rewrittenChain, link: line.link, last: nil)
        case .deleted: throw AuditCommandError.deleted(link: line.link)
        }
    }

    private static func verify(_ bus: any BusRequestSending) async throws -> String {
        var after: Identity.AuditLogPosition?
        while true {
            let reply = try await bus.send(
                Identity.VerifyAuditLog(after: after), trace: .random(), timeout: AuditListCommand.batchTimeout)
            if let violation = reply.violation {
                throw AuditCommandError.violated(violation, link: reply.violatedLink, last: reply.last?.link)
            }
            guard let last = reply.last else { throw AuditCommandError.nothingFound }
            if reply.isComplete { return "verified up to link \(last.link), chain \(last.chain)" }
            after = last
        }
    }
}

/// `latchkey audit list`.
struct AuditListCommand: Command {
    private static let account = CommandOption(
        "account", value: "ID", "only records of this account; requires --project")
    private static let limit = CommandOption("limit", value: "N", "number of records (default: 100)")

    static let declaration = CommandDeclaration(
        "list", "print the newest records of the audit log",
        options: [account, limit, .json] + MeshArguments.projectOptions)

    private static let defaultLimit = 100
    private static let maximumLimit = 1_000_000
    /// A batch reads and hashes thousands of records.
    static let batchTimeout = Duration.seconds(30)

    private let account: AccountID?
    private let limit: Int
    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        account = arguments.value(Self.account).map { AccountID($0) }
        guard account == nil || arguments.has(.project) else { throw UsageError("--account requires --project.") }
        limit = try arguments.integer(Self.limit, 1...Self.maximumLimit) ?? Self.defaultLimit
        mesh = try MeshArguments(arguments, environment)
    }

    /// - Throws: `MeshRequestError`.
    func run() async throws {
        let count = try await mesh.withRequests(list)
        if count == 0 { mesh.output.note("The audit log has no such records.") }
    }

    /// - Returns: the number of records.
    private func list(over bus: any BusRequestSending) async throws -> Int {
        var count = 0
        var before: Int64?
        while count < limit {
            let page = min(limit - count, Identity.ListAuditRecords.maximumRecords)
            let records = try await bus.send(
                Identity.ListAuditRecords(project: mesh.givenProject, accountID: account, before: before, limit: page),
                trace: .random(), timeout: Self.batchTimeout
            ).records
            for record in records { try mesh.output.show(record, Self.line(record)) }
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

/// `latchkey audit export`.
struct AuditExportCommand: Command {
    static let declaration = CommandDeclaration(
        "export", "print the whole audit log with its chain values, one JSON document on each line",
        discussion: """
            A reader can verify the export without the mesh. The chain value of a record is SHA-256 over the previous \
            chain value and the fields of the record; docs/operate/command.md has the rule. Records of the last second have no \
            chain value yet and are omitted. Records that retention has deleted are missing; the record behind them has \
            the chain value before it in `chainBefore`.
            """, options: MeshArguments.options)

    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        mesh = try MeshArguments(arguments, environment)
    }

    /// - Throws: `MeshRequestError`.
    func run() async throws {
        let count = try await mesh.withRequests(Self.export)
        if count == 0 { StandardError.shared.write("The audit log has no records.") }
    }

    /// - Returns: the number of records.
    private static func export(_ bus: any BusRequestSending) async throws -> Int {
        let output = CommandOutput(isJSON: true) { print($0) }
        var list = output.list(OutputColumn<Identity.LinkedAuditRecord>("RECORD") { "\($0.link)" })
        var last: Int64 = 0
        while true {
            let records = try await bus.send(
                Identity.ExportAuditRecords(afterLink: last), trace: .random(), timeout: AuditListCommand.batchTimeout
            ).records
            try list.append(records)
            // The links grow; a reply that repeats one would never end.
            guard records.count == Identity.ExportAuditRecords.maximumRecords, let link = records.last?.link,
                link > last
            else { return list.count }
            last = link
        }
    }
}

/// Why `latchkey audit` failed.
enum AuditCommandError: ExitError, Equatable {
    case violated(Identity.VerifyAuditLog.Violation, link: Int64?, last: Int64?)
    case nothingFound
    /// Retention has deleted the record of a line.
    case deleted(link: Int64)

    var exitCode: Int32 {
        switch self {
        case .violated: ExitCode.data
        case .nothingFound, .deleted: ExitCode.failure
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
                case .missingCopy:
                    "The copy sealed at record \(link.map { "\($0)" } ?? "0") is missing: records were removed or added."
                case .outdatedCopy:
                    "The last sealed copy of the audit log's chain is old: identity does not confirm this log."
                case .unreadableCopy: "A sealed copy of the audit log's chain cannot be opened with the master key."
                }
            return [finding, last.map { "The log is intact up to link \($0)." } ?? "No link before it is intact."]
        case .deleted(let link):
            return ["Record \(link) was deleted when it was old enough. Use a later line of the log."]
        case .nothingFound: return ["No record of the audit log has a link yet. New ones get theirs within a second."]
        }
    }
}
