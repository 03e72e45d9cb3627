import Bus
import Contracts
package import ServiceRuntime
import Vocabulary

/// Requests identity to record changes of configurations in the audit log. A change is stored in the transaction that
/// makes it, and deleted when identity has recorded it, so that none is lost.
package struct ProviderChangeRecorder: Sendable {
    /// The number of changes that are read at a time.
    static let page = 100
    /// The administrator waits meanwhile.
    private static let firstTimeout = Duration.seconds(1)
    private static let timeout = Duration.seconds(5)

    private let store: FederationStore
    private let peers: PeerClient
    private let log: Log

    package init(_ store: FederationStore, peers: PeerClient, log: Log) {
        self.store = store
        self.peers = peers
        self.log = log
    }

    /// Records a change directly after its transaction. After an error, `recordAll` records it later.
    func record(_ change: ProviderChange) async {
        do {
            try await deliver(change, timeout: Self.firstTimeout)
        } catch {
            log.warn("federation.audit-delayed", ["error": .kind(of: error)], trace: change.trace)
        }
    }

    /// Records all changes that were not recorded, oldest first.
    /// - Throws: the first error of identity or the store. The remaining changes stay.
    package func recordAll() async throws {
        var changes: [ProviderChange]
        repeat {
            changes = try await store.unrecordedChanges(limit: Self.page)
            for change in changes { try await deliver(change, timeout: Self.timeout) }
        } while changes.count == Self.page
    }

    private func deliver(_ change: ProviderChange, timeout: Duration) async throws {
        do {
            _ = try await peers.recordProviderChange(
                change.request,
                CallOptions(trace: change.trace.child(), timeout: timeout, idempotencyKey: change.id))
        } catch let error as ServiceError where error.code == .idempotencyKeyReused {
            // It is recorded. Its reply was lost, and the request of an earlier version had other fields.
        }
        try await store.deleteChange(change.id)
    }
}
