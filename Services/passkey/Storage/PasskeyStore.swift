import Contracts
import Crypto
package import DatabaseService
package import MasterKey
package import SQL
import Vocabulary

/// The database of the passkey service. One method is one transaction.
package final class PasskeyStore: ServiceStore {
    package static let tables = PasskeyTables.all
    package static let migrations = PasskeyMigrations.all
    package let serviceDatabase: ServiceDatabase
    var database: any SQLDatabase { serviceDatabase.database }
    let identifiers: DerivedIdentifiers
    /// The credentials, compared with what identity lists.
    let listing: ListedRecords<PasskeyCredentialKey>

    /// Open registrations of one account. Another one replaces the oldest. Sign-ins have no such limit: their starts
    /// are not authenticated, so that anyone could replace the ceremony of a user.
    static let maximumOpenRegistrations = 10

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would give accounts other user handles.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        serviceDatabase = try await ServiceDatabase(
            database, of: .passkey, Self.migrations, keys: keys, sealing: [])
        listing = ListedRecords(database)
        identifiers = DerivedIdentifiers(key: try await serviceDatabase.secrets { load in try load("identifiers") })
    }

    /// Distinguishes the repetition of a request from another request.
    /// - Parameter request: without the client that sends it.
    func digest(ofRequest request: [UInt8]) -> [UInt8] { identifiers.digest(ofRequest: request) }

    /// The idempotency key under which identity lists a credential: 32 hexadecimal digits.
    func operationKey(_ credential: PasskeyCredential, _ request: [UInt8]) -> String {
        identifiers.digest(ofRequest: Array("operation/".utf8) + credential.id.bytes + request).prefix(16).hexadecimal
    }
}

// MARK: - Ceremonies

extension PasskeyStore {
    func insert(_ ceremony: Ceremony) async throws {
        try await database.write { transaction in
            switch (ceremony.purpose, ceremony.owner) {
            case (.registration, .account(let id)):
                let open = try transaction.rows(
                    CeremonyTable.openByAge,
                    SQLRecord(ceremony.realm) + [.accountID: id, .purpose: ceremony.purpose])
                for row in open.dropFirst(Self.maximumOpenRegistrations - 1) {
                    let digest: [UInt8] = try row.get(.challengeDigest)
                    try transaction.execute(CeremonyTable.removal, [.challengeDigest: digest])
                }
            case (.registration, .anyAccount), (.registration, .noAccount), (.authentication, _): break
            }
            try transaction.execute(CeremonyTable.insertion, ceremony.record)
        }
    }

    /// The ceremony of a challenge; nil for an unknown or redeemed one.
    func ceremony(of challenge: Challenge) async throws -> Ceremony? {
        try await database.read { transaction in try transaction.ceremony(challenge.digest) }
    }

    /// The ceremony of a challenge, and the credential that the response names.
    func ceremony(
        of challenge: Challenge, with id: CredentialID, in project: ProjectID
    ) async throws -> (ceremony: Ceremony?, credential: PasskeyCredential?) {
        try await database.read { transaction in
            (try transaction.ceremony(challenge.digest), try transaction.credential(id, in: project))
        }
    }

    /// Redeems the challenge of a ceremony whose response was rejected.
    func redeem(_ ceremony: Ceremony) async throws {
        _ = try await database.write { transaction in try transaction.redeem(ceremony) }
    }
}

// MARK: - Registration

extension PasskeyStore {
    enum Registration: Equatable, Sendable {
        /// Identity does not list the credential yet.
        case stored
        /// The project has a credential with this ID.
        case exists
        /// Another request was first.
        case redeemed
    }

    /// Redeems the challenge of a ceremony and stores its verified credential.
    /// - Parameters:
    ///   - request: the digest of the request, which may come again.
    ///   - former: a credential with the same ID that its account does not list any more; it is replaced.
    func register(
        _ credential: PasskeyCredential, redeeming ceremony: Ceremony, by request: [UInt8],
        replacing former: PasskeyCredential?
    ) async throws -> Registration {
        try await database.write { transaction in
            guard try transaction.redeem(ceremony) else { return .redeemed }
            if let former { try transaction.delete(former) }
            try transaction.execute(
                CredentialTable.insertion, credential.record + [.unlistedSince: credential.createdAt])
            guard transaction.changes == 1 else { return .exists }
            var redeemed = ceremony
            redeemed.redemption = .init(request: request, credentialID: credential.id)
            try transaction.execute(CeremonyTable.insertion, redeemed.record)
            return .stored
        }
    }

    /// The credential that an earlier request with this digest has registered for the account; nil without one.
    func registeredCredential(
        of challenge: Challenge, by request: [UInt8], _ account: AccountID
    ) async throws -> PasskeyCredential? {
        try await database.read { transaction in
            guard let ceremony = try transaction.ceremony(challenge.digest), let redemption = ceremony.redemption,
                redemption.isBy(request), ceremony.owner == .account(account),
                let credential = try transaction.credential(redemption.credentialID, in: ceremony.realm.project),
                credential.realm == ceremony.realm, credential.accountID == account
            else { return nil }
            return credential
        }
    }

    /// Records that identity lists the credential.
    func markListed(_ credential: PasskeyCredential) async throws {
        try await database.write { transaction in
            try transaction.execute(CredentialTable.listing, credential.key.record + [.unlistedSince: nil])
        }
    }

    /// Deletes a credential that identity has refused to list, and its ceremony.
    func delete(_ credential: PasskeyCredential, of challenge: Challenge) async throws {
        try await database.write { transaction in
            try transaction.delete(credential)
            try transaction.execute(CeremonyTable.removal, [.challengeDigest: challenge.digest])
        }
    }
}

// MARK: - Credentials

extension PasskeyStore {
    /// A credential of any tenant of the project, and since when identity has not listed it.
    func credential(
        _ id: CredentialID, in project: ProjectID
    ) async throws -> (credential: PasskeyCredential, unlistedSince: Moment?)? {
        try await database.read { transaction in
            try transaction.firstRow(CredentialTable.byKey, [.project: project, .credentialID: id])
                .map { (try PasskeyCredential($0), try $0.getIfPresent(.unlistedSince)) }
        }
    }

    /// The transports of credentials; absent for an unknown one.
    func transports(of ids: [CredentialID], in project: ProjectID) async throws -> [CredentialID: [String]] {
        try await database.read { transaction in
            var transports: [CredentialID: [String]] = [:]
            for id in ids {
                let row = try transaction.firstRow(
                    CredentialTable.transportsByKey, [.project: project, .credentialID: id])
                transports[id] = try row.map { PasskeyCredential.transports(try $0.get(.transports)) }
            }
            return transports
        }
    }

    enum UseResult: Equatable, Sendable {
        /// The sign-in may continue.
        case recorded(hasCounterRegression: Bool)
        case refusedForCounterRegression
        /// The credential was deleted or replaced meanwhile.
        case credentialDeleted
        /// Another request was first.
        case redeemed
    }

    /// Redeems the challenge of a verified assertion and stores the use of the credential. The counter is compared with
    /// the stored one in this transaction, so that one of two equal counters is a regression.
    func record(
        _ use: CredentialUse, of verified: PasskeyCredential, redeeming ceremony: Ceremony
    ) async throws -> UseResult {
        try await database.write { transaction in
            guard try transaction.redeem(ceremony) else { return .redeemed }
            let project = verified.realm.project
            guard let stored = try transaction.credential(verified.id, in: project), stored.key == verified.key,
                stored.publicKey == verified.publicKey
            else { return .credentialDeleted }
            switch use.applied(to: stored) {
            case .refusedForCounterRegression: return .refusedForCounterRegression
            case .accepted(let next, let hasRegression):
                try transaction.execute(
                    CredentialTable.use, [.project: project, .credentialID: stored.id] + next.use,
                    Int(stored.signCount))
                // A transaction is serializable: no other one has changed the row since.
                guard transaction.changes == 1 else { throw SQLError.transactionAborted }
                return .recorded(hasCounterRegression: hasRegression)
            }
        }
    }
}

// MARK: - Import

extension PasskeyStore {
    /// Stores credentials of another installation. Until identity lists them they are unlisted, as of now.
    /// - Returns: those that another account of the project has, or that have another public key.
    func insert(
        _ credentials: [PasskeyCredential], at now: Moment
    ) async throws -> Set<PasskeyCredentialKey> {
        try await database.write { transaction in
            var refused: Set<PasskeyCredentialKey> = []
            for credential in credentials {
                if let stored = try transaction.credential(credential.id, in: credential.realm.project) {
                    guard stored.key == credential.key, stored.publicKey == credential.publicKey else {
                        refused.insert(credential.key)
                        continue
                    }
                    // The day that it may stay unlisted begins anew.
                    try transaction.execute(CredentialTable.listing, credential.key.record + [.unlistedSince: now])
                } else {
                    try transaction.execute(CredentialTable.insertion, credential.record + [.unlistedSince: now])
                    guard transaction.changes == 1 else { throw SQLError.transactionAborted }
                }
            }
            return refused
        }
    }
}

// MARK: - Deleted accounts

extension PasskeyStore {
    /// Deletes the credentials and ceremonies of deleted accounts that are not newer than the deletion.
    func forget(_ accounts: [DeletedAccount], in realm: Realm) async throws {
        try await database.write { transaction in
            for account in accounts {
                try transaction.execute(
                    CredentialTable.removalOfAccount, SQLRecord(realm) + [.accountID: account.id], account.deletedAt)
                try transaction.execute(
                    CeremonyTable.removalOfAccount, SQLRecord(realm) + [.accountID: account.id], account.deletedAt)
            }
        }
    }
}

extension SQLTransaction {
    fileprivate borrowing func ceremony(_ digest: [UInt8]) throws -> Ceremony? {
        try firstRow(CeremonyTable.byKey, [.challengeDigest: digest]).map { try Ceremony($0) }
    }

    fileprivate borrowing func credential(_ id: CredentialID, in project: ProjectID) throws -> PasskeyCredential? {
        try firstRow(CredentialTable.byKey, [.project: project, .credentialID: id]).map { try PasskeyCredential($0) }
    }

    /// - Returns: false when the ceremony was redeemed before.
    fileprivate borrowing func redeem(_ ceremony: Ceremony) throws -> Bool {
        try execute(CeremonyTable.removalOfOpen, [.challengeDigest: ceremony.challengeDigest])
        return changes == 1
    }

    fileprivate borrowing func delete(_ credential: PasskeyCredential) throws {
        try execute(CredentialTable.removal, credential.key.record, credential.createdAt)
    }
}
