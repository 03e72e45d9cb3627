import SQL
import Settings
import Storage

/// The connection slots of a PostgreSQL server, and those that the processes of this mesh may use.
struct ConnectionBudget: Equatable, Sendable {
    /// The database, without a password.
    let place: String
    /// Those that this role may use at the same time.
    let slots: Int
    /// Slots that other programs use now.
    let usedByOthers: Int
    /// Processes of this mesh with a database there.
    var processes: Int
    /// Connections that each of them opens at most.
    let perProcess: Int
}

extension ConnectionBudget {
    /// Asks the server.
    /// - Throws: `SQLError`.
    init(of place: String, in database: any SQLDatabase, processes: Int, perProcess: Int) async throws {
        let (slots, others) = try await database.read { transaction -> (Int, Int) in
            let row = try transaction.firstRow(Self.query)
            return (try row?.get("slots") ?? 0, try row?.get("others") ?? 0)
        }
        self.init(place: place, slots: slots, usedByOthers: others, processes: processes, perProcess: perProcess)
    }

    /// A session of another role shows neither its kind nor its name, but its database.
    private static let query = """
        SELECT
            least(
                CAST(current_setting('max_connections') AS bigint)
                    - CAST(current_setting('superuser_reserved_connections') AS bigint),
                CASE WHEN r.rolconnlimit < 0 THEN 9223372036854775807 ELSE CAST(r.rolconnlimit AS bigint) END
            ) AS slots,
            (
                SELECT count(*) FROM pg_catalog.pg_stat_activity
                WHERE datid IS NOT NULL AND (application_name IS NULL OR application_name NOT LIKE 'latchkey %')
            ) AS others
        FROM pg_catalog.pg_roles r WHERE r.rolname = current_user
        """

    var finding: Finding {
        let needed = processes * perProcess
        let text =
            "\(place) has \(slots) connection slots, of which other programs use \(usedByOthers). This mesh uses up to "
            + "\(needed): \(perProcess) for each of \(processes) processes."
        guard needed > slots - usedByOthers else { return Finding("database connections", .ok, text) }
        return Finding(
            "database connections", .warning, text,
            remedy: "Raise max_connections of the server or the limit of the role, or lower "
                + "\(Setting.databaseConnections.name). Each further mesh there needs as many.")
    }
}
