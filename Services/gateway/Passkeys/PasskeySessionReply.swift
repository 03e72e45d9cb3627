internal import Contracts
internal import Vocabulary

/// The reply that finishes a registration or a sign-in: a session, or a pending credential.
struct PasskeySessionReply: Encodable {
    var localId: String
    var idToken: String?
    var refreshToken: String?
    var expiresIn: String?
    /// Clients check for the key: it is present exactly when a second factor is required.
    var mfaPendingCredential: String?
    var mfaInfo: [UserRecord.FactorInfo]?
    var recoveryCodesInfo: RecoveryCodesInfo?
    var signals: PasskeySignals?

    /// - Parameter credentialID: of the new passkey.
    init(_ reply: Identity.SessionReply, credentialID: CredentialID) {
        self.init(reply.account, reply.tokens, credentialID)
    }

    /// - Parameter credentialID: of the passkey that was used.
    init(_ reply: Identity.PasskeySignInReply, credentialID: CredentialID) {
        self.init(reply.account, reply.tokens, credentialID)
        mfaPendingCredential = reply.secondFactor?.pendingCredential.reveal()
        mfaInfo = reply.secondFactor?.factors.map(UserRecord.FactorInfo.masked)
        recoveryCodesInfo = RecoveryCodesInfo(reply.secondFactor)
    }

    private init(_ account: Account, _ tokens: TokenSet?, _ credentialID: CredentialID) {
        localId = account.id.rawValue
        guard let tokens else { return }
        idToken = tokens.idToken.reveal()
        refreshToken = tokens.refreshToken.reveal()
        expiresIn = String(tokens.expiresInSeconds)
        signals = PasskeySignals(account, credentialID: credentialID)
    }
}
