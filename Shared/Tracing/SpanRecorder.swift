package import Contracts
import Synchronization
import Vocabulary

/// The spans of one process that wait for their export. Recording never waits: spans beyond the capacity are dropped and
/// counted.
package final class SpanRecorder: Sendable {
    /// Spans that wait at the same time.
    package static let capacity = 2048
    /// Spans of one export.
    package static let batchSize = 256

    /// One element when a batch is complete, or when `wake` was called.
    package let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let sampledPercent: Int
    private let now: @Sendable () -> SpanTime
    private let state = Mutex(State())

    private struct State {
        var waiting: [Span] = []
        var dropped: UInt64 = 0
    }

    /// - Parameter sampledPercent: of the traces that begin in this process, 0 to 100.
    package init(sampledPercent: Int, now: @escaping @Sendable () -> SpanTime = SpanTime.now) {
        self.sampledPercent = sampledPercent
        self.now = now
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Begins a span.
    /// - Parameter parent: decides whether the span is recorded. Nil for the first span of a trace: the percentage
    ///   decides.
    package func begin(_ kind: Span.Kind, parent: TraceContext?) -> ActiveSpan {
        ActiveSpan(
            context: parent?.child() ?? .random(sampledPercent: sampledPercent), parentID: parent?.spanID, kind: kind,
            links: [], beganAt: now(), recorder: self)
    }

    /// Begins a trace of work that belongs to requests of other traces. It is recorded if one of these is.
    /// - Parameter origins: the requests; empty if they are unknown: the percentage decides.
    package func begin(_ kind: Span.Kind, for origins: [TraceContext]) -> ActiveSpan {
        let isSampled = origins.contains(where: \.isSampled)
        return ActiveSpan(
            context: origins.isEmpty ? .random(sampledPercent: sampledPercent) : .random(isSampled: isSampled),
            parentID: nil, kind: kind, links: origins, beganAt: now(), recorder: self)
    }

    func record(_ span: Span) {
        let isComplete = state.withLock { state in
            guard state.waiting.count < Self.capacity else {
                state.dropped = state.dropped.addingSaturated(1)
                return false
            }
            state.waiting.append(span)
            return state.waiting.count.isMultiple(of: Self.batchSize)
        }
        if isComplete { wake() }
    }

    func time() -> SpanTime { now() }

    /// Makes `signals` yield.
    package func wake() {
        signal.yield()
    }

    /// Removes the oldest spans, at most `batchSize`.
    package func takeBatch() -> [Span] {
        state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.batchSize))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// Spans that wait.
    package var waitingSpans: Int { state.withLock { $0.waiting.count } }

    /// Spans that had no place.
    package var droppedSpans: UInt64 { state.withLock { $0.dropped } }
}
