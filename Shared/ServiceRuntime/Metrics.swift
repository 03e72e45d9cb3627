package import Contracts
import Synchronization
import Vocabulary

/// The metrics of one process. Each series is created once and kept; `ProcessReporter` publishes them all.
package final class Metrics: Sendable {
    /// The maximum number of series of one process. Further series count, but are not reported: a label with external
    /// values must not grow the report without bound.
    package static let maximumSeries = 512

    private let state = Mutex(State())

    private struct State {
        var cells: [Key: Cell] = [:]
        var order: [Key] = []
        var measured: [@Sendable () -> [ProcessReport.Metric]] = []
        /// Requests for a new series beyond `maximumSeries`.
        var droppedSeries = 0
    }

    private struct Key: Hashable {
        var name: String
        var labels: [String: String]
    }

    package init() {}

    /// A number that only increases. The same name and labels give the same counter.
    package func counter(_ name: String, _ labels: [String: String] = [:]) -> Counter {
        Counter(cell: cell(name, labels, .counter))
    }

    /// A momentary value. The same name and labels give the same gauge.
    package func gauge(_ name: String, _ labels: [String: String] = [:]) -> Gauge {
        Gauge(cell: cell(name, labels, .gauge))
    }

    /// A distribution in the form of Prometheus: `_bucket` counters with upper bounds as `le`, `_sum` and `_count`.
    /// - Parameter bounds: upper bounds in ascending order, without infinity.
    package func histogram(_ name: String, _ labels: [String: String] = [:], bounds: [Double]) -> Histogram {
        precondition(bounds.sorted() == bounds, "bounds ascend")
        func bucket(_ bound: String) -> Counter {
            counter(name + "_bucket", labels.merging(["le": bound]) { _, le in le })
        }
        return Histogram(
            buckets: bounds.map { (bound: $0, counter: bucket("\($0)")) }, infinite: bucket("+Inf"),
            sum: counter(name + "_sum", labels), count: counter(name + "_count", labels))
    }

    /// Adds values that are read when a report is due.
    package func addCollector(_ read: @escaping @Sendable () -> [ProcessReport.Metric]) {
        state.withLock { $0.measured.append(read) }
    }

    /// How often a series was requested that is counted but not reported.
    package var droppedSeries: Int { state.withLock { $0.droppedSeries } }

    /// The current values in the order of creation; at most `maximumSeries` series.
    package func snapshot() -> [ProcessReport.Metric] {
        let (cells, measured) = state.withLock { state in
            (state.order.compactMap { key in state.cells[key].map { (key, $0) } }, state.measured)
        }
        let metrics = cells.map { key, cell in
            ProcessReport.Metric(name: key.name, kind: cell.kind, labels: key.labels, value: cell.value)
        }
        return Array((measured.flatMap { $0() } + metrics).prefix(Self.maximumSeries))
    }

    private func cell(_ name: String, _ labels: [String: String], _ kind: ProcessReport.Metric.Kind) -> Cell {
        state.withLock { state in
            let key = Key(name: name, labels: labels)
            if let cell = state.cells[key] {
                precondition(cell.kind == kind, "\(name) is a counter and a gauge")
                return cell
            }
            let cell = Cell(kind)
            guard state.order.count < Self.maximumSeries else {
                state.droppedSeries = state.droppedSeries.addingSaturated(1)
                return cell
            }
            state.cells[key] = cell
            state.order.append(key)
            return cell
        }
    }

    fileprivate final class Cell: Sendable {
        let kind: ProcessReport.Metric.Kind
        private let content = Mutex(0.0)

        init(_ kind: ProcessReport.Metric.Kind) { self.kind = kind }

        var value: Double { content.withLock { $0 } }

        func set(_ value: Double) { content.withLock { $0 = value } }
        func add(_ amount: Double) { content.withLock { $0 += amount } }
    }

    package struct Counter: Sendable {
        fileprivate let cell: Cell

        package var value: Double { cell.value }

        /// - Parameter amount: not negative.
        package func increment(by amount: Double = 1) {
            precondition(amount >= 0, "a counter only rises")
            cell.add(amount)
        }
    }

    package struct Gauge: Sendable {
        fileprivate let cell: Cell

        package var value: Double { cell.value }

        package func set(_ value: Double) { cell.set(value) }
        package func add(_ amount: Double) { cell.add(amount) }
    }

    package struct Histogram: Sendable {
        fileprivate let buckets: [(bound: Double, counter: Counter)]
        fileprivate let infinite: Counter
        fileprivate let sum: Counter
        fileprivate let count: Counter

        /// Counts one value, which is not negative.
        package func observe(_ value: Double) {
            for bucket in buckets where value <= bucket.bound { bucket.counter.increment() }
            infinite.increment()
            sum.increment(by: max(0, value))
            count.increment()
        }
    }
}
