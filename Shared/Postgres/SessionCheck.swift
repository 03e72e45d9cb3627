import SQL
import Synchronization

/// Whether the other side keeps a session for each connection. A connection pooler may give each transaction another
/// session of the server, where the settings and prepared statements of this process are missing, or those of others are.
///
/// A server names its process when it accepts a connection, and a pooler names a number of its own. Behind a pooler, a mark
/// in the session shows whether it stays, and is not seen by a second connection. Nothing else is evidence: a pooler that
/// keeps sessions is used.
final class SessionCheck: Sendable {
    static let sentence = """
        a connection pooler in front of it gives each transaction another session (PgBouncer: pool_mode = transaction or \
        statement); set pool_mode = session, or name the server itself
        """

    /// Each time the pooler may choose by chance the session that it should.
    private static let rounds = 3
    /// If the pooler has no session for the second connection, it keeps sessions, or is busy.
    private static let limit = Duration.seconds(1)
    private static let process = "SELECT CAST(pg_catalog.pg_backend_pid() AS bigint) AS value"
    private static let mark = "SELECT pg_catalog.current_setting('latchkey.session', true) AS value"

    /// The pooler in front of the server keeps sessions.
    private let isDone = Atomic(false)

    /// - Returns: false if the sessions are certainly shared.
    func keepsSession(
        of link: LibpqConnection, _ settings: PostgresSettings
    ) throws(LibpqConnection.ConnectionLostError) -> Bool {
        guard !isDone.load(ordering: .relaxed) else { return true }
        let limit = settings.limits.connectTimeout
        let process = try Self.value(of: link, [Self.process], within: limit)
        guard case .integer(let process)? = process.value, process != Int64(link.announcedProcess) else { return true }
        let secret = String(UInt64.random(in: .min ... .max))
        try link.send("SET latchkey.session = '\(secret)'")
        // An engine that refuses this setting has sessions of another kind.
        guard try link.exchange(within: limit).allSatisfy({ $0.refusal == nil }) else { return true }
        // `try?`: without a second connection nothing is certain, and the next connection is checked.
        guard let other = try? settings.connect() else { return true }
        for _ in 0..<Self.rounds {
            guard let seen = try? Self.value(of: other, ["BEGIN", Self.mark], within: Self.limit) else { return true }
            // It may refuse transactions of several statements altogether.
            guard seen.refusal?.state != "08P01", seen.value != .text(secret) else { return false }
            guard try Self.value(of: link, [Self.mark], within: limit).value == .text(secret) else { return false }
            guard (try? Self.value(of: other, ["ROLLBACK"], within: Self.limit)) != nil else { return true }
        }
        isDone.store(true, ordering: .relaxed)
        return true
    }

    /// The only value of the last command, and the first refusal.
    private static func value(
        of link: LibpqConnection, _ commands: [String], within limit: Duration
    ) throws(LibpqConnection.ConnectionLostError) -> (value: SQLValue?, refusal: PostgresError?) {
        for command in commands { try link.send(command) }
        let results = try link.exchange(within: limit)
        // `try?`: a value of another type is none.
        let row = try? results.last?.rows(positions: ["value": 0], limit: 1).first
        return (row?.values.first, results.lazy.compactMap(\.refusal).first)
    }
}
