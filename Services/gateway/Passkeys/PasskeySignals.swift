import Contracts
import Vocabulary

/// The arguments of `PublicKeyCredential.signalAllAcceptedCredentials` and `signalCurrentUserDetails` (Web
/// Authentication Level 3, 5.1.10), with which a page updates the user's password manager. Bytes are base64url without
/// padding, as these functions require.
struct PasskeySignals: Encodable, Equatable {
    var rpId: String
    var userHandle: String
    /// The passkeys of the account that have this relying party and this user handle.
    var allAcceptedCredentialIds: [String]
    /// Absent for an account without e-mail address, phone number and display name.
    var name: String?
    var displayName: String?

    /// - Parameter credentialID: selects the relying party and the user handle; nil selects those of the newest
    ///   passkey.
    /// - Returns: nil if the account has no passkey.
    init?(_ account: Account, credentialID: CredentialID? = nil) {
        let passkeys = account.passkeys
        guard let selected = passkeys.first(where: { $0.credentialID == credentialID }) ?? passkeys.last else {
            return nil
        }
        rpId = selected.relyingPartyID
        userHandle = Base64URL.encode(selected.userHandle.bytes)
        allAcceptedCredentialIds =
            passkeys.filter {
                $0.relyingPartyID == selected.relyingPartyID && $0.userHandle == selected.userHandle
            }.map(\.credentialID.description)
        // The passkey service puts the same values into creation options.
        name = account.email?.rawValue ?? account.phoneNumber?.rawValue ?? account.displayName.nilIfEmpty
        displayName = account.displayName.nilIfEmpty ?? name
    }
}
