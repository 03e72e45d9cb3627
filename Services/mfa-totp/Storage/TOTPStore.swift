import Contracts
import Crypto
package import DatabaseService
package import MasterKey
package import SQL
import Vocabulary

/// The database of mfa-totp. One method is one transaction.
package final class TOTPStore: ServiceStore {
    package static let tables = TOTPTables.all
    package static let migrations = TOTPMigrations.all
    package let serviceDatabase: ServiceDatabase
    var database: any SQLDatabase { serviceDatabase.database }
    private var sealingKeys: SealingKeys { serviceDatabase.sealingKeys }
    private let digestKey: [UInt8]
    /// The factors, compared with what identity lists.
    let listing: ListedRecords<TOTPFactorKey>

    private static let enrollmentSecret = SealedColumn(EnrollmentTable.sealedSecret)
    static let factorSecret = SealedColumn(FactorTable.sealedSecret)
    static let sealedColumns = [enrollmentSecret, factorSecret]

    /// Open enrollments of one account. Another one replaces the oldest.
    static let maximumOpenEnrollments = 5

    /// Opens the store and migrates its tables.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when the database was sealed under
    ///   other keys: to continue would lose every factor.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        serviceDatabase = try await ServiceDatabase(
            database, of: .mfaTOTP, Self.migrations, keys: keys, sealing: Self.sealedColumns)
        listing = ListedRecords(database)
        digestKey = try await serviceDatabase.secrets { load in try load("digests") }
    }

    private func digest(_ session: TOTPSession) -> [UInt8] { HMAC.sha256(key: digestKey, message: session.secret) }

    /// Distinguishes the repetition of a request from another request.
    /// - Parameter request: without the client that sends it.
    func digest(ofRequest request: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: digestKey, message: Array("request/".utf8) + request)
    }

    /// The idempotency key under which identity lists the factor of an enrollment: 32 hexadecimal digits.
    func operationKey(_ enrollment: TOTPEnrollment, _ request: [UInt8]) -> String {
        let input = Array("operation/\(enrollment.factorID.rawValue)/".utf8) + request
        return HMAC.sha256(key: digestKey, message: input).prefix(16).hexadecimal
    }
}

// MARK: - Enrollments

extension TOTPStore {
    /// Stores an enrollment with its secret.
    func insert(_ enrollment: TOTPEnrollment, _ session: TOTPSession, secret: [UInt8]) async throws {
        let digest = digest(session)
        try await database.write { transaction in
            // Repeated starts of one account do not fill the table.
            let open = try transaction.rows(EnrollmentTable.openByAge, SQLRecord(enrollment.owner))
            for row in open.dropFirst(Self.maximumOpenEnrollments - 1) {
                let key = TOTPFactorKey(owner: enrollment.owner, id: try row.get(.factorID))
                try transaction.execute(EnrollmentTable.removal, SQLRecord(key))
            }
            try transaction.execute(
                EnrollmentTable.insertion,
                SQLRecord(enrollment.key) + enrollment.verification + [
                    .sessionDigest: digest, .createdAt: enrollment.createdAt,
                    .sealedSecret: try self.seal(secret, Self.enrollmentSecret, enrollment.key),
                ])
        }
    }

    /// The enrollment of a session; nil for a session of another account, too.
    func enrollment(_ session: TOTPSession, of owner: TOTPAccountKey) async throws -> TOTPEnrollment? {
        let digest = digest(session)
        return try await database.read { transaction in
            try transaction.firstRow(EnrollmentTable.bySession, SQLRecord(owner) + [.sessionDigest: digest])
                .map { try TOTPEnrollment($0) }
        }
    }

    /// Verifies a code. The factor is stored with the used step if the code is right.
    /// - Parameter known: as it was read before; the stored enrollment is authoritative.
    func verify(
        _ attempt: TOTPEnrollment.Attempt, of known: TOTPEnrollment, at now: Moment
    ) async throws -> TOTPEnrollment.VerificationResult {
        try await database.write { transaction in
            let key = known.key
            guard let row = try transaction.firstRow(EnrollmentTable.byKey, SQLRecord(key)) else {
                return .refused(ServiceError(.invalidVerificationSession))
            }
            var enrollment = try TOTPEnrollment(row)
            let sealed: [UInt8]? = try row.getIfPresent(.sealedSecret)
            // Once verified, the factor has the secret.
            let factor = try transaction.firstRow(FactorTable.byKey, SQLRecord(key))
            let secret =
                try sealed.map { try self.open($0, Self.enrollmentSecret, key) }
                ?? factor.map { try self.open($0.get(.sealedSecret), Self.factorSecret, key) }
            let former = try factor.map { try TOTPFactor($0) }
            let result = enrollment.verify(attempt, secret: secret ?? [], lastStep: former?.lastStep, at: now)
            // The first statement that writes: the second of two concurrent requests waits here and then retries.
            try transaction.execute(EnrollmentTable.verification, SQLRecord(key) + enrollment.verification)
            if let secret, case .verified(let step) = result {
                if let former {
                    var next = former
                    (next.lastStep, next.acceptedAt) = (step, now)
                    try transaction.save(next, key, after: former.lastStep)
                } else {
                    try transaction.execute(
                        FactorTable.insertion,
                        SQLRecord(key) + TOTPFactor(lastStep: step, acceptedAt: now).verification + [
                            .sealedSecret: try self.seal(secret, Self.factorSecret, key), .unlistedSince: nil,
                        ])
                }
                try transaction.execute(EnrollmentTable.secretRemoval, SQLRecord(key) + [.sealedSecret: nil])
            }
            return result
        }
    }

    /// Records that identity lists the factor.
    func markFinished(_ enrollment: TOTPEnrollment) async throws {
        try await database.write { transaction in
            try transaction.execute(
                EnrollmentTable.finish, SQLRecord(enrollment.key) + [.state: TOTPEnrollment.State.finished])
        }
    }

    /// Lets another request take over an enrollment that identity did not list.
    func release(_ enrollment: TOTPEnrollment, verifiedBy request: [UInt8], at now: Moment) async throws {
        try await database.write { transaction in
            try transaction.execute(
                EnrollmentTable.release, SQLRecord(enrollment.key) + [.requestDigest: request, .leasedUntil: now])
        }
    }
}

// MARK: - Factors

extension TOTPStore {
    /// Stores factors of another system. Until identity lists them they are unlisted, as of now.
    /// - Parameter replacesSecrets: whether a listed factor gets another secret; an unlisted one always does.
    /// - Returns: the positions of the listed factors that kept another secret.
    func insert(
        _ factors: [MFATOTP.ImportedFactor], in realm: Realm, replacesSecrets: Bool, at now: Moment
    ) async throws -> [Int] {
        try await database.write { transaction in
            var kept: [Int] = []
            for (index, factor) in factors.enumerated() {
                let key = TOTPFactorKey(
                    owner: TOTPAccountKey(realm: realm, accountID: factor.accountID), id: factor.factorID)
                let secret = factor.secret.reveal().bytes
                let row = try transaction.firstRow(FactorTable.byKey, SQLRecord(key))
                let isListed = try row.map { try $0.getIfPresent(.unlistedSince) as Moment? == nil } ?? false
                if let row, try constantTimeEquals(self.open(row.get(.sealedSecret), Self.factorSecret, key), secret) {
                    // The day that it may stay unlisted begins anew.
                    if !isListed {
                        try transaction.execute(FactorTable.listing, SQLRecord(key) + [.unlistedSince: now])
                    }
                    continue
                }
                guard !isListed || replacesSecrets else {
                    kept.append(index)
                    continue
                }
                try transaction.execute(
                    row == nil ? FactorTable.insertion : FactorTable.replacement,
                    SQLRecord(key) + TOTPFactor.unused.verification + [
                        .sealedSecret: try self.seal(secret, Self.factorSecret, key),
                        .unlistedSince: isListed ? nil : now,
                    ])
            }
            return kept
        }
    }

    /// The factors that verify no code now.
    func blocks(of keys: [TOTPFactorKey], at now: Moment) async throws -> [CodeBlock] {
        try await database.read { transaction in
            try keys.compactMap { key in
                let factor = try transaction.firstRow(FactorTable.byKey, SQLRecord(key)).map { try TOTPFactor($0) }
                switch factor?.block(at: now) {
                case .forGood: return CodeBlock(factorID: key.id, until: nil)
                case .until(let end): return CodeBlock(factorID: key.id, until: end)
                case nil: return nil
                }
            }
        }
    }

    /// Verifies a code, and stores the result in the same transaction.
    /// - Returns: the result, and how far the clock is behind the last accepted code; nil for an unknown factor.
    func verify(
        _ code: TOTPCode?, of key: TOTPFactorKey, window: Int, at now: Moment
    ) async throws -> (result: TOTPFactor.VerificationResult, clockSkew: Duration)? {
        try await database.write { transaction in
            guard let row = try transaction.firstRow(FactorTable.byKey, SQLRecord(key)) else { return nil }
            var factor = try TOTPFactor(row)
            let secret = try self.open(row.get(.sealedSecret), Self.factorSecret, key)
            let before = factor
            let result = factor.verify(code, secret: secret, window: window, at: now)
            if factor != before { try transaction.save(factor, key, after: before.lastStep) }
            return (result, before.clockSkew(at: now))
        }
    }
}

// MARK: - Deleted accounts

extension TOTPStore {
    /// Deletes the factors and enrollments of deleted accounts that are not newer than the deletion.
    func forget(_ accounts: [DeletedAccount], in realm: Realm) async throws {
        try await database.write { transaction in
            for account in accounts {
                let owner = TOTPAccountKey(realm: realm, accountID: account.id)
                try transaction.execute(FactorTable.removalOfAccount, SQLRecord(owner), account.deletedAt)
                try transaction.execute(EnrollmentTable.removalOfAccount, SQLRecord(owner), account.deletedAt)
            }
        }
    }
}

extension SQLTransaction {
    /// - Parameter step: the last accepted step when the factor was read. No other transaction has changed it since.
    fileprivate func save(_ factor: TOTPFactor, _ key: TOTPFactorKey, after step: Int64) throws(SQLError) {
        try execute(FactorTable.verification, SQLRecord(key) + factor.verification, step)
        guard changes == 1 else { throw .transactionAborted }
    }
}

// MARK: - Secrets

extension TOTPStore {
    /// Only in the body of a transaction: it may read the master-key file.
    func seal(_ secret: [UInt8], _ column: SealedColumn, _ key: TOTPFactorKey) throws -> [UInt8] {
        try sealingKeys.seal(secret, binding: column.binding(SQLRecord<FactorTable>(key)))
    }

    /// As `seal`.
    private func open(_ sealed: [UInt8], _ column: SealedColumn, _ key: TOTPFactorKey) throws -> [UInt8] {
        try sealingKeys.open(sealed, binding: column.binding(SQLRecord<FactorTable>(key)))
    }
}
