package import Contracts
import Synchronization
package import Vocabulary

/// What this process has counted and not yet reported. To count takes no I/O, so it may be part of a request.
package final class ActivityCounts: Sendable {
    /// Amounts of one counter and project are one entry for this time.
    static let slotSeconds: Int64 = 15
    /// Entries beyond are dropped. They wait only while identity is away.
    package static let maximumEntries = 20_000

    private struct Key: Hashable {
        var slot: Int64
        var project: ProjectID?
        var counter: ActivityCounter
    }

    private struct State {
        var amounts: [Key: Int64] = [:]
        var dropped: Int64 = 0
    }

    private let instant: @Sendable () -> ContinuousClock.Instant
    private let began: ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter instant: the steady clock.
    package init(instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.instant = instant
        began = instant()
    }

    /// - Parameters:
    ///   - project: nil for what belongs to none.
    ///   - amount: nothing is counted unless it is positive.
    package func count(_ counter: ActivityCounter, in project: ProjectID?, by amount: Int64 = 1) {
        guard amount > 0 else { return }
        let key = Key(slot: elapsedSeconds / Self.slotSeconds, project: project, counter: counter)
        state.withLock { state in
            if let counted = state.amounts[key] {
                state.amounts[key] = counted.addingSaturated(amount)
            } else if state.amounts.count < Self.maximumEntries {
                state.amounts[key] = amount
            } else {
                state.dropped = state.dropped.addingSaturated(1)
            }
        }
    }

    /// Removes and returns entries, the oldest first; at most those of one request.
    package func take() -> [Identity.RecordActivity.Entry] {
        let elapsed = elapsedSeconds
        return state.withLock { state in
            let keys = state.amounts.keys.sorted { $0.slot < $1.slot }.prefix(Identity.RecordActivity.maximumEntries)
            return keys.map { key in
                .init(
                    project: key.project, counter: key.counter, amount: state.amounts.removeValue(forKey: key) ?? 0,
                    ageSeconds: max(0, elapsed - (key.slot + 1) * Self.slotSeconds))
            }
        }
    }

    /// How often an amount was dropped since the last call.
    func takeDropped() -> Int64 {
        state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    private var elapsedSeconds: Int64 { began.duration(to: instant()).components.seconds }
}
