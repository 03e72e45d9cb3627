import Bus
import Contracts
import Crypto
package import DatabaseService
package import MasterKey
package import SQL
import Synchronization
import Vocabulary

/// The database of identity. One method is one transaction, so a decision and its effects are stored together or not at
/// all. The methods are in the folders of their features; this file has the shared parts.
package final class IdentityStore: ServiceStore {
    package static let tables = IdentityTables.all
    package static let migrations = IdentityMigrations.all
    package let serviceDatabase: ServiceDatabase
    var database: any SQLDatabase { serviceDatabase.database }
    var sealingKeys: SealingKeys { serviceDatabase.sealingKeys }
    /// The pepper of new password records.
    package let pepper: PasswordHasher.Pepper
    /// Those of older records.
    package let formerPeppers: [PasswordHasher.Pepper]
    private let digestKey: [UInt8]
    /// Authenticates device tokens.
    let deviceKey: [UInt8]
    /// Seals page tokens. It does not change with the process or the master key.
    let pageKey: SealingKey
    /// Authenticates tokens of the scopes `enrollment` and `restoration`. It is as permanent as `pageKey`.
    let enrollmentTokenKey: [UInt8]
    /// The end of the audit log that this process has seen; nil at first.
    let auditEnd = Mutex<AuditLink?>(nil)
    /// Informed after each commit of this process that may have inserted rows for them.
    let commitObservers = CommitObservers()

    /// Opens the store and brings its tables up to date.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when it was sealed under other keys.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        // `try?`: a new database has no table of migrations.
        let migrations = try? await database.read { transaction in try transaction.appliedMigrations() }
        serviceDatabase = try await ServiceDatabase(
            database, of: .identity, Self.migrations, keys: keys, sealing: Self.sealedColumns)
        let secrets = try await database.write { [sealingKeys = serviceDatabase.sealingKeys] transaction in
            try transaction.sealSMTPPasswords(sealingKeys)
            let secrets = try IdentitySecrets(in: transaction, sealingKeys)
            // Not in a transaction of its own: between the two a process can end, and the log would look tampered with.
            if secrets.areNew { try Self.beginAnchors(sealedBy: sealingKeys, transaction) }
            return secrets
        }
        pepper = secrets.pepper
        formerPeppers = secrets.formerPeppers
        digestKey = secrets.digestKey
        deviceKey = HKDF.sha256(key: secrets.digestKey, salt: [], info: Array("device tokens".utf8), count: 32)
        let pageSecret = HKDF.sha256(key: secrets.digestKey, salt: [], info: Array("account pages".utf8), count: 32)
        guard let pageKey = SealingKey(pageSecret) else { preconditionFailure("a derived key has 32 bytes") }
        self.pageKey = pageKey
        enrollmentTokenKey = HKDF.sha256(
            key: secrets.digestKey, salt: [], info: Array("second-factor enrollment tokens".utf8), count: 32)
        // Of an earlier release.
        if !secrets.areNew, !(migrations ?? []).contains(where: { $0.name == IdentityMigrations.movingAnchor.name }) {
            try await write { [sealingKeys = serviceDatabase.sealingKeys] transaction in
                try Self.beginAnchors(sealedBy: sealingKeys, transaction)
            }
        }
    }

    func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        try await database.read(body)
    }

    func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await database.write(body)
        commitObservers.notify()
        return result
    }
}

// MARK: - Deduplicated calls

extension IdentityStore {
    /// A keyed hash, because its input may be guessable, for example a password.
    func digest(_ bytes: [UInt8]) -> [UInt8] { HMAC.sha256(key: digestKey, message: bytes) }
}

/// A bus call with an idempotency key: it can arrive twice.
struct IdempotentCall: Sendable {
    var idempotencyKey: String
    /// The digest of the call's parameters: the same key with other parameters is refused.
    var paramsDigest: [UInt8]
    var at: Moment

    /// Longer than any caller repeats a call (security rule BU6).
    static let memory = Duration.seconds(24 * 60 * 60)
}

extension IdentityStore {
    /// A repetition may come from another client: a request of a service has a key of its own, and the person behind it
    /// may have changed the network.
    /// - Returns: nil for a call without an idempotency key.
    func idempotentCall(for call: BusCall, at now: Moment) -> IdempotentCall? {
        call.idempotencyKey.map {
            IdempotentCall(
                idempotencyKey: $0, paramsDigest: digest(call.canonicalParams(omitting: "client")), at: now)
        }
    }

    /// A transaction that returns the recorded reply of the first call to a repeated call. The reply is stored sealed,
    /// because it may contain tokens.
    ///
    /// It does not look for a recorded reply first, because few calls are repeated. The transaction of a repeated call
    /// fails on its key or on a change of the first call. It is rolled back, and then the reply of the first call is
    /// read.
    func write<Reply: Codable & Sendable>(
        idempotency call: IdempotentCall?, _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Reply
    ) async throws -> Reply {
        guard let call else { return try await write(body) }
        do {
            return try await write { [sealingKeys] transaction in
                let reply = try body(transaction)
                let sealed = try sealingKeys.seal(json: reply, binding: call.binding)
                // It fails for a call that took effect before.
                try transaction.executeLater(
                    RecordedReplyTable.insertion,
                    [
                        .idempotencyKey: call.idempotencyKey, .paramsDigest: call.paramsDigest, .sealedReply: sealed,
                        .recordedAt: call.at,
                    ])
                return reply
            }
        } catch {
            return try await recordedReply(call, insteadOf: error)
        }
    }

    /// The reply of `body`, or the recorded reply of a repeated call for which `body` fails. For handlers whose checks a
    /// repeated call does not pass: the token of a deleted account no longer identifies the caller. A recorded reply is looked
    /// for last: few calls are repeated, and the first one may commit while the second one is checked.
    /// - Parameter body: changes the database only by `write(idempotency:)` of the call.
    func reply<Reply: Codable & Sendable>(
        to call: BusCall, at now: Moment, by body: () async throws -> Reply
    ) async throws -> Reply {
        try await reply(to: call, at: now, of: { (recorded: Reply) in recorded }, by: body)
    }

    /// As above, for a body that returns the reply of its change alone.
    func reply<Reply: Codable & Sendable>(
        toChange call: BusCall, at now: Moment, by body: () async throws -> Reply
    ) async throws -> Reply {
        try await reply(to: call, at: now, of: { (recorded: ChangeResult<Reply>) in recorded.reply }, by: body)
    }

    private func reply<Recorded: Codable & Sendable, Reply>(
        to call: BusCall, at now: Moment, of recorded: (Recorded) -> Reply, by body: () async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await body()
        } catch {
            return recorded(try await recordedReply(idempotentCall(for: call, at: now), insteadOf: error))
        }
    }

    /// - Throws: `error` for a new call.
    private func recordedReply<Reply: Codable & Sendable>(
        _ call: IdempotentCall?, insteadOf error: any Error
    ) async throws -> Reply {
        // While the database is unavailable, another query would only delay the caller.
        if (error as? any DependencyFailure)?.serviceError != nil { throw error }
        guard let reply = try await recordedReply(Reply.self, call) else { throw error }
        return reply
    }

    /// - Returns: nil for a new call.
    private func recordedReply<Reply: Codable & Sendable>(
        _ type: Reply.Type, _ call: IdempotentCall?
    ) async throws -> Reply? {
        guard let call else { return nil }
        return try await read { [sealingKeys] transaction in try transaction.recordedReply(type, call, sealingKeys) }
    }
}

extension SQLTransaction {
    fileprivate borrowing func recordedReply<Reply: Decodable>(
        _ type: Reply.Type, _ call: IdempotentCall, _ sealingKeys: SealingKeys
    ) throws -> Reply? {
        guard let row = try firstRow(RecordedReplyTable.byKey, [.idempotencyKey: call.idempotencyKey]) else {
            return nil
        }
        guard constantTimeEquals(try row.get(.paramsDigest), call.paramsDigest) else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return try sealingKeys.open(json: try row.get(.sealedReply), binding: call.binding)
    }
}

extension IdempotentCall {
    /// Binds a sealed reply to its row.
    fileprivate var binding: [UInt8] { IdentityStore.sealedReply.binding(.text(idempotencyKey)) }
}

extension Realm {
    /// The tenant column: empty for the project's own users.
    var tenantColumn: String { tenant?.rawValue ?? "" }
}
