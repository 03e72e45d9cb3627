internal import Bus
internal import CommandLineArguments
internal import Contracts
internal import FoundationEssentials
internal import ServiceRuntime
internal import Synchronization
internal import UserFiles
internal import Vocabulary

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
            how far the import came, until it is complete.
            """,
        operands: [file],
        options: [format, tenant, keepExisting, resume, hashConfig, hashAlgorithm]
            + HashParameters.Name.allCases.map(option) + MeshArguments.projectOptions)

    private let path: String
    private let source: TransferSource
    private let options: UserImport.Options
    private let resumes: Bool
    private let mesh: MeshArguments

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        path = arguments[Self.file]
        guard
            let format = arguments.value(Self.format).flatMap({ UserFileFormat(rawValue: $0) })
                ?? UserFileFormat(path: path)
        else { throw UsageError("The name of the file does not show its form. Name it with --format.") }
        resumes = arguments.has(Self.resume)
        guard !resumes || path != "-" else { throw UsageError("--resume has no effect with standard input.") }
        let algorithm = try Self.algorithm(arguments)
        mesh = try MeshArguments(arguments, environment, requiresProject: true)
        source = try TransferSource(path)
        let realm = Realm(
            project: mesh.project ?? ProcessSettings.devProject,
            tenant: arguments.value(Self.tenant).map { TenantID($0) })
        options = UserImport.Options(
            realm: realm, format: format, algorithm: algorithm,
            allowsOverwrite: !arguments.has(Self.keepExisting),
            completedRecords: resumes ? try ImportState.completedRecords(for: path, source, in: realm) : 0)
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
        let saver = try StateSaver(path: path, source, in: options.realm)
        if options.completedRecords > 0 { progress.print("continuing after record \(options.completedRecords)") }
        let summary: UserImport.Summary
        do {
            summary = try await mesh.withBus { bus in
                try await UserImport(
                    options: options,
                    send: { request, key in
                        try await bus.send(request, trace: .random(), timeout: .seconds(60), idempotencyKey: key)
                    },
                    read: { try await source.next() },
                    events: .init(
                        refused: { progress.print("refused \($0)") }, completed: { try saver.completed($0) },
                        advanced: { progress.update(users: $0, done: $1, total: total) }),
                    pause: { try await Task.sleep(for: $0) }
                ).run()
            }
        } catch {
            try saver.save()
            throw error
        }
        saver.remove()
        progress.finish()
        for line in Self.lines(summary) { print(line) }
        if summary.refused > 0 { throw UserTransferError.refusedRecords(summary.refused) }
    }

    static func lines(_ summary: UserImport.Summary) -> [String] {
        var lines = ["imported \(summary.imported) users"]
        if summary.kept > 0 { lines.append("\(summary.kept) existed already and were kept") }
        if summary.skipped > 0 { lines.append("\(summary.skipped) were imported before") }
        for omission in ImportOmission.allCases {
            guard let count = summary.omissions[omission] else { continue }
            let part =
                switch omission {
                case .totp: "TOTP factor, whose secret no file has: they enroll a new one"
                case .passkeys: "passkeys, which no file has: they register new ones"
                case .otherHash: "password: their hash has a version other than 0, without parameters"
                case .redactedHash: "password: the file was exported without the right to read hashes"
                }
            lines.append("\(count) came without \(part)")
        }
        return lines
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
    /// Nil for standard input, which cannot be read again.
    private let content: Mutex<Content>?

    init(path: String, _ source: TransferSource, in realm: Realm) throws {
        self.path = path
        content =
            source.byteCount == nil
            ? nil : Mutex(Content(state: try ImportState(of: source, in: realm), savedAt: .now))
    }

    func completed(_ records: Int) throws {
        try content?.withLock { content in
            content.state.completedRecords = max(content.state.completedRecords, records)
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

    func remove() { ImportState.remove(for: path) }

    private static func save(_ content: inout Content, _ path: String) throws {
        try content.state.write(for: path)
        content.isSaved = true
        content.savedAt = .now
    }
}
