internal import Bus
package import Contracts

/// What the broker has done since it started.
package struct BrokerStatistics: Equatable, Sendable {
    /// Requests given to workers, repetitions included.
    package var dispatched: UInt64 = 0
    /// Requests whose worker was lost and that wait for another one.
    package var dispatchedAgain: UInt64 = 0
    /// Replies to what was asked.
    package var replies: UInt64 = 0
    /// Refusals that the broker wrote itself.
    package var refused: [WireError.Code: UInt64] = [:]
    /// Requests with the id of one that waits or runs.
    package var duplicates: UInt64 = 0
    /// Replies to nothing that was asked of their sender.
    package var strayReplies: UInt64 = 0
    /// Requests whose reply did not come until long after the deadline.
    package var lostReplies: UInt64 = 0
    /// Events of members, not of the broker.
    package var events: UInt64 = 0
    /// Messages that were not the bus's.
    package var foreignMessages: UInt64 = 0
    /// Messages that the queue of a connection had no room for.
    package var undelivered: UInt64 = 0

    package init() {}
}

extension BrokerState {
    /// The broker's part of its `ProcessReport`.
    package var metrics: [ProcessReport.Metric] {
        func counter(_ name: String, _ value: UInt64, _ labels: [String: String] = [:]) -> ProcessReport.Metric {
            .init(name: "latchkey_broker_\(name)_total", kind: .counter, labels: labels, value: Double(value))
        }
        func gauge(_ name: String, _ value: Int, _ labels: [String: String] = [:]) -> ProcessReport.Metric {
            .init(name: "latchkey_broker_\(name)", kind: .gauge, labels: labels, value: Double(value))
        }
        var metrics = [
            counter("dispatched", statistics.dispatched), counter("dispatched_again", statistics.dispatchedAgain),
            counter("replies", statistics.replies), counter("duplicates", statistics.duplicates),
            counter("stray_replies", statistics.strayReplies), counter("lost_replies", statistics.lostReplies),
            counter("events", statistics.events), counter("foreign_messages", statistics.foreignMessages),
            counter("undelivered", statistics.undelivered), gauge("members", members.count),
            gauge("blocked_payloads", blocks.blockedCount),
        ]
        for (code, count) in statistics.refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics.append(counter("refused", count, ["code": code.rawValue]))
        }
        for (service, line) in lines.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let labels = ["target": service.rawValue]
            metrics.append(gauge("queued", line.queue.count, labels))
            metrics.append(gauge("workers", line.workers.count, labels))
            let running = line.workers.reduce(0) { $0 + (members[$1]?.running.count ?? 0) }
            metrics.append(gauge("running", running, labels))
        }
        return metrics
    }

    /// A message found no room in the queue of a connection.
    package mutating func countUndelivered() {
        statistics.undelivered += 1
    }
}
