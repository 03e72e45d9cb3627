package import ServiceRuntime

/// Ends the process soon after a backup was restored into its database. Whoever started it, `latchkey up` or systemd,
/// starts it again, and it begins with what is stored now.
package struct RestoreMonitor: ProcessComponent {
    /// How long a process that nobody asks anything may go on without noticing. One that is asked notices at once.
    private static let interval = Duration.seconds(1)

    private let database: FencedDatabase
    private let log: Log
    private let stop = StopSignal()

    package init(_ database: FencedDatabase, log: Log) {
        self.database = database
        self.log = log
    }

    /// - Throws: `DatabaseReplacedError` once it is so.
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
            // The first that matters: looking never ends by itself.
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

    /// Begins transactions for the sake of the comparison at their beginning.
    private func pollPeriodically() async -> Bool {
        // The only error of a sleep is its cancellation, which is how this ends.
        while (try? await Task.sleep(for: Self.interval)) != nil {
            // `try?`: whether it fails because of the restore, the database itself has noticed. A server that is away
            // is for those to report who need an answer.
            _ = try? await database.read { _ in }
        }
        return false
    }
}

/// What the process had in memory belongs to rows that are gone.
package struct DatabaseReplacedError: ExitError, Equatable {
    package init() {}

    package var exitCode: Int32 { ExitCode.failure }

    package var messages: [String] {
        ["A backup was restored into the database; this process starts again to forget what was there before."]
    }
}
