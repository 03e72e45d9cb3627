internal import Foundation

/// The time, which tests replace.
struct AuthClock: Sendable {
    var now: @Sendable () -> Date
    /// Suspends the task. Throws `CancellationError` when the task is cancelled.
    var sleep: @Sendable (Duration) async throws -> Void

    static let system = AuthClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })
}
