internal import SQL

/// Everything that is the same for the connections of a pool.
struct PostgresSettings: Sendable {
    let url: PostgresURL
    /// Where the tables are.
    let schema: String
    private(set) var limits: PostgresDatabase.Limits
    let names = ConstraintNames()

    init(url: PostgresURL, schema: String, limits: PostgresDatabase.Limits) {
        self.url = url
        self.schema = schema
        self.limits = limits
    }

    /// The same for connections with other limits.
    func with(_ limits: PostgresDatabase.Limits) -> PostgresSettings {
        var settings = self
        settings.limits = limits
        return settings
    }

    /// The schema as a statement has to write it.
    var quotedSchema: String {
        "\"" + schema.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// In libpq's form. 13 is the oldest that its makers still mended when this was written.
    static let oldestServer = 130_000

    /// libpq's keywords: what the address says, and how we want to learn of a server that is gone.
    var connectionParameters: [String: String] {
        let ours = [
            "application_name": "latchkey \(schema)", "client_encoding": "UTF8", "gssencmode": "disable",
            // An idle connection is asked after 10 seconds whether it still stands, so that few find out by failing.
            "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "3", "keepalives_count": "3",
            "tcp_user_timeout": String(limits.statementTimeout.milliseconds),
        ]
        return url.parameters.merging(ours) { theirs, _ in theirs }
    }

    /// What every session needs.
    var requiredSettings: [String] {
        [
            // Only there: a table of the same name elsewhere is never taken for ours.
            "SET search_path = \(quotedSchema)",
            "SET client_min_messages = warning",
            "SET standard_conforming_strings = on",
            // The server gives up before we do, so that it has time to tell us and nothing runs on behind our back.
            "SET statement_timeout = \(limits.statementTimeout.milliseconds * 7 / 8)",
            // A service that stands still in the middle of a transaction holds its rows no longer than this.
            "SET idle_in_transaction_session_timeout = 10000",
        ]
    }

    /// What makes a session safer or faster on PostgreSQL, and what engines that speak its protocol may not know.
    var optionalSettings: [String] {
        [
            // What was answered survives the loss of power, even if somebody set the server otherwise.
            "SET synchronous_commit = on",
            // A serializable transaction that scans a table collides with every write to it, and on small tables the
            // planner prefers scans. With an index it collides only on what it read.
            "SET enable_seqscan = off",
            // Without an index the cost of a scan that is "off" looks so high that the server would compile the query.
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
