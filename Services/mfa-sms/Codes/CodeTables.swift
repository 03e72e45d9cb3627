import Contracts
import PhoneNumbers
import SQL
import Vocabulary

/// The sessions of codes that were sent. A session without account or factor has the empty id.
enum VerificationSessionTable: String, SQLRealmTable {
    case project, tenant, purpose, failures
    case sessionDigest = "session_digest"
    case numberDigest = "number_digest"
    case sealedNumber = "sealed_number"
    case accountID = "account_id"
    case factorID = "factor_id"
    case isTest = "is_test"
    case codeDigest = "code_digest"
    /// Null in production.
    case sealedDevCode = "sealed_dev_code"
    case createdAt = "created_at"
    case expiresAt = "expires_at"
    /// Null until the right code came.
    case proofDigest = "proof_digest"
    case leasedUntil = "leased_until"

    static let table = "verification_sessions"
    static let key = [sessionDigest]
    /// A session stays longer than its code is valid, so that it is called expired.
    static let expiry = SQLExpiry.after(Self.expiresAt, lifetime: .seconds(3600))

    static let insertion = insert()
    static let ofProject = select(where: [sessionDigest, project])
    static let verification = update([failures, proofDigest, leasedUntil])
    /// The argument: the end of the lease that is released.
    static let release = update([leasedUntil], "AND leased_until = $1")
    static let removal = delete()
    static let removalOfFormer = delete(where: [project, tenant, numberDigest, purpose, accountID])
    /// The argument is the time of the deletion of the account.
    static let removalOfAccount = delete(where: [project, tenant, accountID], "AND created_at <= $1")
    static let readable = select(
        where: [project, tenant],
        """
        AND created_at > $1 AND sealed_dev_code IS NOT NULL ORDER BY created_at DESC, session_digest LIMIT $2
        """)
}

/// Wrong codes in a row of a number or an account.
enum FailedCodeTable: String, SQLRealmTable {
    case project, tenant, failures
    case scopeDigest = "scope_digest"
    case lockedUntil = "locked_until"
    case failedAt = "failed_at"

    static let table = "failed_guesses"
    static let key = [project, tenant, scopeDigest]
    static let expiry = SQLExpiry.after(Self.failedAt, lifetime: FailedCodeAttempts.memory)

    static let byKey = select([failures, lockedUntil])
    static let saving = upsert()
    static let removal = delete()
}

// MARK: - Records and rows

extension CountedSend.Purpose: SQLConvertible {}

extension VerificationSession {
    /// The columns that a verification changes.
    var verification: SQLRecord<VerificationSessionTable> {
        [.failures: failures, .proofDigest: proof?.request, .leasedUntil: proof?.leasedUntil]
    }

    /// The columns without the sealed ones.
    func record(numberDigest: [UInt8]) -> SQLRecord<VerificationSessionTable> {
        SQLRecord(realm) + verification + [
            .sessionDigest: id, .purpose: purpose, .numberDigest: numberDigest,
            .accountID: accountID?.rawValue ?? "", .factorID: factorID?.rawValue ?? "", .isTest: isTest,
            .codeDigest: codeDigest, .createdAt: createdAt, .expiresAt: expiresAt,
        ]
    }

    init(_ row: SQLTableRow<VerificationSessionTable>, number: ParsedPhoneNumber) throws {
        let account: AccountID = try row.get(.accountID)
        let factor: FactorID = try row.get(.factorID)
        let proof: [UInt8]? = try row.getIfPresent(.proofDigest)
        let leasedUntil: Moment? = try row.getIfPresent(.leasedUntil)
        self.init(
            id: try row.get(.sessionDigest), realm: try row.realm(), purpose: try row.get(.purpose), number: number,
            accountID: account.rawValue.isEmpty ? nil : account, factorID: factor.rawValue.isEmpty ? nil : factor,
            isTest: try row.get(.isTest), codeDigest: try row.get(.codeDigest), createdAt: try row.get(.createdAt),
            failures: try row.get(.failures),
            proof: proof.map { .init(request: $0, leasedUntil: leasedUntil ?? Moment(milliseconds: 0)) })
    }
}

extension FailedCodeAttempts {
    init(_ row: SQLTableRow<FailedCodeTable>) throws {
        self.init(count: try row.get(.failures), lockedUntil: try row.getIfPresent(.lockedUntil))
    }
}
