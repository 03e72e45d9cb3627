package import FoundationEssentials
import Synchronization

/// A body that is produced while it is sent, in parts. The server asks for the next part when the client has taken the one
/// before, so one part is in memory, however long the body is. The end of a body that fails is missing: the client sees that
/// the transfer is incomplete.
package struct HTTPBodyStream: Sendable {
    private let produce: @Sendable () async throws -> Data?

    /// - Parameters:
    ///   - state: what the first part is made from.
    ///   - next: the part of a state, and what the next one is made from: nil behind the last part.
    package init<State: Sendable>(
        from state: State, _ next: @Sendable @escaping (State) async throws -> (part: Data, state: State?)
    ) {
        let rest = Holder(state)
        produce = {
            guard let state = rest.take() else { return nil }
            let (part, following) = try await next(state)
            rest.put(following)
            return part
        }
    }

    /// The next part; nil behind the last one, and after an error. One at a time.
    package func next() async throws -> Data? { try await produce() }

    /// The state between two parts.
    private final class Holder<State: Sendable>: Sendable {
        private let state: Mutex<State?>

        init(_ state: State) { self.state = Mutex(state) }

        func take() -> State? {
            state.withLock { state in
                defer { state = nil }
                return state
            }
        }

        func put(_ following: State?) { state.withLock { $0 = following } }
    }
}
