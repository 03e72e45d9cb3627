import Contracts
import DatabaseService
import SQL

/// What administrators did here that identity has not recorded yet.
enum NotifierChangeTable: String, AuditedChangeTable {
    typealias Request = Identity.RecordNotifierChange

    case project, tenant, change, at, traceparent
    case changeID = "change_id"
    case ipAddress = "ip_address"
    case operatorName = "operator_name"

    /// Released with the keys for pushes alone.
    static let table = "apns_key_changes"
    static let outbox = "notifier-changes"
}

/// What an administrator did, for the audit log of identity.
typealias NotifierChange = AuditedChange<Identity.RecordNotifierChange>
typealias NotifierChangeOutbox = AuditedChangeOutbox<NotifierChangeTable>
