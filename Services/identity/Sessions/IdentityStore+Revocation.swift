import Contracts
import SQL
import Vocabulary

extension SQLTransaction {
    /// Ends the sessions and pending sign-ins that a change of an account ends.
    borrowing func applyRevocation(_ revocation: SessionRevocation, to account: Account, at now: Moment) throws {
        if revocation.endsSessions {
            try endSessions(of: account, at: now)
            try deleteActionCodes(ActionCode.Purpose.revokedWithSessions, of: account.id, in: account.realm)
        } else if revocation.endsEarlierSessions {
            // Opened while the clock was ahead: `validSince` cannot tell that they are earlier.
            try execute(
                SessionTable.endAfter, SQLRecord(account.id, in: account.realm) + [.endedAt: now],
                Moment.latestOfOtherClocks(at: now).timestamp)
        }
        if revocation.forgetsDevices { try forgetDevices(of: account.id, in: account.realm) }
        if revocation.endsPendingSignIns {
            try execute(PendingSignInTable.removalOfAccount, SQLRecord(account.id, in: account.realm))
        }
    }

    /// Lets a revocation that was recorded while the clock was ahead begin now: sessions that are opened from now on can be
    /// refreshed. All sessions from before have ended, and stay ended.
    ///
    /// It does so only while the clock is not behind the last trusted time. With a clock that is behind, every revocation
    /// seems to lie ahead, and tokens that it voids would be valid again.
    borrowing func boundRevocation(of stored: inout StoredAccount, at now: Moment) throws {
        guard Moment(stored.account.validSince).isAhead(of: now),
            let trusted = try trustedTime(), !Moment(milliseconds: trusted).isAhead(of: now)
        else { return }
        let before = stored
        stored.beginRevocation(at: now)
        _ = try replace(before, by: stored, at: now)
    }
}
