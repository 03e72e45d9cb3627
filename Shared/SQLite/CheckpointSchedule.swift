/// Decides when the writing thread copies the journal into the file. SQLite would do it in the commit that fills the journal,
/// while its callers wait.
struct CheckpointSchedule: Sendable {
    /// Pages of the journal from which it is copied when no write waits: 4 MiB.
    static let pagesWhenIdle = 1000
    /// The same while writes wait: 16 MiB. A longer journal has more pages that were written several times and are copied once.
    static let pages = 4 * pagesWhenIdle

    /// The length at the last copy. The journal begins again after one that no reader has prevented.
    private var pagesCopied = 0

    /// - Parameters:
    ///   - count: the pages in the journal.
    ///   - isIdle: whether no write waits.
    /// - Returns: whether to copy them now.
    mutating func isDue(_ count: Int, isIdle: Bool) -> Bool {
        if count < pagesCopied { pagesCopied = 0 }
        guard count - pagesCopied >= (isIdle ? Self.pagesWhenIdle : Self.pages) else { return false }
        pagesCopied = count
        return true
    }
}
