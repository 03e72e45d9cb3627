import Contracts
import SQL
import Vocabulary

/// The action codes, by hash. They are deleted with their account.
enum ActionCodeTable: String, AccountKeyTable, TenantDataTable {
    /// Numbers the codes in the order in which they were issued.
    case sequence
    case project, tenant, purpose, email
    case codeHash = "code_hash"
    /// Null for a code that is bound to an address only.
    case accountID = "account_id"
    case emailFolded = "email_folded"
    case newEmail = "new_email"
    /// Null for a code that stands in a link.
    case digitsDigest = "digits_digest"
    /// Wrong digits.
    case failures
    case factorID = "factor_id"
    /// Base64url.
    case credentialID = "credential_id"
    case createdAt = "created_at"
    case expiresAt = "expires_at"
    /// In dev mode only: the link; for digits the JSON of `ReadableEmailCode`.
    case sealedLink = "sealed_link"

    static let table = "action_codes"
    static let key = [sequence]
    static let expiry = SQLExpiry.after(Self.expiresAt, lifetime: ActionCode.memory)

    static let insertion = insert(omitting: [sequence])
    static let byCode = select(where: [codeHash, project, tenant])
    static let sequenceOfCode = select([sequence], where: [codeHash])
    static let ofAccount = select(where: [project, tenant, accountID, purpose])
    /// The arguments are the time and the number of codes. The last ones come first.
    static let withLinks = readable("digits_digest IS NULL")
    /// The same for digits.
    static let withDigits = readable("digits_digest IS NOT NULL")
    static let evaluation = update([failures])
    static let removal = delete()
    static let removalOfCode = delete(where: [codeHash])
    static let removalOfAccount = delete(where: [project, tenant, accountID, purpose])
    /// Deletes the codes of an address that belong to no account.
    static let removalOfUnowned = delete(where: [project, tenant, purpose, emailFolded], "AND account_id IS NULL")
    /// Deletes the former codes of the same purpose, address, factor and passkey.
    static let removalOfFormer = delete(
        where: [project, tenant, purpose, emailFolded],
        "AND COALESCE(factor_id, '') = :factor_id AND COALESCE(credential_id, '') = :credential_id")
    static let deletionOfRealm = deleteInRealm()

    private static func readable(_ condition: String) -> SQLStatement<Self> {
        select(
            where: [project, tenant],
            "AND expires_at > $1 AND sealed_link IS NOT NULL AND \(condition) ORDER BY sequence DESC LIMIT $2")
    }
}

/// Counts of e-mails against the quotas of addresses, client networks and projects.
enum SendingQuotaTable: String, TenantDataTable {
    case sequence, project, tenant, count
    case subjectDigest = "subject_digest"
    case windowBeganAt = "window_began_at"

    static let table = "sending_quotas"
    static let key = [sequence]
    static let expiry = SQLExpiry.after(Self.windowBeganAt, lifetime: EmailQuota.projectWindow)

    static let replacement = insert(
        omitting: [sequence],
        """
        ON CONFLICT (project, tenant, subject_digest) DO UPDATE SET
            count = excluded.count, window_began_at = excluded.window_began_at
        """)
    static let ofSubject = select([count, windowBeganAt], where: [project, tenant, subjectDigest])
    static let deletionOfRealm = deleteInRealm()
}

// MARK: - Records and rows

extension ActionCode {
    /// The columns besides those of the code, its account and its link.
    var columns: SQLRecord<ActionCodeTable> {
        SQLRecord(realm) + [
            .purpose: purpose.rawValue, .email: email.rawValue, .emailFolded: email.folded,
            .newEmail: newEmail?.rawValue, .factorID: factorID, .digitsDigest: digits?.digest,
            .failures: digits?.failures ?? 0,
            .credentialID: credentialID?.description, .createdAt: createdAt, .expiresAt: expiresAt,
        ]
    }

    /// - Throws: `invalidActionCode` for a purpose or an address that this version does not know.
    init(_ row: SQLTableRow<ActionCodeTable>) throws {
        guard let purpose = Purpose(rawValue: try row.get(.purpose)), let email = EmailAddress(try row.get(.email))
        else { throw ServiceError(.invalidActionCode) }
        self.init(
            purpose, in: try row.realm(), accountID: try row.getIfPresent(.accountID), email: email,
            newEmail: try row.getIfPresent(.newEmail).flatMap(EmailAddress.init),
            factorID: try row.getIfPresent(.factorID),
            credentialID: try row.getIfPresent(.credentialID).flatMap(Base64URL.decode).flatMap(CredentialID.init),
            digits: try row.getIfPresent(.digitsDigest).map { (digest: [UInt8]) in
                EmailCode(digest: digest, failures: try row.get(.failures))
            },
            at: try row.get(.createdAt))
        expiresAt = try row.get(.expiresAt)
    }
}

extension EmailQuota {
    init(_ row: SQLTableRow<SendingQuotaTable>) throws {
        self.init(count: try row.get(.count), windowBeganAt: try row.get(.windowBeganAt))
    }
}
