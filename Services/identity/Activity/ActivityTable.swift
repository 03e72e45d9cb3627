import Contracts
import SQL
import Vocabulary

/// What the installation has counted: one row for each project, period and counter with an amount.
enum ActivityCountTable: String, SQLTableDescription {
    /// Empty for the whole installation.
    case project
    case resolution, counter, amount
    case startsAt = "starts_at"

    static let table = "activity_counts"
    static let key = [project, resolution, startsAt, counter]
    static let expiry = SQLExpiry<Self>.deletedBy("IdentityStore.pruneActivity")

    /// Rows of one statement.
    static let rowsPerStatement = 40
    /// By the number of rows. The arguments: project, resolution, start, counter and amount of each row.
    static let additions = Dictionary(uniqueKeysWithValues: (1...rowsPerStatement).map { ($0, addition(rows: $0)) })

    /// The arguments: the first and the last start.
    static let ofPeriods = select(
        [startsAt, counter, amount], where: [project, resolution], "AND starts_at >= $1 AND starts_at <= $2")
    /// The argument: the number of projects.
    static let costliest = select(
        [project, amount], where: [resolution, startsAt, counter],
        "AND project <> '' ORDER BY amount DESC, project LIMIT $1")
    /// The arguments: the first start that stays, and the number of rows.
    static let removalOfPast = removal(where: "starts_at < $1")
    /// The arguments: the last start that stays, and the number of rows.
    static let removalOfFuture = removal(where: "starts_at > $1")

    private static func removal(where condition: String) -> SQLStatement<Self> {
        SQLStatement(
            """
            DELETE FROM activity_counts WHERE (project, resolution, starts_at, counter) IN (
                SELECT project, resolution, starts_at, counter FROM activity_counts
                WHERE resolution = :resolution AND \(condition) ORDER BY starts_at LIMIT $2)
            """)
    }

    /// A sum that has no place stays at the highest amount.
    private static func addition(rows: Int) -> SQLStatement<Self> {
        let groups = (0..<rows).map { row in "(\((1...5).map { "$\(5 * row + $0)" }.joined(separator: ", ")))" }
        return SQLStatement(
            """
            INSERT INTO activity_counts (project, resolution, starts_at, counter, amount)
            VALUES \(groups.joined(separator: ", "))
            ON CONFLICT (project, resolution, starts_at, counter) DO UPDATE SET
                amount = CASE WHEN activity_counts.amount > \(Int64.max) - excluded.amount
                    THEN \(Int64.max) ELSE activity_counts.amount + excluded.amount END
            """)
    }
}

extension ActivityResolution: SQLConvertible {}
