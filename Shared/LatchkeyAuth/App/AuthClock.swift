package import Foundation

/// The time, which tests replace.
package struct AuthClock: Sendable {
    package var now: @Sendable () -> Date
    /// Suspends the task. Throws `CancellationError` when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// A clock of the given closures, as tests use it.
    package init(
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    package static let system = AuthClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })
}
