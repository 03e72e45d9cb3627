package import Vocabulary

/// A change of an account or a sign-in, for the webhooks of its project. It names the account and contains no personal
/// data: a receiver reads the account by the admin API.
package struct AccountEvent: Codable, Equatable, Sendable {
    /// The type of an event. The raw value is `type` of the delivered body.
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case created = "account.created"
        case signedIn = "account.signed_in"
        /// Set, changed or removed.
        case passwordChanged = "account.password_changed"
        /// Set, changed or removed.
        case emailChanged = "account.email_changed"
        /// A second factor or a passkey.
        case factorAdded = "account.factor_added"
        /// A second factor or a passkey.
        case factorRemoved = "account.factor_removed"
        case providerLinked = "account.provider_linked"
        case providerUnlinked = "account.provider_unlinked"
        case disabled = "account.disabled"
        case enabled = "account.enabled"
        case deleted = "account.deleted"
        /// Requested by an administrator, for one webhook. It is about no account.
        case test = "webhook.test"
    }

    /// What the event adds to its kind.
    package struct Details: Codable, Equatable, Sendable {
        /// For a sign-in: `password`, `phone`, `custom`, `anonymous`, `passkey`, or the ID of a provider. For a link:
        /// the ID of the provider.
        package var provider: String?
        /// For a factor: `phone`, `totp` or `passkey`. For a sign-in: the second factor, `phone`, `totp` or
        /// `recovery_code`.
        package var factor: String?
        /// The enrollment ID of a second factor.
        package var factorID: FactorID?

        package init(provider: String? = nil, factor: String? = nil, factorID: FactorID? = nil) {
            self.provider = provider
            self.factor = factor
            self.factorID = factorID
        }
    }

    package var id: AccountEventID
    package var kind: Kind
    package var realm: Realm
    /// Nil for `test`.
    package var accountID: AccountID?
    package var occurredAt: Moment
    /// Increases with each event of the account. It has gaps, and is below 2^53.
    package var sequence: Int64
    package var details: Details

    package init(
        id: AccountEventID, kind: Kind, realm: Realm, accountID: AccountID?, occurredAt: Moment, sequence: Int64,
        details: Details = .init()
    ) {
        self.id = id
        self.kind = kind
        self.realm = realm
        self.accountID = accountID
        self.occurredAt = occurredAt
        self.sequence = sequence
        self.details = details
    }
}
