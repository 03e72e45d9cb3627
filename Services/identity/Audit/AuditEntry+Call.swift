import Bus
import Contracts
import Vocabulary

extension AuditEntry {
    /// An entry about the request of a client.
    /// - Parameter accountID: the account that the action is about; nil if it is not known yet, or if there is none.
    init(
        _ action: Action, _ actor: Actor, _ realm: Realm, _ client: ClientContext, _ call: BusCall,
        about accountID: AccountID?, at now: Moment
    ) {
        self.init(
            at: now, realm: realm, action: action, actor: actor, accountID: accountID, ipAddress: client.ipAddress,
            traceID: call.trace.traceID)
    }
}
