package import Bus
package import Contracts
package import SQL
package import Vocabulary

/// A request that records in the audit log of identity what an administrator has changed in the database of another
/// service (security rule AU1).
package protocol AuditedChangeRequest: BusRequest where Operation == Identity.Operation, Reply == EmptyReply {
    associatedtype Change: RawRepresentable<String>, SQLConvertible, Equatable, Sendable

    init(change: Change, realm: Realm, at: Moment, client: ClientContext)
}

extension Identity.RecordProviderChange: AuditedChangeRequest {}
extension Identity.RecordProviderChange.Change: SQLConvertible {}
extension Identity.RecordNotifierChange: AuditedChangeRequest {}
extension Identity.RecordNotifierChange.Change: SQLConvertible {}

/// A change, from its transaction until identity has recorded it.
package struct AuditedChange<Request: AuditedChangeRequest>: Equatable, Sendable {
    /// The idempotency key of the request to identity.
    package var id: String
    package var change: Request.Change
    package var realm: Realm
    package var at: Moment
    /// The address of the administrator.
    package var ipAddress: String?
    /// The login name behind the operator's command.
    package var operatorName: String?
    /// The trace of the request that made the change.
    package var trace: TraceContext

    package init(
        id: String, change: Request.Change, realm: Realm, at: Moment, ipAddress: String? = nil,
        operatorName: String? = nil, trace: TraceContext
    ) {
        self.id = id
        self.change = change
        self.realm = realm
        self.at = at
        self.ipAddress = ipAddress
        self.operatorName = operatorName
        self.trace = trace
    }

    /// - Parameter id: unique.
    package init(
        id: String, _ change: Request.Change, in realm: Realm, by client: ClientContext, _ call: BusCall, at now: Moment
    ) {
        self.init(
            id: id, change: change, realm: realm, at: now, ipAddress: client.ipAddress,
            operatorName: client.operatorName, trace: call.trace)
    }

    var request: Request {
        Request(
            change: change, realm: realm, at: at,
            client: ClientContext(ipAddress: ipAddress, operatorName: operatorName))
    }
}

/// The table of changes that identity has not recorded yet.
package protocol AuditedChangeTable: SQLRealmTable {
    associatedtype Request: AuditedChangeRequest

    static var changeID: Self { get }
    static var change: Self { get }
    static var at: Self { get }
    static var ipAddress: Self { get }
    static var operatorName: Self { get }
    static var traceparent: Self { get }

    /// The name of its outbox in the log.
    static var outbox: String { get }
}

extension AuditedChangeTable {
    package static var key: [Self] { [changeID] }
    package static var expiry: SQLExpiry<Self> { .deletedBy("AuditedChangeOutbox") }

    package static var insertion: SQLStatement<Self> { insert() }
    static var removal: SQLStatement<Self> { delete() }
    /// The argument is the number of rows.
    static var oldest: SQLStatement<Self> { select(where: [], "ORDER BY at, change_id LIMIT $1") }

    /// The row of a change, which its own transaction inserts.
    package static func record(of change: AuditedChange<Request>) -> SQLRecord<Self> {
        SQLRecord(change.realm) + [
            Self.changeID: change.id, Self.change: change.change, Self.at: change.at,
            Self.ipAddress: change.ipAddress, Self.operatorName: change.operatorName,
            Self.traceparent: change.trace.traceparent,
        ]
    }
}

extension AuditedChange {
    init<Table: AuditedChangeTable>(_ row: SQLTableRow<Table>) throws(SQLError) where Table.Request == Request {
        self.init(
            id: try row.get(Table.changeID), change: try row.get(Table.change), realm: try row.realm(),
            at: try row.get(Table.at), ipAddress: try row.getIfPresent(Table.ipAddress),
            operatorName: try row.getIfPresent(Table.operatorName),
            // A damaged trace does not keep the change out of the audit log.
            trace: TraceContext(traceparent: try row.get(Table.traceparent)) ?? .random())
    }
}
