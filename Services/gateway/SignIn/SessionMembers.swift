import Contracts
import HTTPServer
import Vocabulary

/// The members that every reply to a sign-in has: those of a session, or those of a pending credential. Clients check which
/// keys are present.
private struct SessionMembers: Encodable {
    var idToken: String?
    var refreshToken: String?
    var expiresIn: String?
    /// Present exactly when a second factor is required.
    var mfaPendingCredential: String?
    var mfaInfo: [UserRecord.FactorInfo]?
    var recoveryCodesInfo: RecoveryCodesInfo?

    init(_ tokens: TokenSet?, _ pending: PendingSecondFactor?) {
        idToken = tokens?.idToken.reveal()
        refreshToken = tokens?.refreshToken.reveal()
        expiresIn = (tokens?.expiresInSeconds).map { String($0) }
        mfaPendingCredential = pending?.pendingCredential.reveal()
        mfaInfo = pending?.factors.map(UserRecord.FactorInfo.masked)
        recoveryCodesInfo = RecoveryCodesInfo(pending)
    }
}

/// One object with the members of a reply and those of its session.
private struct SessionReply<Reply: Encodable>: Encodable {
    var reply: Reply
    var session: SessionMembers

    func encode(to encoder: any Encoder) throws {
        try reply.encode(to: encoder)
        try session.encode(to: encoder)
    }
}

extension Call {
    /// The response to a sign-in: the members of `reply` with those of its session, and the device token of the client.
    /// - Parameters:
    ///   - tokens: of the session; nil while there is none.
    ///   - pending: the second factor that the sign-in requires.
    func json(
        _ reply: some Encodable, session tokens: TokenSet?, orPending pending: PendingSecondFactor? = nil
    ) -> HTTPResponse {
        json(SessionReply(reply: reply, session: SessionMembers(tokens, pending)), signedIn: tokens)
    }
}
