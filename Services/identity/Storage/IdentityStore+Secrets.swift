import Crypto
import MasterKey
import SQL

extension IdentityStore {
    // The labels of the first release, which had shorter column names.
    static let sealedPrivateKey = SealedColumn(
        SigningKeyTable.sealedPrivateKey.rawValue, of: SigningKeyTable.table, key: SigningKeyTable.keyNames,
        label: "signing_keys/private_key")
    static let sealedReply = SealedColumn(
        RecordedReplyTable.sealedReply.rawValue, of: RecordedReplyTable.table, key: RecordedReplyTable.keyNames,
        label: "recorded_replies")

    static let sealedAnchor = SealedColumn(AuditAnchorTable.sealedChain)

    static let sealedCut = SealedColumn(AuditCutTable.sealedEnd)

    /// In dev mode only. A link is bound to its code: the number of the row is unknown when it is sealed.
    static let sealedLink = SealedColumn(
        ActionCodeTable.sealedLink.rawValue, of: ActionCodeTable.table, key: [ActionCodeTable.codeHash.rawValue])

    /// The password of `notification.sendEmail.smtp` in a project's configuration.
    static let sealedSMTPPassword = SealedColumn(ProjectTable.sealedSMTPPassword)

    /// All sealed columns of identity. A column that is missing here would be unreadable after a change of the master
    /// key.
    static let sealedColumns = [
        sealedPrivateKey, sealedReply, sealedAnchor, sealedCut, sealedLink, sealedEmail, sealedSMTPPassword,
        sealedWebhookSecrets,
    ]
}

/// The secrets that identity has generated.
struct IdentitySecrets: Sendable {
    /// The key of the HMAC before the password hash (security rule PW3).
    var pepper: PasswordHasher.Pepper
    /// Those of older records.
    var formerPeppers: [PasswordHasher.Pepper]
    /// The key of keyed hashes.
    var digestKey: [UInt8]
    /// Whether the database had none before this transaction. Somebody who deletes them to make it look new makes every
    /// password wrong.
    var areNew: Bool

    /// Loads the secrets, or generates them at the first start.
    init(in transaction: borrowing SQLTransaction, _ keys: SealingKeys) throws {
        // The first release derived both from the master key. Its records cannot be verified without them.
        let former = try transaction.firstReleaseMasterKey(keys)
        areNew = try !transaction.hasSecrets()
        let peppers = try ServiceSecrets.load("password pepper", in: transaction, keys) {
            guard let former else { return .random() }
            return ServiceSecret(id: former.id, bytes: former.key(for: "password pepper"))
        }
        pepper = PasswordHasher.Pepper(id: peppers.newest.id, key: peppers.newest.bytes)
        formerPeppers = peppers.former.map { PasswordHasher.Pepper(id: $0.id, key: $0.bytes) }
        digestKey = try ServiceSecrets.loadNewest("digests", in: transaction, keys) {
            guard let former else { return .random() }
            return ServiceSecret(id: former.id, bytes: former.key(for: "identity digests"))
        }.bytes
    }
}

extension SQLTransaction {
    fileprivate borrowing func hasSecrets() throws -> Bool {
        try firstRow("SELECT name FROM service_secrets LIMIT 1") != nil
    }

    /// The master key of a database that the first release used; nil for a newer one.
    /// - Throws: `CryptoError.authenticationFailed` when no key of the ring is the one.
    fileprivate borrowing func firstReleaseMasterKey(_ keys: SealingKeys) throws -> MasterKey? {
        guard try !hasSecrets(), let row = try firstRow(SigningKeyTable.first) else { return nil }
        let id: String = try row.get(.keyID)
        return try keys.legacyKey(
            of: try row.get(.sealedPrivateKey), binding: IdentityStore.sealedPrivateKey.binding(.text(id)))
    }
}
