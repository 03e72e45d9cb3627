internal import Bus
internal import Contracts

/// The requests of the commands about users to identity.
struct UserRequests: Sendable {
    var findAccounts: PeerCall<Identity.FindAccounts>
    var queryAccounts: PeerCall<Identity.QueryAccounts>
    var createAccount: PeerCall<Identity.CreateAccount>
    var updateAccount: PeerCall<Identity.UpdateAccount>
    var deleteAccount: PeerCall<Identity.DeleteAccount>
    var sendActionCode: PeerCall<Identity.SendActionCode>
    var listSessions: PeerCall<Identity.ListSessions>
    var endSession: PeerCall<Identity.EndSession>
}

extension UserRequests {
    /// The requests over the bus.
    init(_ client: BusClient) {
        self.init(
            findAccounts: client.call(), queryAccounts: client.call(), createAccount: client.call(),
            updateAccount: client.call(), deleteAccount: client.call(), sendActionCode: client.call(),
            listSessions: client.call(), endSession: client.call())
    }
}

extension CallOptions {
    /// Options of a request that an operator waits for.
    static func ofOperator() -> CallOptions { CallOptions(trace: .random(), timeout: .seconds(20)) }
}
