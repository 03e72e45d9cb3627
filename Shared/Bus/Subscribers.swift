import Synchronization

/// The subscribers in this process of what other processes publish.
final class Subscribers<Element: Sendable>: Sendable {
    private static var bufferedElements: Int { 256 }

    private struct State {
        var nextID = 0
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    func subscribe() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Self.bufferedElements))
        let id: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.continuations[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            // Released after the lock: releasing the last reference to a continuation may run this handler again.
            _ = self?.state.withLock { $0.continuations.removeValue(forKey: id) }
        }
        return stream
    }

    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    func yield(_ element: Element) {
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(element) }
    }

    func finish() {
        let continuations = state.withLock { state in
            state.isFinished = true
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
