import Bus
import Contracts
import DatabaseService
package import SQL
package import ServiceRuntime
package import Storage
import Synchronization
package import Vocabulary

extension IdentityService {
    /// `refreshState` each second, `runMaintenance` each minute, and the measurement of imported hashes that have no
    /// time.
    /// - Parameter clock: while it is not trusted, no row is deleted.
    package func maintenanceTasks(trusting clock: TrustedClock, log: Log) -> [[MaintenanceTask]] {
        [
            [MaintenanceTask("refresh", every: .seconds(1), refreshState)],
            // Delayed, so that it does not slow down the start of the process.
            [
                MaintenanceTask("maintenance", every: .seconds(60), after: .seconds(5)) {
                    guard let anchor = try await self.runMaintenance(sweepAt: try await clock.now()) else { return }
                    log.info(.auditAnchored, ["link": .public(anchor.number), "chain": .public(anchor.hash)])
                }
            ],
            [
                MaintenanceTask("old-hashes", every: .seconds(3600), after: .seconds(10)) {
                    try await self.oldHashMeasurement.measureAll()
                }
            ],
        ]
    }

    /// Writes the counted refusals of past minutes, links new records of the audit log, and loads signing keys that
    /// another process created.
    package func refreshState() async throws {
        try await context.keys.refresh()
        try await context.store.closeRefusals(at: context.now())
        try await context.store.linkAudit()
        try await context.store.confirmAuditAfterStart(at: context.now())
    }

    /// The end of the audit log at the time of an anchor.
    package struct AuditAnchor: Equatable, Sendable {
        package var number: Int64
        /// Hexadecimal.
        package var hash: String
    }

    /// Creates keys that are due, deletes expired rows and the rows of deleted tenants, deletes accounts whose owners have
    /// deleted them some days ago, deletes old rows of the audit log, and anchors it.
    /// - Parameter sweepAt: the time at which rows are expired; nil deletes none.
    /// - Returns: the anchor, if the log has new links.
    @discardableResult
    package func runMaintenance(sweepAt: Moment?) async throws -> AuditAnchor? {
        let trace = TraceContext.random().traceID
        for purpose in Identity.ListSigningKeys.Purpose.allCases {
            if try await context.keys.rotateIfDue(purpose, traceID: trace) {
                context.publish(.signingKeysChanged)
            }
        }
        if let sweepAt {
            try await context.store.sweep(at: sweepAt)
            try await context.store.pruneActivity(at: sweepAt)
        }
        while try await context.store.deleteTenantData(at: context.now()) {}
        if let sweepAt {
            try await AccountDeletionHandler(context: context).deleteDue(at: sweepAt, traceID: trace)
        }
        try await context.store.closeRefusals(at: context.now())
        try await context.store.linkAudit()
        if let sweepAt {
            try await context.store.deleteAudit(olderThan: context.auditRetention, at: sweepAt)
        }
        return try await context.store.anchorAudit(at: context.now()).map {
            AuditAnchor(number: $0.number, hash: $0.chain.hexadecimal)
        }
    }

    /// Records in the audit log that a rotation of the master key has ended.
    package func masterKeyRotated(in transaction: borrowing SQLTransaction) throws {
        try transaction.append(
            AuditEntry(
                at: context.now(), realm: Realm(project: ProjectID("")), action: .masterKeyRotated, actor: .system,
                traceID: TraceContext.random().traceID))
    }
}
