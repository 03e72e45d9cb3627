import Contracts
import Vocabulary

/// The reply that finishes a registration or a sign-in, beside the members of its session.
struct PasskeySessionReply: Encodable {
    var localId: String
    /// Absent while there is no session.
    var signals: PasskeySignals?

    /// - Parameter credentialID: of the new passkey, or of the one that was used.
    init(_ account: Account, _ tokens: TokenSet?, credentialID: CredentialID) {
        localId = account.id.rawValue
        if tokens != nil { signals = PasskeySignals(account, credentialID: credentialID) }
    }
}
