import Bus
package import Contracts

/// Counts of the broker since it started.
package struct BrokerStatistics: Equatable, Sendable {
    /// Requests dispatched to workers, repetitions included.
    package var dispatched: UInt64 = 0
    /// How long requests waited for a worker, by their service: only services with a worker have an entry.
    var waits: [BusName: WaitingTimes] = [:]
    /// Requests that lost their worker and were queued again.
    package var redispatched: UInt64 = 0
    /// Replies that match a request.
    package var replies: UInt64 = 0
    /// Errors that the broker itself returned.
    package var refused: [WireError.Code: UInt64] = [:]
    /// Requests with the id of a waiting or running one.
    package var duplicates: UInt64 = 0
    /// Replies that match no request of their sender.
    package var unexpectedReplies: UInt64 = 0
    /// Requests without a reply long after their deadline.
    package var timedOutReplies: UInt64 = 0
    /// Events of members, not of the broker.
    package var events: UInt64 = 0
    /// Malformed messages.
    package var malformedMessages: UInt64 = 0
    /// Messages of processes whose keys do not permit them.
    package var messagesNotPermitted: UInt64 = 0
    /// Messages dropped because the queue of a connection was full.
    package var droppedMessages: UInt64 = 0

    package init() {}

    /// A distribution in the form of Prometheus.
    struct WaitingTimes: Equatable, Sendable {
        static let bounds: [Duration] = [
            .microseconds(500), .milliseconds(1), .milliseconds(5), .milliseconds(25), .milliseconds(100),
            .milliseconds(500), .seconds(2),
        ]

        /// Requests that waited no longer than each bound.
        private(set) var counts = Array(repeating: UInt64(0), count: Self.bounds.count)
        private(set) var count: UInt64 = 0
        private(set) var sum = Duration.zero

        mutating func add(_ time: Duration) {
            for (index, bound) in Self.bounds.enumerated() where time <= bound { counts[index] += 1 }
            count += 1
            sum += max(.zero, time)
        }
    }
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
            counter("requests_dispatched", statistics.dispatched),
            counter("requests_redispatched", statistics.redispatched),
            counter("replies", statistics.replies), counter("duplicate_requests", statistics.duplicates),
            counter("unexpected_replies", statistics.unexpectedReplies),
            counter("reply_timeouts", statistics.timedOutReplies),
            counter("events", statistics.events), counter("malformed_messages", statistics.malformedMessages),
            counter("messages_not_permitted", statistics.messagesNotPermitted),
            counter("dropped_messages", statistics.droppedMessages), gauge("members", members.count),
            gauge("blocked_payloads", blocks.blockedCount),
        ]
        for (code, count) in statistics.refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics.append(counter("refused_requests", count, ["code": code.rawValue]))
        }
        for (service, line) in queues.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let labels = ["target_service": service.rawValue]
            metrics.append(gauge("queued_requests", line.queue.count, labels))
            metrics.append(gauge("workers", line.workers.count, labels))
            let running = line.workers.reduce(0) { $0 + (members[$1]?.running.count ?? 0) }
            metrics.append(gauge("running_requests", running, labels))
        }
        for (service, times) in statistics.waits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            metrics += times.metrics(of: service)
        }
        return metrics
    }

    /// The queue of a connection was full.
    package mutating func countUndelivered() {
        statistics.droppedMessages += 1
    }
}

extension BrokerStatistics.WaitingTimes {
    fileprivate func metrics(of service: BusName) -> [ProcessReport.Metric] {
        let family = "latchkey_broker_queue_duration_seconds"
        func series(_ suffix: String, _ value: Double, le bound: String? = nil) -> ProcessReport.Metric {
            var labels = ["target_service": service.rawValue]
            labels["le"] = bound
            return .init(name: family + suffix, kind: .counter, labels: labels, value: value)
        }
        return zip(Self.bounds, counts).map { series("_bucket", Double($1), le: "\($0 / .seconds(1))") } + [
            series("_bucket", Double(count), le: "+Inf"), series("_sum", sum / .seconds(1)),
            series("_count", Double(count)),
        ]
    }
}
