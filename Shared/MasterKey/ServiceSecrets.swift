import Crypto
package import SQL
import Vocabulary

/// A secret that a service generated and needs as long as its data exists, such as the key of its digests.
///
/// It is sealed in the service's database, so a rotation of the master key does not change it.
package struct ServiceSecret: Sendable {
    /// Identifies it among secrets with the same name. Not a secret.
    package var id: String
    package var bytes: [UInt8]

    package init(id: String, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }

    /// 32 random bytes.
    package static func random() -> ServiceSecret {
        .init(id: Random.bytes(4).hexadecimal, bytes: Random.bytes(32))
    }
}

/// The secrets of one service, by their purpose.
package enum ServiceSecrets {
    package static let column = SealedColumn(
        "sealed_secret", of: "service_secrets", key: ["name", "secret_id"])

    /// All secrets with a name. The newest is in use; the former ones verify older values.
    /// - Parameter make: creates the first one if there is none. If several processes start at once, one of them is
    ///   kept.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` if the master key belongs to another
    ///   mesh.
    package static func load(
        _ name: String, in transaction: borrowing SQLTransaction, _ keys: SealingKeys,
        orMake make: () throws -> ServiceSecret
    ) throws -> (newest: ServiceSecret, former: [ServiceSecret]) {
        let known = try transaction.rows(
            "SELECT secret_id, sealed_secret FROM service_secrets WHERE name = $1 ORDER BY position DESC",
            .text(name)
        ).map { row in
            let id: String = try row.get("secret_id")
            let record: [UInt8] = try row.get("sealed_secret")
            return ServiceSecret(
                id: id, bytes: try keys.open(record, binding: column.binding(.text(name), .text(id))))
        }
        if let newest = known.first { return (newest, Array(known.dropFirst())) }
        let made = try make()
        try transaction.execute(
            "INSERT INTO service_secrets (name, secret_id, sealed_secret, position) VALUES ($1, $2, $3, 1)",
            .text(name), .text(made.id),
            .blob(try keys.seal(made.bytes, binding: column.binding(.text(name), .text(made.id)))))
        return (made, [])
    }

    /// The newest secret of a name whose former secrets no longer verify anything.
    package static func loadNewest(
        _ name: String, in transaction: borrowing SQLTransaction, _ keys: SealingKeys,
        orMake make: () throws -> ServiceSecret
    ) throws -> ServiceSecret {
        try load(name, in: transaction, keys, orMake: make).newest
    }
}
