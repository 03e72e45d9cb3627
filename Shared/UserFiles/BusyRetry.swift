import Bus
import Contracts

/// Requests a part of a file of users again while the mesh is overloaded or a process restarts: a file of a million users
/// would otherwise end with the first busy moment.
package struct BusyRetry: Sendable {
    /// Between the attempts: a process that ended has restarted by then.
    static let pauses: [Duration] = [
        .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(8),
    ]

    private let pause: @Sendable (Duration) async throws -> Void

    /// - Parameter pause: waits on the steady clock.
    package init(pause: @escaping @Sendable (Duration) async throws -> Void = LocalMachine().pause) {
        self.pause = pause
    }

    /// - Throws: the error of the last attempt, or at once one that another attempt does not change.
    package func callAsFunction<Reply>(_ request: () async throws -> Reply) async throws -> Reply {
        for length in Self.pauses {
            do {
                return try await request()
            } catch let error as ServiceError where WireError.Code.busy.contains(error.code) {
                try await pause(length)
            }
        }
        return try await request()
    }
}
