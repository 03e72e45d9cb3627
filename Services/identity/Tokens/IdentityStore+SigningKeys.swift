import Contracts
import Crypto
import MasterKey
import SQL
import Vocabulary

/// A signing key with its published data.
struct SigningKey: Sendable {
    var published: Identity.PublishedKey
    var privateKey: PrivateKey
    var activatesAt: Timestamp

    var id: SigningKeyID { published.id }
}

extension IdentityStore {
    /// The keys of a purpose, by activation.
    func signingKeys(_ purpose: Identity.ListSigningKeys.Purpose) async throws -> [SigningKey] {
        try await read { [sealingKeys] transaction in
            try transaction.rows(
                """
                SELECT key_id, activates_at, sealed_private_key, certificate, modulus, exponent FROM signing_keys
                WHERE purpose = $1 ORDER BY activates_at, key_id
                """, .text(purpose.rawValue)
            ).map { row in
                let id = SigningKeyID(try row.get("key_id"))
                let der = try sealingKeys.open(try row.get("sealed_private_key"), binding: binding(of: id))
                return SigningKey(
                    published: .init(
                        id: id, certificatePEM: try row.get("certificate"), modulus: try row.get("modulus"),
                        exponent: try row.get("exponent")),
                    privateKey: try PrivateKey(pkcs8DER: der),
                    activatesAt: Timestamp(seconds: try row.get("activates_at")))
            }
        }
    }

    /// The ids of all keys of all purposes, ordered by activation.
    func signingKeyIDs() async throws -> [Identity.ListSigningKeys.Purpose: [SigningKeyID]] {
        try await read { transaction in
            let rows = try transaction.rows("SELECT key_id, purpose FROM signing_keys ORDER BY activates_at, key_id")
            var ids: [Identity.ListSigningKeys.Purpose: [SigningKeyID]] = [:]
            for row in rows {
                // A purpose of a later version is skipped.
                guard let purpose = Identity.ListSigningKeys.Purpose(rawValue: try row.get("purpose")) else { continue }
                ids[purpose, default: []].append(SigningKeyID(try row.get("key_id")))
            }
            return ids
        }
    }

    /// Adds a key unless another process has added one for the same time, which may happen on a first start.
    func addSigningKey(
        _ key: SigningKey, for purpose: Identity.ListSigningKeys.Purpose, at now: Moment, audit: AuditEntry
    ) async throws {
        try await write { [sealingKeys] transaction in
            let activations = try transaction.rows(
                "SELECT activates_at FROM signing_keys WHERE purpose = $1", .text(purpose.rawValue)
            ).map { Timestamp(seconds: try $0.get("activates_at")) }
            let schedule = SigningKeySchedule(purpose: purpose)
            guard schedule.dueActivation(activations, at: now.timestamp) != nil else { return }
            let sealed = try sealingKeys.seal(try key.privateKey.pkcs8DER, binding: binding(of: key.id))
            try transaction.execute(
                """
                INSERT INTO signing_keys (
                    key_id, purpose, activates_at, created_at, sealed_private_key, certificate, modulus, exponent)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """, .text(key.id.rawValue), .text(purpose.rawValue), .integer(key.activatesAt.seconds),
                .integer(now.milliseconds), .blob(sealed), .text(key.published.certificatePEM),
                .text(key.published.modulus), .text(key.published.exponent))
            try transaction.append(audit)
        }
    }

    /// Binds a sealed key to its row: a key moved to another row does not open.
    private func binding(of id: SigningKeyID) -> [UInt8] { Self.sealedPrivateKey.binding(.text(id.rawValue)) }
}
