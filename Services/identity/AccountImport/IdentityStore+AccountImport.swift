import Contracts
import SQL
import Vocabulary

extension IdentityStore {
    struct ImportResult: Codable, Sendable {
        var rejections: [Identity.ImportAccounts.Rejection]
        /// The accounts that were there before.
        var replaced: [AccountID]
    }

    /// Ends the transaction of a dry run without its changes.
    private struct DryRunEnd: Error {
        var result: ImportResult
    }

    /// Another transaction has taken an address, a number or an ID since this one looked for it.
    private struct Collision: Error {
        var reason: ServiceError
    }

    /// How often a batch meets another transaction before it is refused.
    private static let maximumCollisions = 5

    /// Stores prepared accounts in one transaction. After a collision it begins again: then it sees the other account, and
    /// rejects the one that collides instead of all.
    /// - Parameter isDryRun: whether the transaction is rolled back at its end.
    func importAccounts(
        _ prepared: [Result<PreparedImport, ServiceError>], in realm: Realm, allowsOverwrite: Bool, isDryRun: Bool,
        audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> ImportResult {
        var collisions = 0
        while true {
            do {
                return try await storeAccounts(
                    prepared, in: realm, allowsOverwrite: allowsOverwrite, isDryRun: isDryRun, audit: audit,
                    idempotency: idempotency)
            } catch let end as DryRunEnd {
                return end.result
            } catch let collision as Collision {
                collisions += 1
                guard collisions < Self.maximumCollisions else { throw collision.reason }
            }
        }
    }

    private func storeAccounts(
        _ prepared: [Result<PreparedImport, ServiceError>], in realm: Realm, allowsOverwrite: Bool, isDryRun: Bool,
        audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> ImportResult {
        try await write(idempotency: idempotency) { transaction in
            var result = ImportResult(rejections: [], replaced: [])
            for (index, prepared) in prepared.enumerated() {
                let (after, before): (StoredAccount, StoredAccount?)
                do {
                    (after, before) = try transaction.importedAccount(
                        prepared.get(), in: realm, allowsOverwrite: allowsOverwrite, at: audit.at)
                } catch let error as ServiceError {
                    // Nothing of this account was written yet: a failed statement would end the transaction.
                    result.rejections.append(.init(rowIndex: index, reason: WireError(error, now: audit.at)))
                    continue
                }
                do {
                    if let before {
                        _ = try transaction.replace(before, by: after, at: audit.at)
                        result.replaced.append(after.account.id)
                    } else {
                        try transaction.insert(after)
                    }
                } catch let error as ServiceError {
                    throw Collision(reason: error)
                }
            }
            guard !isDryRun else { throw DryRunEnd(result: result) }
            try transaction.append(audit)
            return result
        }
    }
}

extension SQLTransaction {
    /// The account to store, and the one that it replaces.
    /// - Throws: the errors of the account, `accountIDExists`, `emailExists`, `phoneNumberExists`,
    ///   `providerAccountExists`, `passkeyExists`.
    fileprivate borrowing func importedAccount(
        _ prepared: PreparedImport, in realm: Realm, allowsOverwrite: Bool, at now: Moment
    ) throws -> (after: StoredAccount, before: StoredAccount?) {
        let before = try account(prepared.imported.id, in: realm)
        guard before == nil || allowsOverwrite else { throw ServiceError(.accountIDExists) }
        let after = try StoredAccount(prepared, replacing: before, in: realm, at: now)
        let account = after.account
        func isTaken(_ criterion: Identity.FindAccounts.Criterion) throws -> Bool {
            try accountIDs(criterion, in: realm).contains { $0 != account.id }
        }
        if let email = account.email, try isTaken(.email(email.rawValue)) { throw ServiceError(.emailExists) }
        if let number = account.phoneNumber, try isTaken(.phoneNumber(number.rawValue)) {
            throw ServiceError(.phoneNumberExists)
        }
        for link in account.providers
        where try isTaken(.provider(id: link.providerID, accountID: link.providerAccountID)) {
            throw ServiceError(.providerAccountExists)
        }
        for passkey in account.passkeys {
            let row = try firstRow(
                PasskeyTable.ownerByKey, [.project: realm.project, .credentialID: passkey.credentialID.bytes])
            if let row, try row.get(.accountID) != account.id || row.realm() != realm {
                throw ServiceError(.passkeyExists)
            }
        }
        return (after, before)
    }
}
