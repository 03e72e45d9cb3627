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
                let der = try sealingKeys.open(try row.get(.sealedPrivateKey), binding: self.binding(of: id))
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
            try self.insert(key, for: purpose, at: now, sealedWith: sealingKeys, transaction)
            try transaction.append(audit)
        }
    }

    /// Deletes a key, and makes another key of its purpose active at once if none is: the next one, which clients have
    /// already, or else `replacement`.
    /// - Parameters:
    ///   - audit: records the deletion.
    ///   - creation: records the replacement, if it is used.
    /// - Returns: the purpose of the key; nil, without a change, if there is no such key.
    func deleteSigningKey(
        _ id: SigningKeyID, replacement: SigningKey, at now: Moment, audit: AuditEntry, creation: AuditEntry
    ) async throws -> Identity.ListSigningKeys.Purpose? {
        try await write { [sealingKeys] transaction in
            guard let row = try transaction.firstRow(SigningKeyTable.purposeOfKey, [.keyID: id]),
                let purpose = Identity.ListSigningKeys.Purpose(rawValue: try row.get(.purpose))
            else { return nil }
            try transaction.execute(SigningKeyTable.removal, [.keyID: id])
            try transaction.append(audit)
            // Sorted by activation.
            let rest = try transaction.rows(SigningKeyTable.ofPurpose, [.purpose: purpose])
            guard let first = rest.first else {
                try self.insert(replacement, for: purpose, at: now, sealedWith: sealingKeys, transaction)
                try transaction.append(creation)
                return purpose
            }
            let activatesAt: Timestamp = try first.get(.activatesAt)
            if activatesAt > now.timestamp {
                let next: SigningKeyID = try first.get(.keyID)
                try transaction.execute(
                    SigningKeyTable.activation, [.keyID: next, .activatesAt: now.timestamp])
            }
            return purpose
        }
    }

    private func insert(
        _ key: SigningKey, for purpose: Identity.ListSigningKeys.Purpose, at now: Moment,
        sealedWith sealingKeys: SealingKeys, _ transaction: borrowing SQLTransaction
    ) throws {
        let sealed = try sealingKeys.seal(try key.privateKey.pkcs8DER, binding: binding(of: key.id))
        try transaction.execute(
            SigningKeyTable.insertion,
            [
                .keyID: key.id, .purpose: purpose, .activatesAt: key.activatesAt, .createdAt: now,
                .sealedPrivateKey: sealed, .certificate: key.published.certificatePEM,
                .modulus: key.published.modulus, .exponent: key.published.exponent,
            ])
    }

    /// Binds a sealed key to its row: a key moved to another row does not open.
    private func binding(of id: SigningKeyID) -> [UInt8] { Self.sealedPrivateKey.binding(.text(id.rawValue)) }
}
