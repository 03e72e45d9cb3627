import Contracts

/// What a verified phone number or identity leads to: a session is opened for `account`.
struct NewSession: Equatable, Sendable {
    var account: StoredAccount
    /// Nil for a new account.
    var before: StoredAccount?
    var action: AuditEntry.Action
    /// `SessionPolicy` decides whether the session is opened.
    var operation: SessionOperation
    /// The account had the address unverified, and its credentials were removed.
    var isEmailRecycled = false

    var isNewAccount: Bool { before == nil }
    /// An account that existed before gets an identity.
    var isLinked: Bool { before.map { !account.account.links(addedTo: $0.account).isEmpty } ?? false }

    /// The account on which the policy decides. The removal of credentials removes second factors too, and must not
    /// happen before they are verified.
    var decisive: StoredAccount { isEmailRecycled ? before ?? account : account }
}
