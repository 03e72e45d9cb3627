package import SQL
package import ServiceRuntime
package import Vocabulary

/// The rows of an outbox that wait for their receivers.
package struct Backlog: Equatable, Sendable {
    package var count = 0
    /// Since when the oldest waits; nil without a row.
    package var oldest: Moment?

    package init() {}

    /// - Parameter row: `COUNT(*) AS count, MIN(...) AS oldest`.
    package init<Table>(_ row: SQLTableRow<Table>?) throws(SQLError) {
        guard let row else { return }
        count = try row.get(computed: "count")
        oldest = try row.getIfPresent(computed: "oldest")
    }
}

extension Metrics {
    /// Sets the gauges of a backlog: the number of rows, and the age of the oldest in seconds.
    package func set(
        _ backlog: Backlog, count: String, age: String, _ labels: [String: String] = [:], at now: Moment
    ) {
        gauge(count, labels).set(Double(backlog.count))
        gauge(age, labels).set(backlog.oldest.map { Double(max(0, now.milliseconds(since: $0))) / 1000 } ?? 0)
    }
}
