import Contracts
import Vocabulary

/// The account in creation options (WebAuthn 5.4.3). Authenticators store and show it.
struct UserEntity: Equatable, Sendable {
    /// All passkeys of an account have the same, so that an authenticator replaces its own.
    let handle: OctetString
    let name: String
    let displayName: String

    private static let anonymousName = "New account"

    init(_ account: Account, of relyingParty: RelyingPartyID, _ identifiers: DerivedIdentifiers) {
        handle =
            account.passkeys(of: relyingParty).first?.userHandle
            ?? identifiers.userHandle(of: account.id, in: account.realm)
        let displayName = account.displayName.nilIfEmpty
        name = account.email?.rawValue ?? account.phoneNumber?.rawValue ?? displayName ?? Self.anonymousName
        self.displayName = displayName ?? name
    }
}
