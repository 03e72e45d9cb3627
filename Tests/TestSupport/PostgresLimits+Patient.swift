package import Postgres

extension PostgresDatabase.Limits {
    /// For tests beside others on a busy machine: a migration that waits for another one is tried for a quarter of an hour, too.
    package static let patient: Self = {
        var limits = longRunning
        limits.migrationTimeout = .seconds(15 * 60)
        return limits
    }()
}
