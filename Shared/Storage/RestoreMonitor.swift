internal import EventLoop
package import ServiceRuntime

/// Ends the process soon after a backup was restored into its database. `latchkey up` or systemd then restarts it with
/// the restored rows.
package struct RestoreMonitor: ProcessComponent {
    /// How long an idle process may not detect a restore. A process with requests detects it at once.
    private static let interval = Duration.seconds(1)

    private let database: FencedDatabase
    private let log: Log
    private let stop = StopSignal()

    package init(_ database: FencedDatabase, log: Log) {
        self.database = database
        self.log = log
    }

    /// - Throws: `DatabaseReplacedError` after a restore.
    package func run() async throws {
        let isReplaced = await withTaskGroup { group in
            group.addTask { await pollPeriodically() }
            group.addTask {
                await database.waitUntilReplaced()
                return !Task.isCancelled
            }
            group.addTask {
                await stop.wait()
                return false
            }
            // The first result decides, because polling never ends by itself.
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        guard isReplaced else { return }
        log.warn("database.replaced", ["by": "a restored backup", "then": "starting again"])
        throw DatabaseReplacedError()
    }

    package func beginShutdown() async {
        stop.raise()
    }

    /// Begins transactions, because each one compares the epoch first.
    private func pollPeriodically() async -> Bool {
        // A sleep throws only when it is cancelled, which ends the loop.
        while (try? await EventLoop.sleep(forAbout: Self.interval)) != nil {
            // `try?`: if it fails because of a restore, the database has recorded that. An unavailable server is
            // reported by the callers that need a result.
            _ = try? await database.read { _ in }
        }
        return false
    }
}

/// The caches of the process belong to rows that no longer exist.
package struct DatabaseReplacedError: ExitError, Equatable {
    package init() {}

    package var exitCode: Int32 { ExitCode.failure }

    package var messages: [String] {
        ["A backup was restored into the database; this process starts again to forget what was there before."]
    }
}
