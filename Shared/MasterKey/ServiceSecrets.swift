internal import Crypto
package import SQL
internal import Vocabulary

/// A secret that a service made for itself and needs for as long as its data lives, such as the key of its digests.
///
/// It lies sealed in the service's database, so that it outlives the master key.
package struct ServiceSecret: Sendable {
    /// Names it beside others of its kind. No secret.
    package var id: String
    package var bytes: [UInt8]

    package init(id: String, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }

    /// 32 bytes that nobody has guessed.
    package static func random() -> ServiceSecret {
        .init(id: Random.bytes(4).hexadecimal, bytes: Random.bytes(32))
    }
}

/// The secrets of one service, by what they are for.
package enum ServiceSecrets {
    package static let column = SealedColumn(
        "sealed_secret", of: "service_secrets", key: ["name", "secret_id"])

    /// All secrets of a name, the newest first: it is the one to use, the others verify what was made with them.
    /// - Parameter make: the first one, when there is none. Several that start at once keep one.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the master key is another
    ///   mesh's.
    package static func load(
        _ name: String, in transaction: borrowing SQLTransaction, _ keys: SealingKeys,
        orMake make: () throws -> ServiceSecret
    ) throws -> [ServiceSecret] {
        let known = try transaction.rows(
            "SELECT secret_id, sealed_secret FROM service_secrets WHERE name = $1 ORDER BY position DESC",
            .text(name)
        ).map { row in
            let id: String = try row.get("secret_id")
            let record: [UInt8] = try row.get("sealed_secret")
            return ServiceSecret(
                id: id, bytes: try keys.open(record, binding: column.binding(.text(name), .text(id))))
        }
        guard known.isEmpty else { return known }
        let made = try make()
        try transaction.execute(
            "INSERT INTO service_secrets (name, secret_id, sealed_secret, position) VALUES ($1, $2, $3, 1)",
            .text(name), .text(made.id),
            .blob(try keys.seal(made.bytes, binding: column.binding(.text(name), .text(made.id)))))
        return [made]
    }

    /// The one to use of a name whose former secrets verify nothing any more.
    package static func loadNewest(
        _ name: String, in transaction: borrowing SQLTransaction, _ keys: SealingKeys,
        orMake make: () throws -> ServiceSecret
    ) throws -> ServiceSecret {
        guard let newest = try load(name, in: transaction, keys, orMake: make).first else {
            preconditionFailure("there is one, or it is made")
        }
        return newest
    }
}
