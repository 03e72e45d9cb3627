import SQL
import Vocabulary

/// An account whose time of deletion has come.
struct DueDeletion: Equatable, Sendable {
    var accountID: AccountID
    var realm: Realm
}

extension IdentityStore {
    /// The earliest due first.
    func dueDeletions(at now: Moment, limit: Int) async throws -> [DueDeletion] {
        try await read { transaction in
            try transaction.rows(AccountTable.due, [.deletionDueAt: now], Int64(limit)).map { row in
                DueDeletion(accountID: try row.get(.accountID), realm: try row.realm())
            }
        }
    }

    /// The time of this clock, or the last trusted time while the clock is behind it: a grace that begins in the past would
    /// be over too early.
    func latestTime(at now: Moment) async throws -> Moment {
        let trusted = try await read { transaction in try transaction.trustedTime() }
        return trusted.map { max(now, Moment(milliseconds: $0)) } ?? now
    }
}
