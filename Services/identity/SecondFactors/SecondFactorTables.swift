import Contracts
import JSON
import SQL
import Vocabulary

/// The second factors of accounts, without their secrets. They are deleted with their account.
enum SecondFactorTable: String, AccountKeyTable {
    case project, tenant, kind
    case accountID = "account_id"
    case factorID = "factor_id"
    /// Null for TOTP.
    case phoneNumber = "phone_number"
    case displayName = "display_name"
    case enrolledAt = "enrolled_at"

    static let table = "second_factors"
    static let key = [project, tenant, accountID, factorID]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let ofAccount = select(
        [factorID, kind, phoneNumber, displayName, enrolledAt], where: [project, tenant, accountID],
        "ORDER BY enrolled_at, factor_id")
    static let removalOfAccount = delete(where: [project, tenant, accountID])
}

/// Sign-ins that wait for a second factor.
enum PendingSignInTable: String, AccountKeyTable {
    case project, tenant
    case accountID = "account_id"
    case credentialHash = "credential_hash"
    /// JSON of the authentication context.
    case authentication = "facts"
    case createdAt = "created_at"
    /// JSON; null unless a provider was the first factor.
    case identity = "provider_identity"

    static let table = "pending_sign_ins"
    static let key = [credentialHash]
    static let expiry = SQLExpiry.after(Self.createdAt, lifetime: PendingSignIn.lifetime)

    static let insertion = insert()
    static let byCredential = select(where: [credentialHash, project])
    static let removal = delete()
    static let removalOfAccount = delete(where: [project, tenant, accountID])
}

/// The recovery codes of accounts. A used code keeps its row.
enum RecoveryCodeTable: String, AccountKeyTable {
    case project, tenant
    case accountID = "account_id"
    case codeDigest = "code_digest"
    case createdAt = "created_at"
    /// Null until the code is redeemed.
    case usedAt = "used_at"

    static let table = "recovery_codes"
    static let key = [project, tenant, accountID, codeDigest]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let redemption = update([usedAt], "AND used_at IS NULL")
    static let removalOfAccount = delete(where: [project, tenant, accountID])
    static let count = SQLStatement<Self>(
        """
        SELECT COUNT(*) AS made, COUNT(used_at) AS used FROM recovery_codes
        WHERE project = :project AND tenant = :tenant AND account_id = :account_id
        """)
}

/// Failed attempts at recovery codes, by account.
enum RecoveryAttemptTable: String, AccountKeyTable {
    case project, tenant, failures
    case accountID = "account_id"
    case failuresInWindow = "failures_in_window"
    case windowBeganAt = "window_began_at"

    static let table = "recovery_attempts"
    static let key = [project, tenant, accountID]
    static let expiry = SQLExpiry.after(Self.windowBeganAt, lifetime: RecoveryAttempts.memory)

    static let replacement = upsert()
    static let byKey = select()
    static let removal = delete()
}

// MARK: - Records and rows

extension SecondFactor.Method: SQLConvertible {}

extension SecondFactor {
    /// The columns besides those of the account.
    var columns: SQLRecord<SecondFactorTable> {
        let phoneNumber: PhoneNumber? =
            switch kind {
            case .phone(let number): number
            case .totp: nil
            }
        return [
            .factorID: id, .kind: kind.method, .phoneNumber: phoneNumber?.rawValue, .displayName: displayName,
            .enrolledAt: enrolledAt,
        ]
    }

    /// - Throws: `SQLError.columnTypeMismatch`, also for an unknown kind and for a phone factor without a valid number.
    init(_ row: SQLTableRow<SecondFactorTable>) throws {
        let kind: Kind
        switch try row.get(.kind) as Method {
        case .phone:
            guard let number = PhoneNumber(try row.get(.phoneNumber)) else {
                throw SQLError.columnTypeMismatch(
                    name: SecondFactorTable.phoneNumber.rawValue, expected: "a phone number", found: "other text")
            }
            kind = .phone(number)
        case .totp: kind = .totp
        }
        self.init(
            id: try row.get(.factorID), kind: kind, displayName: try row.getIfPresent(.displayName),
            enrolledAt: try row.get(.enrolledAt))
    }
}

extension PendingSignIn {
    var columns: SQLRecord<PendingSignInTable> {
        get throws {
            SQLRecord(accountID, in: realm) + [
                .credentialHash: credentialHash,
                .authentication: try WireJSON.text(authentication),
                .createdAt: createdAt,
                .identity: try identity.map(WireJSON.text),
            ]
        }
    }

    init(_ row: SQLTableRow<PendingSignInTable>) throws {
        self.init(
            credentialHash: try row.get(.credentialHash), realm: try row.realm(), accountID: try row.get(.accountID),
            authentication: try row.getJSON(.authentication),
            identity: try row.getJSONIfPresent(.identity), createdAt: try row.get(.createdAt))
    }
}

extension RecoveryAttempts {
    /// The columns besides those of the account.
    var columns: SQLRecord<RecoveryAttemptTable> {
        [.failures: failures, .failuresInWindow: failuresInWindow, .windowBeganAt: windowBeganAt]
    }

    init(_ row: SQLTableRow<RecoveryAttemptTable>) throws {
        self.init(
            failures: try row.get(.failures), failuresInWindow: try row.get(.failuresInWindow),
            windowBeganAt: try row.get(.windowBeganAt))
    }
}
