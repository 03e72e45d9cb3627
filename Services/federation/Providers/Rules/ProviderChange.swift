import Contracts
import Vocabulary

/// A change of a configuration, from its transaction until identity has recorded it in the audit log.
struct ProviderChange: Equatable, Sendable {
    /// The idempotency key of the request to identity.
    var id: String
    var change: Identity.RecordProviderChange.Change
    var realm: Realm
    var at: Moment
    /// The address of the administrator.
    var ipAddress: String?
    /// The login name behind the operator's command.
    var operatorName: String?
    /// The trace of the request that made the change.
    var trace: TraceContext

    var request: Identity.RecordProviderChange {
        .init(
            change: change, realm: realm, at: at,
            client: ClientContext(ipAddress: ipAddress, operatorName: operatorName))
    }
}
