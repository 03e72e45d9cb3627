import Bus
import CommandLineArguments
import Contracts
import Crypto
import ServiceRuntime
import UserFiles
import Vocabulary

/// `latchkey users export FILE`.
struct UsersExportCommand: AccountSecretCommand {
    private static let file = Operand("FILE", completion: .file, "file to create; - for standard output")

    private static let format = CommandOption(
        "format", value: "FORMAT", completion: .words(UserFileFormat.allCases.map(\.rawValue)),
        "form of the file, if its name does not end in .json, .csv or .jsonl")
    private static let tenant = CommandOption("tenant", value: "ID", "tenant of the project, instead of its own users")
    private static let withHashes = CommandOption("with-hashes", "include the hashes of the passwords")
    private static let withPepper = CommandOption(
        "with-pepper", "with --with-hashes in JSON Lines: include the key without which no other system can verify them"
    )

    private static let withSecrets = CommandOption(
        "with-secrets",
        "in JSON Lines: include the secrets of TOTP factors and the keys of passkeys, and seal the file with a passphrase"
    )

    static let declaration = CommandDeclaration(
        "export", "write users into a file",
        discussion: """
            The JSON and CSV have the fields that `firebase auth:import` accepts, and only hashes that were imported and \
            not replaced since; FILE.hash-options then has the options for their import. JSON Lines have every field, and \
            every hash in PHC form.

            Latchkey mixes a secret key, the pepper, into its own hashes. An export without it serves as a copy for the same \
            installation. A reader of a file with the pepper can guess passwords: protect it like the master key. The \
            file has mode 0600. Exports of hashes and of secrets are in the audit log.

            --with-secrets opens the databases of mfa-totp and passkey with the master key. It requires the settings of these \
            services, as latchkey keys does. Another installation imports the sealed file, and second factors and passkeys \
            work there.
            """,
        operands: [file],
        options: [format, tenant, withHashes, withPepper, withSecrets, Passphrase.option, .json]
            + MeshArguments.projectOptions)

    private let path: String
    private let format: UserFileFormat
    private let realm: Realm
    private let includesHashes: Bool
    private let includesPeppers: Bool
    /// Absent: without secrets.
    private let passphrase: Secret<String>?
    private let environment: Environment
    private let output: CommandOutput
    private let mesh: MeshArguments

    /// The output with `--json`.
    private struct Result: Encodable {
        var file: String
        var users: Int
        /// How many users lack each part.
        var incomplete: [String: Int]
    }

    init(_ arguments: ParsedArguments, _ environment: Environment) throws {
        path = arguments[Self.file]
        guard
            let format = arguments.value(Self.format).flatMap({ UserFileFormat(rawValue: $0) })
                ?? UserFileFormat(path: path)
        else { throw UsageError("The name of the file does not show its form. Name it with --format.") }
        self.format = format
        includesHashes = arguments.has(Self.withHashes)
        includesPeppers = arguments.has(Self.withPepper)
        guard !includesPeppers || (includesHashes && format == .jsonl) else {
            throw UsageError("--with-pepper requires --with-hashes and the format jsonl.")
        }
        guard !includesHashes || path != "-" || format == .jsonl else {
            throw UsageError("--with-hashes requires a file: the parameters of the hashes are written beside it.")
        }
        let addsSecrets = arguments.has(Self.withSecrets)
        guard !addsSecrets || format == .jsonl else { throw UsageError("--with-secrets requires the format jsonl.") }
        let passphraseFile = arguments.value(Passphrase.option)
        guard addsSecrets || passphraseFile == nil else {
            throw UsageError("--passphrase-file has no effect without --with-secrets.")
        }
        output = CommandOutput(arguments)
        guard !output.isJSON || path != "-" else {
            throw UsageError("--json requires a file: standard output has the users.")
        }
        self.environment = environment
        mesh = try MeshArguments(arguments, environment, requiresProject: true)
        passphrase = addsSecrets ? try Passphrase.read(passphraseFile, isNew: true) : nil
        realm = Realm(
            project: mesh.project ?? ProcessSettings.devProject,
            tenant: arguments.value(Self.tenant).map { TenantID($0) })
    }

    /// - Throws: `UserTransferError`.
    func run(reading readers: AccountSecretReaders) async throws {
        var databases: AccountSecretDatabases?
        if passphrase != nil { databases = try await AccountSecretDatabases(environment, readers: readers) }
        let writer: UserFileWriter
        let progress = TransferProgress()
        defer { progress.finish() }
        do {
            writer = try await written(databases, progress)
        } catch {
            await databases?.close()
            throw error
        }
        await databases?.close()
        if let parameters = writer.hashAlgorithm.flatMap({ HashParameters(describing: $0) }) {
            let options = try TransferDestination(path + ".hash-options")
            try await options.write(parameters.optionsText + "\n")
            try await options.finish()
            progress.print("\(path).hash-options has the hash parameters")
        }
        progress.finish()
        guard !output.isJSON else {
            let incomplete = writer.omissions.map { ($0.key.rawValue, $0.value) }
            return try output.show(
                Result(
                    file: path, users: writer.accountCount, incomplete: Dictionary(uniqueKeysWithValues: incomplete)),
                [])
        }
        for line in Self.lines(writer) { progress.print(line) }
    }

    /// Writes the file.
    private func written(
        _ databases: AccountSecretDatabases?, _ progress: TransferProgress
    ) async throws -> UserFileWriter {
        let seal = try passphrase.map { passphrase throws(CryptoError) in try SealedFileWriter(passphrase: passphrase) }
        let destination = try TransferDestination(path, sealedBy: seal)
        let writer: UserFileWriter
        do {
            writer = try await mesh.withBus { bus in try await export(bus, databases, to: destination, progress) }
        } catch let error as ServiceError {
            throw UserTransferError.refused(error)
        }
        try await destination.finish()
        return writer
    }

    private func export(
        _ bus: BusClient, _ databases: AccountSecretDatabases?, to destination: TransferDestination,
        _ progress: TransferProgress
    ) async throws -> UserFileWriter {
        let total = try await bus.send(
            Identity.QueryAccounts(realm: realm, countOnly: true), trace: .random(), timeout: Self.timeout
        ).total
        return try await UserExport(
            includesHashes: includesHashes, format: format,
            secrets: { try await databases?.secrets(of: $0) ?? AccountSecrets() },
            page: { try await page(after: $0, bus) },
            write: { try await destination.write($0) },
            advanced: { progress.update(users: $0, done: $0, total: total) }
        ).run()
    }

    /// A page reads a thousand accounts.
    private static let timeout = Duration.seconds(30)

    private func page(after pageToken: String?, _ bus: BusClient) async throws -> UserExport.Page {
        guard includesHashes || passphrase != nil else {
            let reply = try await bus.send(
                Identity.ListAccounts(
                    realm: realm, limit: Identity.ListAccounts.maximumCount, pageToken: pageToken),
                trace: .random(), timeout: Self.timeout)
            return .init(
                accounts: reply.accounts.map { .init(account: $0, password: nil) }, nextPageToken: reply.nextPageToken)
        }
        let reply = try await bus.send(
            Identity.ExportAccounts(
                realm: realm, limit: Identity.ExportAccounts.maximumCount, pageToken: pageToken,
                includesPeppers: includesPeppers, addsSecrets: passphrase == nil ? nil : true),
            trace: .random(), timeout: Self.timeout)
        return .init(accounts: reply.accounts, nextPageToken: reply.nextPageToken)
    }

    static func lines(_ writer: UserFileWriter) -> [String] {
        var lines = ["exported \(writer.accountCount) users"]
        for omission in ExportOmission.allCases {
            guard let count = writer.omissions[omission] else { continue }
            let part =
                switch omission {
                case .totp: "the secret of their TOTP factor: only a file of --with-secrets has it"
                case .passkeys: "the keys of their passkeys: only a file of --with-secrets has them"
                case .phoneFactors: "their phone factors: only the format jsonl has them"
                case .deletionTime: "the time at which they are to be deleted: only the format jsonl has it"
                case .otherProviders: "some identity providers: only the format jsonl has them"
                case .ownHash: "the hash of Latchkey: only the format jsonl has it"
                case .otherHashParameters: "a hash with other parameters: only the format jsonl has it"
                case .unreadableHash: "a hash that this installation cannot open"
                }
            lines.append("\(count) without \(part)")
        }
        return lines
    }
}
