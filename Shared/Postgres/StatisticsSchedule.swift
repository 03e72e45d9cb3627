import Synchronization

/// When the server should examine tables of which it has no statistics, counted in commits of this process.
///
/// Without statistics the planner uses any index whose first columns a query names, even one that makes it read all
/// accounts of a project instead of one. The server's own daemon examines a new table after a minute or more, and an
/// import fills it in less.
final class StatisticsSchedule: Sendable {
    /// Most tables that a service fills at all have rows after the first of them.
    static let ofGrowingTables = [64, 512, 4096, 32_768]
    /// Tables with rows and without statistics come from a restored backup.
    static let atStart = [1]

    private let dueAfter: [Int]
    private let commits = Atomic(0)

    init(dueAfter: [Int]) {
        self.dueAfter = dueAfter
    }

    /// Counts one commit.
    /// - Returns: whether it is one of those after which the tables are due.
    func isDueAfterCommit() -> Bool {
        dueAfter.contains(commits.add(1, ordering: .relaxed).newValue)
    }
}
