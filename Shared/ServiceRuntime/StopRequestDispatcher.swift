import Synchronization

/// Passes requests to stop to the latest listener, including those that came before it. A process has one stream of
/// requests.
final class StopRequestDispatcher: Sendable {
    private struct State {
        var isListening = false
        var heard: [StopRequest] = []
        var listener: @Sendable (StopRequest) -> Void = { _ in }
    }

    private let state = Mutex(State())
    private let stopRequests: @Sendable () -> AsyncStream<StopRequest>

    init(_ stopRequests: @escaping @Sendable () -> AsyncStream<StopRequest>) {
        self.stopRequests = stopRequests
    }

    func listen(_ listener: @escaping @Sendable (StopRequest) -> Void) {
        let (isFirst, heard) = state.withLock { state in
            defer { state.isListening = true }
            state.listener = listener
            return (!state.isListening, state.heard)
        }
        for request in heard { listener(request) }
        guard isFirst else { return }
        // Unstructured: it runs during the lifetime of the process.
        Task { for await request in stopRequests() { dispatch(request) } }
    }

    private func dispatch(_ request: StopRequest) {
        let listener = state.withLock { state in
            state.heard.append(request)
            return state.listener
        }
        listener(request)
    }
}
