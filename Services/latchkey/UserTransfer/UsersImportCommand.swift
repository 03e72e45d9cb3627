import Bus
import CommandLineArguments
import Contracts
import FoundationEssentials
import JSON
import ServiceRuntime
import Synchronization
import UserFiles
import Vocabulary

/// `latchkey users import FILE`.
struct UsersImportCommand: Command {
    private static let file = Operand("FILE", completion: .file, "file of users; - for standard input")

    private static let format = CommandOption(
        "format", value: "FORMAT", completion: .words(UserFileFormat.allCases.map(\.rawValue)),
        "form of the file, if its name does not end in .json, .csv or .jsonl")
    private static let tenant = CommandOption("tenant", value: "ID", "tenant of the project that gets the users")
    private static let keepExisting = CommandOption(
        "keep-existing", "keep accounts that exist; without it they are replaced and signed out")
    private static let resume = CommandOption("resume", "continue an import that was interrupted")
    private static let dryRun = CommandOption("dry-run", "tell what an import would do, and change nothing")
    private static let summaryFile = CommandOption(
        "summary", value: "FILE", completion: .file, "file to create, with the counts and each refused record in JSON")
    private static let hashConfig = CommandOption(
        "hash-config", value: "FILE", completion: .file, "hash parameters as the Firebase console shows them")
    private static let hashAlgorithm = CommandOption(
        "hash-algo", value: "NAME", "algorithm of the password hashes, as in firebase auth:import")

    private static func option(_ name: HashParameters.Name) -> CommandOption {
        let (value, meaning) =
            switch name {
            case .key: ("BASE64", "key of the hashes")
            case .saltSeparator: ("BASE64", "text after each salt, for SCRYPT")
            case .rounds: ("N", "rounds of the hashes")
            case .memoryCost: ("N", "memory cost, for SCRYPT and STANDARD_SCRYPT")
            case .parallelization: ("N", "parallelization, for STANDARD_SCRYPT")
            case .blockSize: ("N", "block size, for STANDARD_SCRYPT")
            case .derivedKeyBytes: ("N", "length of the hashes, for STANDARD_SCRYPT")
            case .inputOrder: ("ORDER", "SALT_FIRST or PASSWORD_FIRST; without it both orders are tried")
            }
        return CommandOption(name.rawValue, value: value, meaning)
    }

    static let declaration = CommandDeclaration(
        "import", "import users with their passwords from a file",
        discussion: """
            FILE is what `firebase auth:export` writes (JSON or CSV), or JSON Lines of `latchkey users export`. Users keep \
            their ids and passwords. Importing a file twice has the same result as once.

            Each refused record is one line on standard error. The command then exits with 1. FILE.import-state records \
            how far the import came and what it refused, until it is complete.

            TOTP factors whose secrets are in the file are enrolled. A sealed file of `latchkey users export --with-secrets` is \
            opened with its passphrase, and its passkeys come too. A user of a tenant goes into the tenant that --tenant \
            names.
            """,
        operands: [file],
        options: [
            format, tenant, keepExisting, resume, dryRun, summaryFile, Passphrase.option, hashConfig, hashAlgorithm,
        ]
            + HashParameters.Name.allCases.map(option) + MeshArguments.projectOptions)

    private let path: String
    private let source: TransferSource
    private let options: UserImport.Options
    private let summaryPath: String?
    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        path = arguments[Self.file]
        guard
            let format = arguments.value(Self.format).flatMap({ UserFileFormat(rawValue: $0) })
                ?? UserFileFormat(path: path)
        else { throw UsageError("The name of the file does not show its form. Name it with --format.") }
        let (resumes, isDryRun) = (arguments.has(Self.resume), arguments.has(Self.dryRun))
        guard !resumes || path != "-" else { throw UsageError("--resume has no effect with standard input.") }
        guard !resumes || !isDryRun else { throw UsageError("--dry-run excludes --resume.") }
        summaryPath = arguments.value(Self.summaryFile)
        let algorithm = try Self.algorithm(arguments)
        mesh = try MeshArguments(arguments, environment, requiresProject: true)
        source = try TransferSource(path)
        let passphraseFile = arguments.value(Passphrase.option)
        // A pipe cannot be read twice.
        let isSealed = try source.byteCount != nil && SealedFile.isSealed(source.beginning(SealedFile.markBytes))
        if isSealed || passphraseFile != nil {
            source.open(with: try Passphrase.read(passphraseFile, isNew: false))
        }
        let realm = Realm(
            project: mesh.project ?? ProcessSettings.devProject,
            tenant: arguments.value(Self.tenant).map { TenantID($0) })
        options = UserImport.Options(
            realm: realm, format: format, algorithm: algorithm,
            allowsOverwrite: !arguments.has(Self.keepExisting), isDryRun: isDryRun,
            earlier: resumes ? try ImportState.progress(for: path, source, in: realm) : ImportProgress())
    }

    private static func algorithm(_ arguments: ParsedArguments) throws -> PasswordHashAlgorithm? {
        var values: [HashParameters.Name: String] = [:]
        for name in HashParameters.Name.allCases { values[name] = arguments.value(option(name)) }
        let name = arguments.value(hashAlgorithm)
        if let file = arguments.value(hashConfig) {
            guard name == nil, values.isEmpty else {
                throw UsageError("--hash-config has all parameters: it excludes the other hash options.")
            }
            guard let bytes = try? Data(contentsOf: URL(filePath: file)), bytes.count <= HashParameters.maximumFileBytes
            else { throw UserTransferError.unreadable(file, reason: "it is missing or too long") }
            return try parsing { () throws(HashParametersError) in
                try HashParameters(console: String(decoding: bytes, as: UTF8.self)).algorithm()
            }
        }
        guard let name else {
            if let value = values.keys.map(\.rawValue).min() { throw UsageError("--\(value) requires --hash-algo.") }
            return nil
        }
        return try parsing { () throws(HashParametersError) in
            try HashParameters(algorithmName: name, values: values).algorithm()
        }
    }

    private static func parsing(
        _ body: () throws(HashParametersError) -> PasswordHashAlgorithm
    ) throws(UserTransferError) -> PasswordHashAlgorithm {
        do throws(HashParametersError) {
            return try body()
        } catch {
            throw .hashParameters(error)
        }
    }

    func run() async throws {
        let progress = TransferProgress()
        defer { progress.finish() }
        let total = source.byteCount ?? 0
        let summaryDestination = try summaryPath.map { path throws(UserTransferError) in try TransferDestination(path) }
        let saver = try StateSaver(path: path, source, options)
        let earlier = options.earlier
        if earlier.records > 0 { progress.print("continuing after record \(earlier.records)") }
        for line in earlier.summary.refusedRecords.compactMap(\.line) { progress.print(line) }
        let (summary, isProtective): (ImportSummary, Bool)
        do {
            (summary, isProtective) = try await mesh.withBus { bus in
                let summary = try await UserImport(
                    options: options,
                    send: { request, key in
                        try await bus.send(request, trace: .random(), timeout: .seconds(60), idempotencyKey: key)
                    },
                    sendFactors: { try await bus.send($0, trace: .random(), timeout: .seconds(60)) },
                    sendPasskeys: { try await bus.send($0, trace: .random(), timeout: .seconds(60)) },
                    read: { try await source.next() },
                    events: .init(
                        issue: { issue in
                            if let line = issue.line { progress.print(line) }
                        },
                        completed: { try saver.completed($0) },
                        advanced: { progress.update(users: $0, done: $1, total: total) })
                ).run()
                // Asked for last: the operator may have changed it meanwhile.
                return (summary, summary.protected == 0 ? true : try await asksForTOTP(bus))
            }
        } catch {
            try saver.save()
            throw (error as? UserImportError).map { UserTransferError($0) } ?? error
        }
        if let summaryDestination {
            let content = try WireJSON.encodeSorted(
                ImportSummaryFile(summary, into: options.realm, isDryRun: options.isDryRun))
            try await summaryDestination.write(String(decoding: content, as: UTF8.self) + "\n")
            try await summaryDestination.finish()
        }
        saver.remove()
        progress.finish()
        for line in summary.lines(isDryRun: options.isDryRun, asksForTOTP: isProtective) { print(line) }
        if summary.refused > 0 { throw UserTransferError.refusedRecords(summary.refused) }
    }

    private func asksForTOTP(_ bus: BusClient) async throws -> Bool {
        let project = options.realm.project
        var configuration = try await bus.send(Identity.ReadConfiguration(project: project), .ofOperator())
            .configuration
        if let tenant = options.realm.tenant {
            configuration = configuration.applying(
                try await bus.send(Identity.ReadTenant(project: project, tenant: tenant), .ofOperator()).configuration)
        }
        return configuration.requiresSecondFactor(method: .totp)
    }
}

/// Saves the state of an import, at most once a second while it runs.
private final class StateSaver: Sendable {
    private struct Content {
        var state: ImportState
        var savedAt: ContinuousClock.Instant
        var isSaved = true
    }

    private let path: String
    /// Nil for standard input, which cannot be read again, and for a dry run.
    private let content: Mutex<Content>?

    init(path: String, _ source: TransferSource, _ options: UserImport.Options) throws {
        self.path = path
        content =
            source.byteCount == nil || options.isDryRun
            ? nil : Mutex(Content(state: try ImportState(of: source, in: options.realm), savedAt: .now))
    }

    func completed(_ progress: ImportProgress) throws {
        try content?.withLock { content in
            content.state.progress = progress
            content.isSaved = false
            guard ContinuousClock.now - content.savedAt >= .seconds(1) else { return }
            try Self.save(&content, path)
        }
    }

    func save() throws {
        try content?.withLock { content in
            if !content.isSaved { try Self.save(&content, path) }
        }
    }

    func remove() {
        if content != nil { ImportState.remove(for: path) }
    }

    private static func save(_ content: inout Content, _ path: String) throws {
        try content.state.write(for: path)
        content.isSaved = true
        content.savedAt = .now
    }
}
