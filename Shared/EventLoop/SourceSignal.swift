import Synchronization

/// Gives one source of a loop a turn, from any thread. Its owner raises it after each change that the source must see.
package final class SourceSignal: Sendable {
    /// A new source needs a turn.
    private let isRaised = Atomic(true)
    private let wakeLoop: @Sendable () -> Void

    init(wakeLoop: @escaping @Sendable () -> Void) {
        self.wakeLoop = wakeLoop
    }

    package func raise() {
        // Whoever raised it before wakes the loop, which lowers it before the turn.
        guard !isRaised.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wakeLoop()
    }

    /// - Returns: whether it was raised since the last call.
    func lower() -> Bool {
        isRaised.exchange(false, ordering: .acquiringAndReleasing)
    }
}

/// Decides which sources need a turn now.
package struct TurnSchedule: Sendable {
    private let signal: SourceSignal
    private var isBusy = false
    /// When the source needs its next turn without a reason from outside.
    package private(set) var dueAt: ContinuousClock.Instant?

    package init(_ signal: SourceSignal) {
        self.signal = signal
    }

    /// Lowers the signal.
    /// - Returns: whether the source has a turn now.
    package func takesTurn(hasInput: Bool, at now: ContinuousClock.Instant) -> Bool {
        // Always lowered: the turn sees the change, whatever its reason.
        let isRaised = signal.lower()
        return isRaised || hasInput || isBusy || dueAt.map { now >= $0 } ?? false
    }

    /// - Parameter state: after the turn.
    package mutating func hadTurn(_ state: EventSourceState) {
        switch state {
        case .busy: (isBusy, dueAt) = (true, nil)
        case .waiting(let time): (isBusy, dueAt) = (false, time)
        case .finished: (isBusy, dueAt) = (false, nil)
        }
    }
}
