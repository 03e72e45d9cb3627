import SQL

/// The settings that all connections of a pool share.
struct PostgresSettings: Sendable {
    let url: PostgresURL
    /// The schema of the tables.
    let schema: String
    private(set) var limits: PostgresDatabase.Limits
    let names = ConstraintNames()
    let servers: PostgresServers
    let sessions = SessionCheck()

    init(url: PostgresURL, schema: String, limits: PostgresDatabase.Limits) {
        self.url = url
        self.schema = schema
        self.limits = limits
        servers = PostgresServers(count: url.servers.count)
    }

    /// The same settings with other limits.
    func with(_ limits: PostgresDatabase.Limits) -> PostgresSettings {
        var settings = self
        settings.limits = limits
        return settings
    }

    /// The schema as a quoted identifier.
    var quotedSchema: String { Self.quoted(schema) }

    /// A name as a quoted identifier.
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Microseconds that a thread without a connection waits before it takes another job.
    static func unconnectedPause() -> UInt32 { .random(in: 100_000..<300_000) }

    /// In libpq's form. 13 is the oldest version that its developers supported when this was written.
    static let oldestServer = 130_000

    /// libpq's keywords for each server: those of the address, and settings that detect an unavailable server.
    var connectionParameters: [[String: String]] {
        let ours = [
            "application_name": "latchkey \(schema)", "client_encoding": "UTF8", "gssencmode": "disable",
            // Keepalives check an idle connection after 10 seconds, so that few requests fail on a broken one.
            "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "3", "keepalives_count": "3",
            "tcp_user_timeout": String(limits.statementTimeout.milliseconds),
        ]
        return url.servers.map { server in server.merging(ours) { theirs, _ in theirs } }
    }

    /// A connection to the server that accepts one, without the settings of a session.
    func connect() throws(LibpqConnection.ConnectError) -> LibpqConnection {
        try LibpqConnection(connectionParameters, servers, within: limits.connectTimeout)
    }

    /// The settings that every session needs.
    var requiredSettings: [String] {
        [
            // Only this schema: a table with the same name in another schema is never used.
            "SET search_path = \(quotedSchema)",
            "SET client_min_messages = warning",
            "SET standard_conforming_strings = on",
            // The server's timeout is shorter than the client's, so that its error arrives and no statement continues
            // unnoticed.
            "SET statement_timeout = \(limits.statementTimeout.milliseconds * 7 / 8)",
            "SET idle_in_transaction_session_timeout = \(limits.idleTransactionTimeout.milliseconds)",
        ]
    }

    /// For a session that runs queries outside of transactions. A batch of them is one transaction of the server.
    static let settingsOfQueries = [
        "SET default_transaction_isolation = 'repeatable read'", "SET default_transaction_read_only = on",
    ]

    /// Settings that make a session safer or faster on PostgreSQL. Engines with a compatible protocol may not support
    /// them.
    var optionalSettings: [String] {
        [
            // An acknowledged commit survives a power failure, even if the server is configured otherwise.
            "SET synchronous_commit = on",
            // A serializable transaction that scans a table conflicts with every write to it, and the planner prefers
            // scans for small tables. With an index it conflicts only on the rows that it read.
            "SET enable_seqscan = off",
            // Without an index, the cost of a disabled scan is so high that the server would compile the query.
            "SET jit = off",
        ]
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
