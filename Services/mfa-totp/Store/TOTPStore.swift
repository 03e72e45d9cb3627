import Contracts
import Crypto
package import MasterKey
package import SQL
import Storage
import Vocabulary

/// What mfa-totp keeps, in its own database. One method is one transaction.
package struct TOTPStore: Sendable {
    private let database: any SQLDatabase
    /// Seals the secrets: a copy of the database makes no codes.
    private let sealingKeys: SealingKeys
    /// What is sealed, to be kept under the current master key.
    package let sealedRecords: SealedRecords
    private let digestKey: [UInt8]
    private let sweeper: Sweeper

    /// Realm, account and factor: a secret that was moved to another of these does not open (security rule TO5).
    private static let key = ["project", "tenant", "account_id", "factor_id"]
    private static let enrollmentSecret = SealedColumn("sealed_secret", of: "enrollments", key: key)
    private static let factorSecret = SealedColumn("sealed_secret", of: "factors", key: key)
    static let sealedColumns = [enrollmentSecret, factorSecret]

    /// Enrolments are remembered so much longer than they can be finished, to be called expired or finished.
    private static let enrollmentHistory = Duration.seconds(3600)
    /// Open enrolments of one account; of more the oldest ends.
    static let maximumOpenEnrollments = 5
    /// A factor that identity has not listed for so long is gone. Until then identity may get an older backup, and then
    /// a newer one.
    static let unlistedRetention = Duration.seconds(86_400)

    /// Opens the store and brings its tables up to date.
    /// - Throws: `MasterKeyError.unknownKey` or `CryptoError.authenticationFailed` when it was sealed under other keys:
    ///   to go on would be to lose every factor.
    package init(_ database: any SQLDatabase, keys: ReloadingMasterKeyRing) async throws {
        self.database = database
        sealingKeys = SealingKeys(keys, of: .mfaTOTP)
        sealedRecords = SealedRecords(database, keys: sealingKeys, columns: Self.sealedColumns)
        sweeper = Sweeper(
            [.init("enrollments", keys: Self.key, time: "created_at", lifetime: Self.enrollmentHistory)], in: database)
        try await database.migrate(TOTPMigrations.all)
        try await sealedRecords.declare()
        digestKey = try await database.write { [sealingKeys] transaction in
            try ServiceSecrets.loadNewest("digests", in: transaction, sealingKeys) { .random() }.bytes
        }
    }

    package func close() async {
        await database.close()
    }

    /// Removes what is past its time.
    func sweep(at now: Moment) async throws {
        try await sweeper.sweep(at: now)
    }

    private func digest(_ session: TOTPSession) -> [UInt8] { HMAC.sha256(key: digestKey, message: session.secret) }

    /// Tells the repetition of a request from another one.
    /// - Parameter request: without where it comes from.
    func digest(ofRequest request: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: digestKey, message: Array("request/".utf8) + request)
    }

    /// Under which identity lists the factor of an enrollment once: 32 hexadecimal digits.
    /// - Parameter details: what tells requests apart that have the same digest.
    func operationKey(_ enrollment: TOTPEnrollment, _ request: [UInt8], _ details: [UInt8]) -> String {
        let input = Array("operation/\(enrollment.factorID.rawValue)/".utf8) + request + details
        return HMAC.sha256(key: digestKey, message: input).prefix(16).hexadecimal
    }
}

// MARK: - Enrolments

extension TOTPStore {
    /// Stores an enrolment with its secret.
    func insert(_ enrollment: TOTPEnrollment, _ session: TOTPSession, secret: [UInt8]) async throws {
        let digest = digest(session)
        try await database.write { transaction in
            // Who begins again and again does not fill the table.
            let open = try transaction.rows(
                """
                SELECT factor_id FROM enrollments
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND state = 'open'
                ORDER BY created_at DESC, factor_id LIMIT 100
                """, parameters: enrollment.owner.values)
            for row in open.dropFirst(Self.maximumOpenEnrollments - 1) {
                try transaction.execute(
                    """
                    DELETE FROM enrollments WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                    """, parameters: enrollment.owner.values + [.text(try row.get("factor_id"))])
            }
            try transaction.execute(
                """
                INSERT INTO enrollments (project, tenant, account_id, factor_id, session_digest, created_at, tries,
                    state, sealed_secret)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """,
                parameters: enrollment.key.values + [
                    .blob(digest), .integer(enrollment.createdAt.milliseconds),
                    .integer(Int64(enrollment.failedAttempts)),
                    .text(enrollment.state.rawValue),
                    .blob(try seal(secret, Self.enrollmentSecret, enrollment.key)),
                ])
        }
    }

    /// The enrolment behind a session; nil for a session of somebody else, too.
    func enrollment(_ session: TOTPSession, of owner: TOTPAccountKey) async throws -> TOTPEnrollment? {
        let digest = digest(session)
        return try await database.read { transaction in
            try transaction.rows(
                """
                SELECT factor_id, created_at, tries, state, request_digest, leased_until FROM enrollments
                WHERE session_digest = $1 AND project = $2 AND tenant = $3 AND account_id = $4
                """, parameters: [.blob(digest)] + owner.values
            ).first.map { try TOTPEnrollment($0, of: owner) }
        }
    }

    /// Has a code judged, and stores the factor with the used step if it was right.
    /// - Parameter known: as it was read; what counts is how it stands now.
    func verify(
        _ attempt: TOTPEnrollment.Attempt, of known: TOTPEnrollment, at now: Moment
    ) async throws -> TOTPEnrollment.VerificationResult {
        try await database.write { transaction in
            guard
                let row = try transaction.rows(
                    """
                    SELECT factor_id, created_at, tries, state, request_digest, leased_until, sealed_secret
                    FROM enrollments WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                    """, parameters: known.key.values
                ).first
            else { return .refused(.unknownSession) }
            var enrollment = try TOTPEnrollment(row, of: known.owner)
            let sealed: [UInt8]? = try row.getIfPresent("sealed_secret")
            // Once proved, the factor has the secret.
            let factor = try transaction.rows(
                """
                SELECT * FROM factors WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                """, parameters: known.key.values
            ).first
            let secret =
                try sealed.map { try open($0, Self.enrollmentSecret, known.key) }
                ?? factor.map { try open($0.get("sealed_secret"), Self.factorSecret, known.key) }
            let former = try factor.map { try TOTPFactor($0) }
            let verdict = enrollment.verify(attempt, secret: secret ?? [], lastStep: former?.lastStep, at: now)
            // First of all: of two at once the second waits here, and is then judged anew.
            try transaction.save(enrollment)
            if let secret, case .verified(let step) = verdict {
                if let former {
                    var next = former
                    (next.lastStep, next.acceptedAt) = (step, now)
                    try transaction.save(next, known.key, after: former.lastStep)
                } else {
                    let factor = TOTPFactor(lastStep: step, acceptedAt: now)
                    try transaction.insert(factor, known.key, sealed: try seal(secret, Self.factorSecret, known.key))
                }
                try transaction.execute(
                    """
                    UPDATE enrollments SET sealed_secret = NULL
                    WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                    """, parameters: known.key.values)
            }
            return verdict
        }
    }

    /// Records that identity lists the factor.
    func markFinished(_ enrollment: TOTPEnrollment) async throws {
        try await database.write { transaction in
            try transaction.execute(
                """
                UPDATE enrollments SET state = $5
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                """, parameters: enrollment.key.values + [.text(TOTPEnrollment.State.finished.rawValue)])
        }
    }

    /// Lets another request take over an enrollment that identity did not list.
    func release(_ enrollment: TOTPEnrollment, provedBy request: [UInt8], at now: Moment) async throws {
        try await database.write { transaction in
            try transaction.execute(
                """
                UPDATE enrollments SET leased_until = $6
                WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4 AND request_digest = $5
                """, parameters: enrollment.key.values + [.blob(request), .integer(now.milliseconds)])
        }
    }
}

// MARK: - Factors

extension TOTPStore {
    /// Has a code judged, and stores what came of it in the same transaction.
    /// - Returns: with it, how far the clock is behind the last code that was accepted; nil for a factor that is not
    ///   here.
    func verify(
        _ code: TOTPCode?, of key: TOTPFactorKey, window: Int, at now: Moment
    ) async throws -> (verdict: TOTPFactor.VerificationResult, clockSkew: Duration)? {
        try await database.write { transaction in
            guard
                let row = try transaction.rows(
                    """
                    SELECT * FROM factors WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                    """, parameters: key.values
                ).first
            else { return nil }
            var factor = try TOTPFactor(row)
            let secret = try open(row.get("sealed_secret"), Self.factorSecret, key)
            let before = factor
            let verdict = factor.verify(code, secret: secret, window: window, at: now)
            if factor != before { try transaction.save(factor, key, after: before.lastStep) }
            return (verdict, before.clockSkew(at: now))
        }
    }

    /// Some factors, in the order of their keys.
    func factors(after last: TOTPFactorKey?, limit: Int) async throws -> [TOTPFactorKey] {
        try await database.read { transaction in
            let behind = last == nil ? "" : "WHERE (project, tenant, account_id, factor_id) > ($1, $2, $3, $4)"
            return try transaction.rows(
                """
                SELECT project, tenant, account_id, factor_id FROM factors \(behind)
                ORDER BY project, tenant, account_id, factor_id LIMIT \(limit)
                """, parameters: last?.values ?? []
            ).map { try TOTPFactorKey($0) }
        }
    }

    /// Notes which factors identity lists, and removes those that it has not listed for longer than the grace.
    /// - Returns: how many were removed.
    func recordListing(
        listed: Set<TOTPFactorKey>, unlisted: Set<TOTPFactorKey>, at now: Moment
    ) async throws -> Int {
        try await database.write { transaction in
            for key in listed {
                try transaction.execute(
                    """
                    UPDATE factors SET missing_since = NULL WHERE project = $1 AND tenant = $2 AND account_id = $3
                        AND factor_id = $4 AND missing_since IS NOT NULL
                    """, parameters: key.values)
            }
            var removed = 0
            for key in unlisted {
                try transaction.execute(
                    """
                    DELETE FROM factors WHERE project = $1 AND tenant = $2 AND account_id = $3 AND factor_id = $4
                        AND missing_since <= $5
                    """, parameters: key.values + [.integer((now + (.zero - Self.unlistedRetention)).milliseconds)])
                removed += transaction.changes
                try transaction.execute(
                    """
                    UPDATE factors SET missing_since = $5 WHERE project = $1 AND tenant = $2 AND account_id = $3
                        AND factor_id = $4 AND missing_since IS NULL
                    """, parameters: key.values + [.integer(now.milliseconds)])
            }
            return removed
        }
    }
}

// MARK: - Secrets

extension TOTPStore {
    /// In the body of a transaction: it may look at the file of the master key.
    private func seal(_ secret: [UInt8], _ column: SealedColumn, _ key: TOTPFactorKey) throws -> [UInt8] {
        try sealingKeys.seal(secret, binding: column.binding(key.values))
    }

    /// As `seal`.
    private func open(_ sealed: [UInt8], _ column: SealedColumn, _ key: TOTPFactorKey) throws -> [UInt8] {
        try sealingKeys.open(sealed, binding: column.binding(key.values))
    }
}
