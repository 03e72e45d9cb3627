import EventLoop
import SQL
package import ServiceRuntime

/// Ends the process soon after its database became another one: a backup was restored into it, or a newer program has
/// removed something that this one uses. `latchkey up` or systemd then restarts the process.
package struct DatabaseMonitor: SignaledComponent {
    /// How long an idle process may not detect a change. A process with requests detects a restore at once.
    private static let interval = Duration.seconds(1)

    private enum End {
        case stopped, replaced
        case schemaNewer(found: Int, needs: Int, known: Int)
    }

    private let database: FencedDatabase
    private let log: Log
    package let stop = StopSignal()

    package init(_ database: FencedDatabase, log: Log) {
        self.database = database
        self.log = log
    }

    /// - Throws: `DatabaseReplacedError` after a restore, `SchemaNewerError` after a migration by a newer program.
    package func run() async throws {
        let end = await withTaskGroup { group in
            group.addTask { await pollPeriodically() }
            group.addTask {
                await database.waitUntilReplaced()
                return Task.isCancelled ? End.stopped : .replaced
            }
            group.addTask {
                await stop.wait()
                return .stopped
            }
            // The first result decides, because polling ends by itself only with one.
            let first = await group.next() ?? .stopped
            group.cancelAll()
            return first
        }
        switch end {
        case .stopped: return
        case .replaced:
            log.warn(.databaseReplaced, ["by": "a restored backup", "then": "starting again"])
            throw DatabaseReplacedError()
        case .schemaNewer(let found, let needs, let known):
            log.error(
                .databaseSchemaNewer, ["found": .public(found), "needs": .public(needs), "known": .public(known)])
            throw SchemaNewerError(found: found, needs: needs, known: known)
        }
    }

    /// Each check is a transaction, and each transaction compares the epoch first.
    private func pollPeriodically() async -> End {
        // A sleep throws only when it is cancelled, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil {
            do {
                try await database.checkSchema()
            } catch SQLError.schemaNewer(let found, let needs, let known) {
                return .schemaNewer(found: found, needs: needs, known: known)
            } catch {
                // If it failed because of a restore, the database has recorded that. An unavailable server is reported by
                // the callers that need a result.
            }
        }
        return .stopped
    }
}

/// The caches of the process belong to rows that no longer exist.
package struct DatabaseReplacedError: ExitError, Equatable {
    package init() {}

    package var messages: [String] {
        ["A backup was restored into the database; this process starts again to forget what was there before."]
    }
}

/// Another process has migrated the database to a schema that this program cannot serve.
package struct SchemaNewerError: ExitError, Equatable {
    /// The version of the database.
    package let found: Int
    /// The number of migrations that a program must know.
    package let needs: Int
    /// The number that this program knows.
    package let known: Int

    package init(found: Int, needs: Int, known: Int) {
        self.found = found
        self.needs = needs
        self.known = known
    }

    package var exitCode: Int32 { ExitCode.data }

    package var messages: [String] {
        [
            "A newer program has migrated the database to schema version \(found), which needs a program that knows version "
                + "\(needs), and this one knows \(known). Install the newer program on this machine too."
        ]
    }
}
