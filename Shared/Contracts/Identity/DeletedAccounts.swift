package import Vocabulary

/// An account that identity has deleted.
package struct DeletedAccount: Codable, Equatable, Sendable {
    package var id: AccountID
    package var deletedAt: Moment

    package init(id: AccountID, deletedAt: Moment) {
        self.id = id
        self.deletedAt = deletedAt
    }
}

/// A service that stores something about accounts.
package protocol AccountDataService {
    associatedtype Operation: ServiceOperation
    static var forgetAccounts: Operation { get }
}

/// Deletes what a service has stored about deleted accounts. What is newer than the deletion stays: a new account may
/// have the same ID. Only identity sends it.
package struct ForgetAccounts<Service: AccountDataService>: BusRequest, Equatable {
    package static var operation: Service.Operation { Service.forgetAccounts }
    package static var retrySemantics: RetrySemantics { .idempotent }
    /// The limit of accounts in one request.
    package static var maximumCount: Int { 500 }

    package var realm: Realm
    package var accounts: [DeletedAccount]

    package init(realm: Realm, accounts: [DeletedAccount]) {
        self.realm = realm
        self.accounts = accounts
    }

    /// - Throws: `invalidRequest`, also for an empty ID, which rows without an account have.
    package func check() throws(ServiceError) {
        guard accounts.count <= Self.maximumCount, accounts.allSatisfy({ !$0.id.rawValue.isEmpty }) else {
            throw ServiceError(.invalidRequest)
        }
    }

    package typealias Reply = EmptyReply
}
