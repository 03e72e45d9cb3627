import Contracts
import Crypto
package import DatabaseService
import FoundationEssentials
import JSON
package import MasterKey
package import SQL
import Vocabulary

/// The database of federation. One method is one transaction.
package final class FederationStore: ServiceStore {
    package static let tables = FederationTables.all
    package static let migrations = FederationMigrations.all
    package let serviceDatabase: ServiceDatabase
    var database: any SQLDatabase { serviceDatabase.database }
    private var sealingKeys: SealingKeys { serviceDatabase.sealingKeys }
    /// The tenants with providers, compared with those of identity.
    let listing: ListedRecords<ProviderTenant>
    /// Derives the values of sign-ins in a browser, and digests.
    let browserSignInSecrets: BrowserSignInSecrets
    let pendingTokens: PendingTokenSealer

    private static let clientSecret = SealedColumn(ProviderTable.sealedClientSecret)
    private static let privateKey = SealedColumn(ProviderTable.sealedPrivateKey)
    static let sealedColumns = [clientSecret, privateKey]

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would lose the secrets of every provider.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        serviceDatabase = try await ServiceDatabase(
            database, of: .federation, Self.migrations, keys: keys, sealing: Self.sealedColumns)
        listing = ListedRecords(database)
        (browserSignInSecrets, pendingTokens) = try await serviceDatabase.secrets { load in
            (BrowserSignInSecrets(key: try load("attempts")), try PendingTokenSealer(key: try load("pending-tokens")))
        }
    }
}

// MARK: - Providers

/// A stored provider.
struct StoredProvider: Equatable, Sendable {
    var provider: Federation.Provider
    var revision: Int64
    /// Since when it is this provider: it was created, enabled, or given another client or issuer.
    var establishedAt: Moment
}

extension FederationStore {
    /// - Parameters:
    ///   - signingKey: of `signsRequests`.
    ///   - change: stored until identity has recorded it.
    /// - Returns: false when the realm has a provider with this ID.
    func insert(
        _ provider: Federation.Provider, signingKey: Secret<String>? = nil, in realm: Realm, revision: Int64,
        _ change: ProviderChange
    ) async throws -> Bool {
        try await database.write { transaction in
            let record = try self.values(of: provider, signingKey, in: realm, revision: revision)
            try transaction.execute(
                ProviderTable.insertion,
                SQLRecord(realm) + [.providerID: provider.id, .unlistedSince: nil, .establishedAt: change.at] + record)
            guard transaction.changes == 1 else { return false }
            try transaction.execute(ProviderChangeTable.insertion, ProviderChangeTable.record(of: change))
            return true
        }
    }

    func provider(_ id: String, in realm: Realm) async throws -> StoredProvider? {
        try await database.read { transaction in
            try transaction.firstRow(ProviderTable.byKey, SQLRecord(realm) + [.providerID: id]).map { row in
                try self.stored(row, in: realm)
            }
        }
    }

    /// The key that signs requests to the provider; nil without one.
    func signingKey(of id: String, in realm: Realm) async throws -> Secret<String>? {
        try await database.read { transaction in
            try transaction.firstRow(ProviderTable.byKey, SQLRecord(realm) + [.providerID: id]).flatMap { row in
                try self.signingKey(row, of: id, in: realm)
            }
        }
    }

    enum Replacement: Equatable, Sendable {
        case replaced
        /// The provider has another revision.
        case conflict
        case missing
    }

    /// - Parameters:
    ///   - signingKey: a new key of `signsRequests`; nil: the stored one stays.
    ///   - change: stored until identity has recorded it.
    func replace(
        _ provider: Federation.Provider, signingKey: Secret<String>? = nil, in realm: Realm, expectedRevision: Int64,
        _ change: ProviderChange
    ) async throws -> Replacement {
        try await database.write { transaction in
            let place = SQLRecord<ProviderTable>(realm) + [.providerID: provider.id]
            guard let row = try transaction.firstRow(ProviderTable.byKey, place) else { return .missing }
            guard try row.get(.revision) == expectedRevision else { return .conflict }
            var key = signingKey
            if key == nil, provider.signsRequests { key = try self.signingKey(row, of: provider.id, in: realm) }
            let record = try self.values(of: provider, key, in: realm, revision: expectedRevision.addingSaturated(1))
            let former = try self.stored(row, in: realm)
            let establishedAt = provider.isSameSource(as: former.provider) ? former.establishedAt : change.at
            try transaction.execute(
                ProviderTable.replacement, place + record + [.establishedAt: establishedAt], expectedRevision)
            guard transaction.changes == 1 else { return .conflict }
            try transaction.execute(ProviderChangeTable.insertion, ProviderChangeTable.record(of: change))
            return .replaced
        }
    }

    /// - Parameter change: stored until identity has recorded it.
    /// - Returns: false without such a provider.
    func deleteProvider(_ id: String, in realm: Realm, _ change: ProviderChange) async throws -> Bool {
        try await database.write { transaction in
            try transaction.execute(ProviderTable.removal, SQLRecord(realm) + [.providerID: id])
            guard transaction.changes == 1 else { return false }
            try transaction.execute(ProviderChangeTable.insertion, ProviderChangeTable.record(of: change))
            return true
        }
    }

    /// Some providers of a list, in the order of their IDs.
    func providers(
        of list: Federation.ProviderList, in realm: Realm, after id: String?, limit: Int
    ) async throws -> [Federation.Provider] {
        try await database.read { transaction in
            try transaction.rows(ProviderTable.page, SQLRecord(realm) + [.list: list], id ?? "", limit).map { row in
                try self.stored(row, in: realm).provider
            }
        }
    }

    private func values(
        of provider: Federation.Provider, _ signingKey: Secret<String>?, in realm: Realm, revision: Int64
    ) throws -> SQLRecord<ProviderTable> {
        let document = try WireJSON.encodeSorted(ProviderDocument(provider))
        return [
            .list: provider.list, .document: String(decoding: document, as: UTF8.self), .revision: revision,
            .sealedClientSecret: try seal(provider.clientSecret, Self.clientSecret, provider.id, realm),
            .sealedPrivateKey: try seal(provider.privateKey ?? signingKey, Self.privateKey, provider.id, realm),
        ]
    }

    private func signingKey(
        _ row: SQLTableRow<ProviderTable>, of id: String, in realm: Realm
    ) throws -> Secret<String>? {
        try stored(row, in: realm).provider.signsRequests
            ? open(row.getIfPresent(.sealedPrivateKey), Self.privateKey, id, realm) : nil
    }

    private func stored(_ row: SQLTableRow<ProviderTable>, in realm: Realm) throws -> StoredProvider {
        let id: String = try row.get(.providerID)
        let text: String = try row.get(.document)
        let document = try WireJSON.decode(ProviderDocument.self, from: Data(text.utf8))
        let provider = document.provider(
            id: id, list: try row.get(.list),
            clientSecret: try open(row.getIfPresent(.sealedClientSecret), Self.clientSecret, id, realm),
            privateKey: try open(row.getIfPresent(.sealedPrivateKey), Self.privateKey, id, realm))
        return StoredProvider(
            provider: provider, revision: try row.get(.revision), establishedAt: try row.get(.establishedAt))
    }

    /// Only in the body of a transaction: it may read the master-key file.
    private func seal(
        _ secret: Secret<String>?, _ column: SealedColumn, _ id: String, _ realm: Realm
    ) throws -> [UInt8]? {
        try secret.map { try sealingKeys.seal(Array($0.reveal().utf8), binding: Self.binding(column, id, realm)) }
    }

    /// As `seal`.
    private func open(
        _ sealed: [UInt8]?, _ column: SealedColumn, _ id: String, _ realm: Realm
    ) throws -> Secret<String>? {
        try sealed.map { sealed in
            let plain = try sealingKeys.open(sealed, binding: Self.binding(column, id, realm))
            return Secret(String(decoding: plain, as: UTF8.self))
        }
    }

    private static func binding(_ column: SealedColumn, _ id: String, _ realm: Realm) -> [UInt8] {
        column.binding(SQLRecord<ProviderTable>(realm) + [.providerID: id])
    }
}

// MARK: - Sign-ins in a browser and used credentials

extension FederationStore {
    func insert(_ browserSignIn: BrowserSignIn) async throws {
        try await database.write { transaction in
            try transaction.execute(BrowserSignInTable.insertion, browserSignIn.record)
        }
    }

    /// The sign-in of a state, which stays valid.
    func browserSignIn(stateDigest: [UInt8]) async throws -> BrowserSignIn? {
        try await database.read { transaction in
            try transaction.firstRow(BrowserSignInTable.byKey, [.stateDigest: stateDigest]).map {
                try BrowserSignIn($0)
            }
        }
    }

    /// Deletes and returns the sign-in of a state. A state is redeemed even if the request then fails.
    func redeemBrowserSignIn(stateDigest: [UInt8]) async throws -> BrowserSignIn? {
        try await database.write { transaction in
            guard let row = try transaction.firstRow(BrowserSignInTable.byKey, [.stateDigest: stateDigest]) else {
                return nil
            }
            try transaction.execute(BrowserSignInTable.removal, [.stateDigest: stateDigest])
            // Another transaction may have redeemed it since the row was read.
            return transaction.changes == 1 ? try BrowserSignIn(row) : nil
        }
    }

    /// Records that a credential was used.
    /// - Returns: false when it was used before.
    func recordUse(ofCredential digest: [UInt8], until expiresAt: Moment) async throws -> Bool {
        try await database.write { transaction in
            try transaction.execute(UsedCredentialTable.insertion, [.digest: digest, .expiresAt: expiresAt])
            return transaction.changes == 1
        }
    }

    /// Allows a credential again whose use had no effect.
    func deleteUse(ofCredential digest: [UInt8]) async throws {
        try await database.write { transaction in
            try transaction.execute(UsedCredentialTable.removal, [.digest: digest])
        }
    }
}
