import Contracts
import Crypto
import SQL
import Vocabulary

/// A registered key for verification.
struct ServiceAccountVerificationKey: Sendable {
    var keyID: String
    var project: ProjectID
    var key: PublicKey
}

extension IdentityStore {
    /// Registers a key. The same key again changes nothing.
    /// - Throws: `projectNotFound`, `serviceAccountConflict`.
    func addServiceAccountKey(
        _ key: Identity.ServiceAccountKey, der: [UInt8], at now: Moment, audit: AuditEntry
    ) async throws {
        try await write { transaction in
            guard try transaction.project(key.project) != nil else { throw IdentityError.projectNotFound }
            let known = try transaction.rows(
                "SELECT key_id, project, public_key FROM service_account_keys WHERE email = $1", .text(key.email))
            for row in known {
                let isOwn: Bool = try ProjectID(row.get("project")) == key.project
                guard isOwn else { throw IdentityError.serviceAccountConflict }
                guard try row.get("key_id") == key.keyID else { continue }
                guard try row.get("public_key") == der else { throw IdentityError.serviceAccountConflict }
                return
            }
            guard known.count < Identity.AddServiceAccountKey.maximumKeys else {
                throw IdentityError.invalidServiceAccount
            }
            try transaction.execute(
                """
                INSERT INTO service_account_keys (email, key_id, project, public_key, created_at)
                VALUES ($1, $2, $3, $4, $5)
                """, .text(key.email), .text(key.keyID), .text(key.project.rawValue), .blob(der),
                .integer(now.milliseconds))
            try transaction.append(audit)
        }
    }

    func serviceAccountKeys(of project: ProjectID) async throws -> [Identity.ServiceAccountKey] {
        try await read { transaction in
            try transaction.rows(
                """
                SELECT email, key_id, public_key FROM service_account_keys WHERE project = $1 ORDER BY email, key_id
                """, .text(project.rawValue)
            ).map { row in
                Identity.ServiceAccountKey(
                    email: try row.get("email"), keyID: try row.get("key_id"), project: project,
                    publicKey: Base64URL.encode(try row.get("public_key")))
            }
        }
    }

    /// The keys of one service account: few, because their number is bounded.
    func verificationKeys(of email: String) async throws -> [ServiceAccountVerificationKey] {
        try await read { transaction in
            try transaction.rows(
                "SELECT key_id, project, public_key FROM service_account_keys WHERE email = $1 ORDER BY key_id",
                .text(email)
            ).map { row in
                ServiceAccountVerificationKey(
                    keyID: try row.get("key_id"), project: ProjectID(try row.get("project")),
                    key: try PublicKey(subjectPublicKeyInfo: try row.get("public_key")))
            }
        }
    }

    /// Deletes keys, and the access tokens that were issued for them.
    /// - Returns: the number of keys, and their project.
    /// - Throws: `serviceAccountNotFound`.
    func removeServiceAccountKeys(
        _ email: String, keyID: String?, once: IdempotentCall?, audit: @Sendable @escaping (ProjectID) -> AuditEntry
    ) async throws -> Identity.RemoveServiceAccountKeys.Reply {
        try await write(once: once) { transaction in
            let known = try transaction.rows(
                "SELECT key_id, project FROM service_account_keys WHERE email = $1", .text(email))
            var removed = 0
            for row in known {
                let id: String = try row.get("key_id")
                guard keyID == nil || keyID == id else { continue }
                try transaction.execute(
                    "DELETE FROM service_account_keys WHERE email = $1 AND key_id = $2", .text(email), .text(id))
                try transaction.execute(
                    "DELETE FROM access_tokens WHERE service_account = $1 AND key_id = $2", .text(email), .text(id))
                try transaction.append(audit(ProjectID(try row.get("project"))))
                removed += 1
            }
            guard removed > 0 else { throw IdentityError.serviceAccountNotFound }
            return .init(removed: removed)
        }
    }
}

// MARK: - Access tokens

extension IdentityStore {
    /// Stores the hash of an access token with its grant.
    /// - Parameters:
    ///   - assertionDigest: of the assertion, which is valid for one token only.
    ///   - assertionExpiresAt: until then the digest is kept.
    /// - Throws: `invalidAssertion` for one that was used before.
    func addAccessToken(
        _ token: AccessToken, _ grant: AccessGrant, assertionDigest: [UInt8], assertionExpiresAt: Moment,
        audit: AuditEntry
    ) async throws {
        try await write { transaction in
            try transaction.execute(
                """
                INSERT INTO used_assertions (assertion_digest, expires_at) VALUES ($1, $2)
                ON CONFLICT (assertion_digest) DO NOTHING
                """, .blob(assertionDigest), .integer(assertionExpiresAt.milliseconds))
            guard transaction.changes == 1 else {
                throw IdentityError.invalidAssertion("The assertion was used before.")
            }
            try transaction.execute(
                """
                INSERT INTO access_tokens (token_hash, project, service_account, key_id, rights, expires_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """, .blob(token.hash), .text(grant.project.rawValue), .text(grant.serviceAccount),
                .text(grant.keyID), .text(grant.rights.map(\.rawValue).joined(separator: " ")),
                .integer(grant.expiresAt.milliseconds))
            try transaction.append(audit)
        }
    }

    /// The grant of a token, expired or not.
    func accessGrant(_ token: AccessToken) async throws -> AccessGrant? {
        try await read { transaction in
            try transaction.firstRow(
                """
                SELECT project, service_account, key_id, rights, expires_at FROM access_tokens WHERE token_hash = $1
                """, .blob(token.hash)
            ).map { row in
                let rights: String = try row.get("rights")
                return AccessGrant(
                    project: ProjectID(try row.get("project")), serviceAccount: try row.get("service_account"),
                    keyID: try row.get("key_id"),
                    rights: rights.pieces(at: " ").compactMap {
                        Identity.AdminPermission(rawValue: String($0))
                    }, expiresAt: Moment(milliseconds: try row.get("expires_at")))
            }
        }
    }
}
