package import ServiceRuntime

extension ServiceRuntime {
    /// The same runtime, which also runs the components that watch the service's database: `DatabaseMonitor` ends the
    /// process after a restore or the migration of a newer program, and `StoreHealth` reports an outage.
    package func watching(_ database: FencedDatabase) -> Self {
        let health = StoreHealth(.database(database, now: WallClock.now), metrics: metrics, log: log)
        return adding([DatabaseMonitor(database, log: log), health])
    }
}
