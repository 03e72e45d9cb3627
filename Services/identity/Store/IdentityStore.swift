import Contracts
import Crypto
import FoundationEssentials
package import MasterKey
package import SQL
import Vocabulary

/// What identity keeps, in its own database. One method is one transaction: what a rule decides and what follows from it
/// are stored together or not at all.
package struct IdentityStore: Sendable {
    let database: any SQLDatabase
    /// Seals what must not be readable in a copy of the file.
    let sealingKey: SealingKey
    private let digestKey: [UInt8]

    /// Opens the store and brings its tables up to date.
    package init(_ database: any SQLDatabase, masterKey: MasterKey) async throws {
        self.database = database
        guard let sealingKey = SealingKey(masterKey.key(for: "identity sealing")) else {
            preconditionFailure("a derived key has 32 bytes")
        }
        self.sealingKey = sealingKey
        digestKey = masterKey.key(for: "identity digests")
        try await database.migrate(IdentityMigrations.all)
    }

    package func close() async {
        await database.close()
    }

    func read<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.read(body)
        } catch SQLError.overloaded {
            throw IdentityError.overloaded
        }
    }

    func write<Result: Sendable>(
        _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Result
    ) async throws -> Result {
        do {
            return try await database.write(body)
        } catch SQLError.overloaded {
            throw IdentityError.overloaded
        }
    }
}

// MARK: - Calls that take effect once

extension IdentityStore {
    /// A keyed hash: what it is made of may be guessable, a password for one.
    func digest(_ bytes: [UInt8]) -> [UInt8] { HMAC.sha256(key: digestKey, message: bytes) }
}

/// A call that may arrive twice, as the bus says.
struct OnceOnly: Sendable {
    var idempotencyKey: String
    /// Of the call's parameters: the same key with others is refused.
    var paramsDigest: [UInt8]
    var at: Moment

    /// Longer than anybody goes on trying (security reference BU6).
    static let memory = Duration.seconds(24 * 60 * 60)
}

extension IdentityStore {
    /// A transaction that answers a repeated call with the reply of the first. The reply is stored sealed: it may hold
    /// tokens.
    func write<Reply: Codable & Sendable>(
        once call: OnceOnly?, _ body: @Sendable @escaping (borrowing SQLTransaction) throws -> Reply
    ) async throws -> Reply {
        guard let call else { return try await write(body) }
        return try await write { [sealingKey] transaction in
            if let reply = try transaction.recorded(Reply.self, call, sealingKey) { return reply }
            let reply = try body(transaction)
            let sealed = try sealingKey.seal(Array(try WireJSON.encode(reply)), binding: call.binding)
            try transaction.execute(
                """
                INSERT INTO recorded_replies (idempotency_key, params_digest, sealed_reply, recorded_at)
                VALUES ($1, $2, $3, $4)
                """, .text(call.idempotencyKey), .blob(call.paramsDigest), .blob(sealed),
                .integer(call.at.milliseconds))
            return reply
        }
    }

    /// The reply of the first time, for handlers that could not get as far again: the token of a deleted account no
    /// longer says who is asking.
    func recorded<Reply: Codable & Sendable>(_ type: Reply.Type, _ call: OnceOnly?) async throws -> Reply? {
        guard let call else { return nil }
        return try await read { [sealingKey] transaction in try transaction.recorded(type, call, sealingKey) }
    }

    /// Removes a batch of what is past its time: replies, attempts, sessions, sign-ins that were not finished, action
    /// codes and what was counted of them.
    /// - Returns: whether more is waiting.
    func sweep(at now: Moment, batch: Int = 500) async throws -> Bool {
        try await write { transaction in
            var removed = 0
            for (table, key, column, lifetime) in [
                ("recorded_replies", "idempotency_key", "recorded_at", OnceOnly.memory),
                ("sign_in_attempts", "rowid", "last_attempt_at", SignInAttempts.memory),
                ("sessions", "session_id", "last_used_at", Session.idleLifetime),
                ("pending_sign_ins", "credential_hash", "created_at", PendingSignIn.lifetime),
                ("action_codes", "sequence", "expires_at", ActionCode.memory),
                ("sending_quotas", "sequence", "window_began_at", SendingQuota.projectWindow),
                ("sign_up_counts", "counter", "ends_at", .zero),
                ("access_tokens", "token_hash", "expires_at", .zero),
                ("used_assertions", "assertion_digest", "expires_at", .zero),
            ] {
                try transaction.execute(
                    """
                    DELETE FROM \(table) WHERE \(key) IN
                        (SELECT \(key) FROM \(table) WHERE \(column) < $1 LIMIT $2)
                    """, .integer(now.milliseconds - lifetime.components.seconds * 1000), .integer(Int64(batch)))
                removed = max(removed, transaction.changes)
            }
            return removed == batch
        }
    }
}

extension SQLTransaction {
    fileprivate borrowing func recorded<Reply: Decodable>(
        _ type: Reply.Type, _ call: OnceOnly, _ sealingKey: SealingKey
    ) throws -> Reply? {
        guard
            let row = try firstRow(
                "SELECT params_digest, sealed_reply FROM recorded_replies WHERE idempotency_key = $1",
                .text(call.idempotencyKey))
        else { return nil }
        guard constantTimeEquals(try row.get("params_digest"), call.paramsDigest) else {
            throw IdentityError.idempotencyKeyReused
        }
        let reply = try sealingKey.open(try row.get("sealed_reply"), binding: call.binding)
        return try WireJSON.decodeUnchecked(type, from: Data(reply))
    }
}

extension OnceOnly {
    /// Ties a sealed reply to its row.
    fileprivate var binding: [UInt8] { Array("recorded_replies/\(idempotencyKey)".utf8) }
}

// MARK: - Audit log

extension SQLTransaction {
    /// Appends to the audit log, in the transaction of the change it tells of.
    borrowing func append(_ entry: AuditEntry) throws {
        let last = try firstRow("SELECT chain FROM audit_log ORDER BY sequence DESC LIMIT 1")
        let previous: [UInt8] = try last?.get("chain") ?? []
        try execute(
            """
            INSERT INTO audit_log (at, project, tenant, action, outcome, actor, account_id, ip_address, trace, chain)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """, .integer(entry.at.milliseconds), .text(entry.realm.project.rawValue), .text(entry.realm.tenantColumn),
            .text(entry.action.rawValue), .text(entry.outcome.rawValue), .text(entry.actor.text),
            SQLValue(entry.accountID?.rawValue), SQLValue(entry.ipAddress), .text(entry.traceID),
            .blob(entry.chain(after: previous)))
    }
}

extension IdentityStore {
    func audit(_ entry: AuditEntry) async throws {
        try await write { transaction in try transaction.append(entry) }
    }
}

extension Realm {
    /// How the tenant stands in a row: a project's own users have the empty one.
    var tenantColumn: String { tenant?.rawValue ?? "" }
}
