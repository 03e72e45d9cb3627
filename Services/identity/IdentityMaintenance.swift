import Bus
package import Contracts
package import SQL
package import ServiceRuntime
package import Vocabulary

/// What identity does of itself: every second it links the audit log and takes up what other processes changed; once a
/// minute it renews signing keys on their schedule, sweeps out what is past its time, and anchors the audit log. In
/// between it listens to the events of the other processes.
package struct IdentityMaintenance: ProcessComponent {
    /// A start has more urgent things to do than a round.
    private static let firstPause = Duration.seconds(5)

    private let service: IdentityService
    private let events: AsyncStream<BusEvent>
    private let trustedNow: @Sendable () async throws -> Moment?
    private let log: Log
    private let stop = StopSignal()

    /// - Parameter trustedNow: nil while the clock is in doubt; then nothing is removed.
    package init(
        _ service: IdentityService, events: AsyncStream<BusEvent>,
        trustedNow: @escaping @Sendable () async throws -> Moment?, log: Log
    ) {
        self.service = service
        self.events = events
        self.trustedNow = trustedNow
        self.log = log
    }

    package func run() async throws {
        await stop.run(
            { for await event in events { await service.receive(event) } },
            round(every: .seconds(1)) { try await service.refreshState() }.run,
            round(every: .seconds(60), after: Self.firstPause) {
                guard let anchor = try await service.runMaintenance(sweepAt: try await trustedNow()) else { return }
                log.info("audit.anchored", ["link": .public(anchor.number), "chain": .public(anchor.hash)])
            }.run)
    }

    package func beginShutdown() async {
        stop.raise()
    }

    private func round(
        every interval: Duration, after first: Duration? = nil, _ body: @escaping @Sendable () async throws -> Void
    ) -> PeriodicTask {
        PeriodicTask(
            every: interval, after: first,
            failed: { [log] in log.error("identity.maintenance-failed", ["error": .kind(of: $0)]) }, body)
    }
}

extension IdentityService {
    /// Writes the refusals of past minutes, links what was added to the audit log, and takes up signing keys that
    /// another process made.
    package func refreshState() async throws {
        try await dependencies.keys.refresh()
        try await dependencies.store.closeRefusals(at: dependencies.now())
        try await dependencies.store.linkAudit()
    }

    /// The end of the audit log when an anchor was taken of it.
    package struct AuditAnchor: Equatable, Sendable {
        package var number: Int64
        /// Hexadecimal.
        package var hash: String
    }

    /// Makes keys that are due, removes what has expired and what deleted tenants left behind, deletes old rows of the
    /// audit log, and anchors it.
    /// - Parameter sweepAt: the time at which rows are expired; nil removes none.
    /// - Returns: the anchor, if there was anything new to hold.
    @discardableResult
    package func runMaintenance(sweepAt: Moment?) async throws -> AuditAnchor? {
        let trace = TraceContext.random().traceID
        for purpose in Identity.ListSigningKeys.Purpose.allCases {
            if try await dependencies.keys.rotateIfDue(purpose, traceID: trace) {
                dependencies.publish(.signingKeysChanged)
            }
        }
        if let sweepAt { try await dependencies.store.sweep(at: sweepAt) }
        while try await dependencies.store.deleteTenantData() {}
        try await dependencies.store.closeRefusals(at: dependencies.now())
        try await dependencies.store.linkAudit()
        if let sweepAt {
            try await dependencies.store.deleteAudit(olderThan: dependencies.auditRetention, at: sweepAt)
        }
        return try await dependencies.store.anchorAudit(at: dependencies.now()).map {
            AuditAnchor(number: $0.number, hash: $0.chain.hexadecimal)
        }
    }

    /// Tells the audit log that a rotation of the master key has ended.
    package func masterKeyRotated(in transaction: borrowing SQLTransaction) throws {
        try transaction.append(
            AuditEntry(
                at: dependencies.now(), realm: Realm(project: ProjectID("")), action: .masterKeyRotated, actor: .system,
                traceID: TraceContext.random().traceID))
    }
}
