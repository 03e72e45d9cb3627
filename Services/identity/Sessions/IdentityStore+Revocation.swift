import Contracts
import SQL
import Vocabulary

extension SQLTransaction {
    /// Ends the sessions and pending sign-ins that a change of an account ends.
    borrowing func applyRevocation(_ revocation: SessionRevocation, to account: Account, at now: Moment) throws {
        let key: [SQLValue] = [
            .text(account.realm.project.rawValue), .text(account.realm.tenantColumn), .text(account.id.rawValue),
        ]
        if revocation.endsSessions {
            try execute(
                """
                UPDATE sessions SET ended_at = $4
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND ended_at IS NULL
                """, parameters: key + [.integer(now.milliseconds)])
            try deleteActionCodes(ActionCode.Purpose.revokedWithSessions, of: account.id, in: account.realm)
        }
        if revocation.endsPendingSignIns {
            try execute(
                "DELETE FROM pending_sign_ins WHERE project = $1 AND tenant = $2 AND account_id = $3", parameters: key)
        }
    }
}
