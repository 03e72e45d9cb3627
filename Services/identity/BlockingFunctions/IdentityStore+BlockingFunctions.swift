import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    /// Stores the changes of a function that disables an account: the account, which may be a new one, without the
    /// other effects of the sign-in.
    /// - Returns: whether the other processes must be informed.
    /// - Throws: `quotaExceeded`, and the collisions of `IdentityStore.create`.
    func storeDisabled(
        _ required: BlockingFunctionRequired, _ changes: BlockingFunctionChanges, within quota: SignUpQuota?,
        audit: @Sendable @escaping (_ isNew: Bool) -> AuditEntry
    ) async throws -> Bool {
        try await write { transaction in
            let account = required.stored.account
            let before = try transaction.account(account.id, in: account.realm)
            var after = before ?? required.stored
            var authentication = required.authentication
            try changes.apply(to: &after, &authentication)
            let audit = audit(before == nil)
            try transaction.append(audit)
            guard let before else {
                if let quota { try transaction.count(quota) }
                try transaction.create(after, at: audit.at)
                return false
            }
            return try transaction.update(after, insteadOf: before, at: audit.at).requiresEvent
        }
    }
}

extension SQLTransaction {
    /// Applies the response to an event to an account that this transaction has read or inserted, and stores the change.
    /// - Throws: errors of `BlockingFunctionResponses.apply`.
    borrowing func apply(
        _ responses: BlockingFunctionResponses, to event: BlockingFunctionEvent, _ stored: inout StoredAccount,
        _ authentication: inout AuthenticationContext, at now: Moment
    ) throws {
        let before = stored
        try responses.apply(event, to: &stored, &authentication)
        if stored != before { _ = try update(stored, insteadOf: before, at: now) }
    }

    /// Inserts the new account of a user.
    /// - Throws: as `insert`, before the function is called; errors of `BlockingFunctionResponses.apply`.
    borrowing func create(
        _ stored: inout StoredAccount, _ responses: BlockingFunctionResponses, _ authentication: AuthenticationContext,
        at now: Moment
    ) throws {
        try create(stored, at: now)
        var authentication = authentication
        try apply(responses, to: .beforeCreate, &stored, &authentication, at: now)
    }
}
