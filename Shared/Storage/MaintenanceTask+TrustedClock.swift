package import ServiceRuntime
package import Vocabulary

extension MaintenanceTask {
    /// A task that deletes by age. It does nothing while the clock is untrusted.
    /// - Parameter body: receives the trusted time.
    package init(
        _ name: String, every interval: Duration, after initialDelay: Duration? = nil, trusting clock: TrustedClock,
        _ body: @escaping @Sendable (Moment) async throws -> Void
    ) {
        self.init(name, every: interval, after: initialDelay) {
            if let now = try await clock.now() { try await body(now) }
        }
    }
}
