import Contracts
import DatabaseService

/// A change of a configuration for the audit log of identity.
typealias ProviderChange = AuditedChange<Identity.RecordProviderChange>
typealias ProviderChangeOutbox = AuditedChangeOutbox<ProviderChangeTable>
