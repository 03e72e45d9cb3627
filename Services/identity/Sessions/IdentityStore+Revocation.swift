import Contracts
import SQL
import Vocabulary

extension SQLTransaction {
    /// Ends the sessions and pending sign-ins that a change of an account ends.
    borrowing func applyRevocation(_ revocation: SessionRevocation, to account: Account, at now: Moment) throws {
        if revocation.endsSessions {
            try endSessions(of: account, at: now)
            try deleteActionCodes(ActionCode.Purpose.revokedWithSessions, of: account.id, in: account.realm)
        }
        if revocation.endsPendingSignIns {
            try execute(PendingSignInTable.removalOfAccount, SQLRecord(account.id, in: account.realm))
        }
    }
}
