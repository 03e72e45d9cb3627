import DatabaseService
import SQL
import Vocabulary

/// The tables of mfa-totp.
enum TOTPTables {
    static let all: [any SQLTableDescription.Type] = [EnrollmentTable.self, FactorTable.self]
}

/// Enrollments that are not finished, and for some time finished ones.
enum EnrollmentTable: String, TOTPKeyTable {
    case project, tenant, state
    case failedAttempts = "tries"
    case accountID = "account_id"
    case factorID = "factor_id"
    case sessionDigest = "session_digest"
    case createdAt = "created_at"
    /// Null once the factor has the secret.
    case sealedSecret = "sealed_secret"
    /// Null until a right code came.
    case requestDigest = "request_digest"
    case leasedUntil = "leased_until"

    static let table = "enrollments"
    /// The row outlives the enrollment, so that the error is "expired" or "already finished" instead of "unknown".
    static let expiry = SQLExpiry.after(Self.createdAt, lifetime: .seconds(3600))

    static let insertion = insert()
    static let byKey = select()
    static let bySession = select(where: [sessionDigest, project, tenant, accountID])
    static let openByAge = select(
        [factorID], where: [project, tenant, accountID],
        "AND state = 'open' ORDER BY created_at DESC, factor_id LIMIT 100")
    static let verification = update([failedAttempts, state, requestDigest, leasedUntil])
    static let secretRemoval = update([sealedSecret])
    static let finish = update([state])
    static let release = update([leasedUntil], where: key + [requestDigest])
    static let removal = delete()
    /// The argument is the time of the deletion of the account.
    static let removalOfAccount = delete(where: [project, tenant, accountID], "AND created_at <= $1")
}

/// The verified factors with their secrets.
enum FactorTable: String, TOTPKeyTable, ListedTable {
    case project, tenant
    case accountID = "account_id"
    case factorID = "factor_id"
    case sealedSecret = "sealed_secret"
    case lastStep = "last_step"
    case acceptedAt = "accepted_at"
    /// Milliseconds, separated by spaces.
    case failureTimes = "failure_times"
    case consecutiveFailures = "failures_in_a_row"
    /// Null while identity lists the factor.
    case unlistedSince = "unlisted_since"

    static let table = "factors"
    static let expiry = SQLExpiry<Self>.deletedBy("Reconciliation")
    static let listed = key

    static let insertion = insert()
    static let byKey = select()
    /// The argument is the step that was read.
    static let verification = update([lastStep, acceptedAt, failureTimes, consecutiveFailures], "AND last_step = $1")
    /// With another secret everything begins anew.
    static let replacement = update([
        sealedSecret, lastStep, acceptedAt, failureTimes, consecutiveFailures, unlistedSince,
    ])
    static let listing = update([unlistedSince], "AND unlisted_since IS NOT NULL")
    static let removal = delete()
    /// The argument is the time of the deletion of the account. Its factors accepted no code since.
    static let removalOfAccount = delete(where: [project, tenant, accountID], "AND accepted_at <= $1")
}

/// Both tables have the same key. A secret is bound to it (security rule TO5).
protocol TOTPKeyTable: SQLRealmTable {
    static var accountID: Self { get }
    static var factorID: Self { get }
}

extension TOTPKeyTable {
    static var key: [Self] { [project, tenant, accountID, factorID] }
}

extension SQLRecord where Table: TOTPKeyTable {
    init(_ owner: TOTPAccountKey) {
        self = SQLRecord(owner.realm) + [.accountID: owner.accountID]
    }

    init(_ key: TOTPFactorKey) {
        self = SQLRecord(key.owner) + [.factorID: key.id]
    }
}

extension TOTPFactorKey: ListedKey {
    var realm: Realm { owner.realm }
    var record: SQLRecord<FactorTable> { SQLRecord(self) }

    init(_ row: SQLTableRow<FactorTable>) throws(SQLError) { self = try row.factorKey() }
}

extension SQLTableRow where Table: TOTPKeyTable {
    func factorKey() throws(SQLError) -> TOTPFactorKey {
        TOTPFactorKey(
            owner: TOTPAccountKey(realm: try realm(), accountID: try get(.accountID)), id: try get(.factorID))
    }
}

// MARK: - Records and rows

extension TOTPEnrollment.State: SQLConvertible {}

extension TOTPEnrollment {
    var key: TOTPFactorKey { TOTPFactorKey(owner: owner, id: factorID) }

    /// The columns that a verification changes.
    var verification: SQLRecord<EnrollmentTable> {
        [
            .failedAttempts: failedAttempts, .state: state, .requestDigest: proof?.request,
            .leasedUntil: proof?.leasedUntil,
        ]
    }

    init(_ row: SQLTableRow<EnrollmentTable>) throws {
        let key = try row.factorKey()
        self.init(
            owner: key.owner, factorID: key.id, createdAt: try row.get(.createdAt),
            failedAttempts: try row.get(.failedAttempts), state: try row.get(.state))
        if let request: [UInt8] = try row.getIfPresent(.requestDigest) {
            proof = Proof(
                request: request, leasedUntil: try row.getIfPresent(.leasedUntil) ?? Moment(milliseconds: 0))
        }
    }
}

extension TOTPFactor {
    /// The columns that a verification changes.
    var verification: SQLRecord<FactorTable> {
        [
            .lastStep: lastStep, .acceptedAt: acceptedAt,
            .failureTimes: failureTimes.map { String($0.milliseconds) }.joined(separator: " "),
            .consecutiveFailures: consecutiveFailures,
        ]
    }

    init(_ row: SQLTableRow<FactorTable>) throws {
        let times: String = try row.get(.failureTimes)
        self.init(
            lastStep: try row.get(.lastStep), acceptedAt: try row.get(.acceptedAt),
            failureTimes: try times.pieces(at: " ").filter({ !$0.isEmpty }).map { text in
                guard let milliseconds = Int64(text) else { throw RowDecodingError() }
                return Moment(milliseconds: milliseconds)
            }, consecutiveFailures: try row.get(.consecutiveFailures))
    }
}

/// A row has malformed values.
struct RowDecodingError: Error {}
