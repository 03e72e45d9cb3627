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
            at: now, realm: realm, action: action, actor: actor.named(by: client), accountID: accountID,
            ipAddress: client.ipAddress, traceID: call.trace.traceID)
    }
}

extension AuditEntry.Actor {
    static let maximumNameBytes = 64

    /// An administrator who used the operator's command is the operator of that login name.
    /// The operator of a command, or the system for a request that names none.
    static func operatorOrSystem(_ client: ClientContext?) -> Self {
        client.map { Self.administrator.named(by: $0) } ?? .system
    }

    fileprivate func named(by client: ClientContext) -> Self {
        guard self == .administrator, let name = client.operatorName else { return self }
        return .operator(Self.bounded(name))
    }

    static func bounded(_ name: String) -> String {
        String(decoding: name.utf8.prefix(maximumNameBytes), as: UTF8.self)
    }
}
