/// The description of one table: an enum with a case for each column.
///
/// It names every column once. Statements are made from it (`SQLStatement`), records are written with it (`SQLRecord`),
/// and rows are read with it (`SQLTableRow`). The raw value of a case is the name of the column.
package protocol SQLTableDescription: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    /// The name of the table.
    static var table: String { get }
    /// The columns of the primary key, in the order of the migration.
    static var key: [Self] { get }
    /// Which rows are deleted, and when.
    static var expiry: SQLExpiry<Self> { get }
}

/// Which rows of a table expire. A `Sweeper` deletes them.
package enum SQLExpiry<Column: Sendable>: Sendable {
    /// Rows do not expire.
    case never
    /// Something else than a `Sweeper` deletes rows: its name.
    case deletedBy(String)
    /// A row expires this long after the time in the column, which has Unix milliseconds and an index. A row with null
    /// stays.
    case after(Column, lifetime: Duration)
    /// As `after`; the operator sets the lifetime.
    case afterRetention(Column)

    /// A row expires this long after the time of its last use, which has Unix milliseconds and no index, so that a use
    /// changes no index. A `Sweeper` looks at the row at the time in the other column, which has an index, and sets that
    /// time again if the row was used since.
    case afterLastUse(Column, checkedAt: Column, lifetime: Duration)

    /// A row expires at the time in the column.
    package static func at(_ column: Column) -> Self { .after(column, lifetime: .zero) }
}

extension SQLTableDescription {
    /// The names of all columns.
    package static var columnNames: [String] { allCases.map(\.rawValue) }

    /// The names of the columns of the primary key.
    package static var keyNames: [String] { key.map(\.rawValue) }
}
