package import Contracts
package import MasterKey
package import SQL
package import ServiceRuntime
package import Storage
package import Vocabulary

/// The open database of a service: its tables are up to date, and its sealed columns are declared.
package struct ServiceDatabase: Sendable {
    package let database: any SQLDatabase
    /// Seals columns, so that a copy of the database does not contain their values. Only in the body of a transaction:
    /// it may read the file of the master key.
    package let sealingKeys: SealingKeys
    package let sealedRecords: SealedRecords

    /// - Parameter columns: all sealed columns of the service, except the one of its `ServiceSecrets`.
    package init(
        _ database: any SQLDatabase, of service: ServiceName, _ migrations: [SQLMigration],
        keys: ReloadingMasterKeyRing, sealing columns: [SealedColumn]
    ) async throws {
        self.database = database
        sealingKeys = SealingKeys(keys, of: service)
        sealedRecords = SealedRecords(database, keys: sealingKeys, columns: columns)
        try await database.migrate(migrations)
        try await sealedRecords.declare()
    }

    /// Loads `ServiceSecrets` by their names, whose former secrets no longer verify anything, and creates those that do
    /// not exist.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would lose what they protect.
    package func secrets<Secrets: Sendable>(
        _ body: @escaping @Sendable (_ load: (String) throws -> [UInt8]) throws -> Secrets
    ) async throws -> Secrets {
        try await database.write { [sealingKeys] transaction in
            try body { try ServiceSecrets.loadNewest($0, in: transaction, sealingKeys) { .random() }.bytes }
        }
    }
}

/// The store of a service: one method is one transaction. What all of them have is here.
package protocol ServiceStore: Sendable {
    /// All tables of the service.
    static var tables: [any SQLTableDescription.Type] { get }
    /// All migrations of the service, oldest first.
    static var migrations: [SQLMigration] { get }
    var serviceDatabase: ServiceDatabase { get }
}

extension ServiceStore {
    /// The sealed columns, which `SealingMaintenance` keeps under the current master key.
    package var sealedRecords: SealedRecords { serviceDatabase.sealedRecords }

    package func close() async {
        await serviceDatabase.database.close()
    }

    /// Deletes expired rows.
    /// - Parameter retention: the lifetime that the operator sets; nil if no table has such a one.
    package func sweep(retention: Duration? = nil, at now: Moment) async throws {
        try await Sweeper(Self.tables, retention: retention, in: serviceDatabase.database).sweep(at: now)
    }

    /// Deletes expired rows each minute.
    package func sweepTask(trusting clock: TrustedClock) -> MaintenanceTask {
        MaintenanceTask("sweep", every: .seconds(60), trusting: clock) { try await sweep(at: $0) }
    }
}
