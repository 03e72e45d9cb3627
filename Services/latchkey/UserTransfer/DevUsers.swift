import Bus
import Contracts
import ServiceRuntime
import UserFiles
import Vocabulary

/// The users of a mesh in dev mode: imported from a file before the mesh is ready, and written into a file when it
/// stops. It is the last component of the launcher, so it is stopped before the processes are.
final class DevUsers: ProcessComponent {
    struct Files: Equatable, Sendable {
        var seed: String?
        var exportOnExit: String?
    }

    private enum Input: Sendable {
        case stop
        case failed(any Error)
    }

    private let files: Files
    private let realm: Realm
    private let brokers: [String]
    private let keys: BusKeyFiles?
    private let log: Log
    private let inputs: AsyncStream<Input>
    private let inbox: AsyncStream<Input>.Continuation

    init(_ files: Files, project: ProjectID, brokers: [String], keys: BusKeyFiles?, log: Log) {
        self.files = files
        realm = Realm(project: project)
        self.brokers = brokers
        self.keys = keys
        self.log = log
        (inputs, inbox) = AsyncStream.makeStream()
    }

    func beginShutdown() async { inbox.yield(.stop) }

    /// - Throws: the error of the seed.
    func run() async throws {
        for await input in inputs {
            switch input {
            case .failed(let error): throw error
            case .stop:
                await export()
                return
            }
        }
    }

    /// Imports the seed. A failure also ends `run()`, and so the launcher.
    func seed() async throws {
        guard let path = files.seed else { return }
        do {
            let source = try TransferSource(path)
            guard let format = UserFileFormat(path: path) else { return }
            let options = UserImport.Options(realm: realm, format: format, allowsOverwrite: true)
            let summary = try await MeshArguments.withBus(brokers, keys: keys) { bus in
                try await UserImport(
                    options: options,
                    send: { request, key in
                        try await bus.send(request, trace: .random(), timeout: .seconds(60), idempotencyKey: key)
                    },
                    sendFactors: { try await bus.send($0, trace: .random(), timeout: .seconds(60)) },
                    sendPasskeys: { try await bus.send($0, trace: .random(), timeout: .seconds(60)) },
                    read: { try await source.next() },
                    events: .init(issue: { [log] issue in
                        switch issue.result {
                        case .refused: log.warn(.seedUserRefused, ["reason": .public(issue.text)])
                        case .incomplete: return
                        }
                    })
                ).run()
            }
            log.info(.seedImported, ["users": .public(summary.imported), "refused": .public(summary.refused)])
        } catch {
            let error = (error as? UserImportError).map { UserTransferError($0) } ?? error
            inbox.yield(.failed(error))
            throw error
        }
    }

    /// A failure is logged only: the mesh stops in any case.
    private func export() async {
        guard let path = files.exportOnExit, let format = UserFileFormat(path: path) else { return }
        do {
            let destination = try TransferDestination(path, replaces: true)
            let writer = try await MeshArguments.withBus(brokers, keys: keys) { bus in
                try await UserExport(
                    includesHashes: format == .jsonl, format: format,
                    page: { [realm] pageToken in
                        let reply = try await bus.send(
                            Identity.ExportAccounts(
                                realm: realm, limit: Identity.ExportAccounts.maximumCount, pageToken: pageToken,
                                includesPeppers: true),
                            trace: .random(), timeout: .seconds(10))
                        return .init(accounts: reply.accounts, nextPageToken: reply.nextPageToken)
                    },
                    write: { try await destination.write($0) }, advanced: { _ in }
                ).run()
            }
            try await destination.finish()
            log.info(.usersExported, ["users": .public(writer.accountCount), "file": .public(path)])
        } catch {
            log.error(.usersExportFailed, ["file": .public(path), "error": .kind(of: error)])
        }
    }
}
