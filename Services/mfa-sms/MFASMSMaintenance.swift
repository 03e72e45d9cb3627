package import ServiceRuntime
package import Vocabulary

/// What mfa-sms does of itself: it sweeps out what is past its time.
package struct MFASMSMaintenance: ProcessComponent {
    private static let interval = Duration.seconds(60)

    private let store: MFASMSStore
    private let appVerifier: AppVerifier
    private let trustedNow: @Sendable () async throws -> Moment?
    private let log: Log
    private let stop = StopSignal()

    /// - Parameter trustedNow: nil while the clock is in doubt; then nothing is removed.
    package init(
        _ store: MFASMSStore, _ appVerifier: AppVerifier, trustedNow: @escaping @Sendable () async throws -> Moment?,
        log: Log
    ) {
        self.store = store
        self.appVerifier = appVerifier
        self.trustedNow = trustedNow
        self.log = log
    }

    package func run() async throws {
        await stop.run(
            PeriodicTask(
                every: Self.interval,
                failed: { [log] in log.error("mfa-sms.maintenance-failed", ["error": .kind(of: $0)]) }, round
            ).run)
    }

    package func beginShutdown() async {
        stop.raise()
    }

    /// One round. What is past its time is not looked at, only kept, so that nothing suffers by waiting for the next.
    private func round() async throws {
        guard let now = try await trustedNow() else { return }
        try await store.sweep(at: now)
        while try await appVerifier.sweep(at: now) {}
    }
}
