import Synchronization

/// What a process does after its commits. A poll for rows that this process inserts may then be rare.
final class CommitObservers: Sendable {
    private let observers = Mutex<[@Sendable () -> Void]>([])

    /// - Parameter observer: returns at once.
    func add(_ observer: @Sendable @escaping () -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func notify() {
        for observer in observers.withLock(\.self) { observer() }
    }
}
