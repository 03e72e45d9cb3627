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
            try transaction.rows(SigningKeyTable.ofPurpose, [.purpose: purpose]).map { row in
                let id: SigningKeyID = try row.get(.keyID)
                let der = try sealingKeys.open(try row.get(.sealedPrivateKey), binding: binding(of: id))
                return SigningKey(
                    published: .init(
                        id: id, certificatePEM: try row.get(.certificate), modulus: try row.get(.modulus),
                        exponent: try row.get(.exponent)),
                    privateKey: try PrivateKey(pkcs8DER: der), activatesAt: try row.get(.activatesAt))
            }
        }
    }

    /// The ids of all keys of all purposes, ordered by activation.
    func signingKeyIDs() async throws -> [Identity.ListSigningKeys.Purpose: [SigningKeyID]] {
        try await read { transaction in
            let rows = try transaction.rows(SigningKeyTable.ids)
            var ids: [Identity.ListSigningKeys.Purpose: [SigningKeyID]] = [:]
            for row in rows {
                // A purpose of a later version is unknown here.
                guard let purpose = Identity.ListSigningKeys.Purpose(rawValue: try row.get(.purpose)) else { continue }
                ids[purpose, default: []].append(try row.get(.keyID))
            }
            return ids
        }
    }

    /// Adds a key unless another process has added one for the same time, which may happen on a first start.
    func addSigningKey(
        _ key: SigningKey, for purpose: Identity.ListSigningKeys.Purpose, at now: Moment, audit: AuditEntry
    ) async throws {
        try await write { [sealingKeys] transaction in
            let activations: [Timestamp] = try transaction.rows(SigningKeyTable.activations, [.purpose: purpose])
                .map { try $0.get(.activatesAt) }
            let schedule = SigningKeySchedule(purpose: purpose)
            guard schedule.dueActivation(activations, at: now.timestamp) != nil else { return }
            let sealed = try sealingKeys.seal(try key.privateKey.pkcs8DER, binding: binding(of: key.id))
            try transaction.execute(
                SigningKeyTable.insertion,
                [
                    .keyID: key.id, .purpose: purpose, .activatesAt: key.activatesAt, .createdAt: now,
                    .sealedPrivateKey: sealed, .certificate: key.published.certificatePEM,
                    .modulus: key.published.modulus, .exponent: key.published.exponent,
                ])
            try transaction.append(audit)
        }
    }

    /// Binds a sealed key to its row: a key moved to another row does not open.
    private func binding(of id: SigningKeyID) -> [UInt8] { Self.sealedPrivateKey.binding(.text(id.rawValue)) }
}
