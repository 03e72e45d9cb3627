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
            guard try transaction.project(key.project) != nil else { throw ServiceError(.projectNotFound) }
            let known = try transaction.rows(ServiceAccountKeyTable.ofServiceAccount, [.email: key.email])
            for row in known {
                guard try row.get(.project) == key.project else { throw ServiceError(.serviceAccountConflict) }
                guard try row.get(.keyID) == key.keyID else { continue }
                guard try row.get(.publicKey) == der else { throw ServiceError(.serviceAccountConflict) }
                return
            }
            guard known.count < Identity.AddServiceAccountKey.maximumKeys else {
                throw ServiceError(.invalidServiceAccount)
            }
            try transaction.execute(
                ServiceAccountKeyTable.insertion,
                [.email: key.email, .keyID: key.keyID, .project: key.project, .publicKey: der, .createdAt: now])
            try transaction.append(audit)
        }
    }

    func serviceAccountKeys(of project: ProjectID) async throws -> [Identity.ServiceAccountKey] {
        try await read { transaction in
            try transaction.rows(ServiceAccountKeyTable.ofProject, [.project: project]).map { row in
                Identity.ServiceAccountKey(
                    email: try row.get(.email), keyID: try row.get(.keyID), project: project,
                    publicKey: Base64URL.encode(try row.get(.publicKey)))
            }
        }
    }

    /// The keys of one service account: few, because their number is bounded.
    func verificationKeys(of email: String) async throws -> [ServiceAccountVerificationKey] {
        try await read { transaction in
            try transaction.rows(ServiceAccountKeyTable.ofServiceAccount, [.email: email]).map { row in
                ServiceAccountVerificationKey(
                    keyID: try row.get(.keyID), project: try row.get(.project),
                    key: try PublicKey(subjectPublicKeyInfo: try row.get(.publicKey)))
            }
        }
    }

    /// Deletes keys, and the access tokens that were issued for them.
    /// - Returns: the number of keys, and their project.
    /// - Throws: `serviceAccountNotFound`.
    func removeServiceAccountKeys(
        _ email: String, keyID: String?, idempotency: IdempotentCall?,
        audit: @Sendable @escaping (ProjectID) -> AuditEntry
    ) async throws -> Identity.RemoveServiceAccountKeys.Reply {
        try await write(idempotency: idempotency) { transaction in
            let known = try transaction.rows(ServiceAccountKeyTable.ofServiceAccount, [.email: email])
            var removed = 0
            for row in known {
                let id: String = try row.get(.keyID)
                guard keyID == nil || keyID == id else { continue }
                try transaction.execute(ServiceAccountKeyTable.removal, [.email: email, .keyID: id])
                try transaction.execute(AccessTokenTable.removalOfKey, [.serviceAccount: email, .keyID: id])
                try transaction.append(audit(try row.get(.project)))
                removed += 1
            }
            guard removed > 0 else { throw ServiceError(.serviceAccountNotFound) }
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
                UsedAssertionTable.insertionIfAbsent,
                [.assertionDigest: assertionDigest, .expiresAt: assertionExpiresAt])
            guard transaction.changes == 1 else {
                throw ServiceError.invalidAssertion("The assertion was used before.")
            }
            try transaction.execute(AccessTokenTable.insertion, grant.columns + [.tokenHash: token.hash])
            try transaction.append(audit)
        }
    }

    /// The grant of a token, expired or not.
    func accessGrant(_ token: AccessToken) async throws -> AccessGrant? {
        try await read { transaction in
            try transaction.firstRow(AccessTokenTable.byKey, [.tokenHash: token.hash]).map { try AccessGrant($0) }
        }
    }
}
