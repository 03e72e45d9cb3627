internal import SQL

/// The connection of one thread of a pool: opened when there is work, and again after an outage of the server.
struct PostgresConnector {
    let settings: PostgresSettings
    /// Commands after those of every session.
    let additionalSettings: [String]
    private let circuitBreaker: ServerCircuitBreaker
    private(set) var current: PostgresConnection?

    init(_ settings: PostgresSettings, _ circuitBreaker: ServerCircuitBreaker, additionalSettings: [String] = []) {
        self.settings = settings
        self.circuitBreaker = circuitBreaker
        self.additionalSettings = additionalSettings
    }

    /// - Throws: `overloaded` if the server accepts no further connection; `unavailable`, `cannotOpen`.
    mutating func connected() throws(SQLError) -> PostgresConnection {
        if let current { return current }
        try circuitBreaker.acquirePermission(at: ContinuousClock().now)
        do throws(SQLError) {
            let connection = try PostgresConnection(settings, additionalSettings: additionalSettings)
            circuitBreaker.recordSuccess()
            current = connection
            return connection
        } catch {
            if error == .overloaded {
                circuitBreaker.recordSuccess()
            } else {
                circuitBreaker.recordFailure(error, at: ContinuousClock().now)
            }
            throw error
        }
    }

    /// Closes a connection that is lost.
    mutating func drop() {
        current = nil
    }

    /// Closes a connection on which the server did not reply in time, and reports that.
    mutating func drop(afterTimeout error: SQLError) {
        current = nil
        circuitBreaker.recordFailure(error, at: ContinuousClock().now)
    }
}
