import Contracts
import SQL
import Vocabulary

/// The accounts, without their links, second factors and passkeys.
///
/// Times are Unix milliseconds; `valid_since` has seconds, as in tokens.
enum AccountTable: String, AccountKeyTable, TenantDataTable {
    case project, tenant, email, disabled
    case accountID = "account_id"
    case emailFolded = "email_folded"
    case initialEmail = "initial_email"
    case initialEmailFolded = "initial_email_folded"
    case emailVerified = "email_verified"
    case emailLinkSignIn = "email_link_sign_in"
    case displayName = "display_name"
    case photoURL = "photo_url"
    case phoneNumber = "phone_number"
    case customAuthentication = "custom_authentication"
    case passwordRecord = "password_record"
    case passwordChangedAt = "password_changed_at"
    case validSince = "valid_since"
    case createdAt = "created_at"
    case lastSignInAt = "last_sign_in_at"
    case lastRefreshAt = "last_refresh_at"
    case customClaims = "custom_claims"
    case hasHadSignInMethod = "has_had_sign_in_method"
    case isEmailProven = "email_proven"
    case importedHashMilliseconds = "imported_hash_ms"
    /// Null until sessions of the account end or one of its identities is removed.
    case identitiesValidSince = "identities_valid_since"
    /// Null unless the owner has deleted the account.
    case deletionDueAt = "deletion_due_at"

    static let table = "accounts"
    static let key = [project, tenant, accountID]
    static let expiry = SQLExpiry<Self>.never

    /// All columns, and whether the account has links, factors and passkeys: most have none, and a query for none has
    /// its cost.
    static let selection = """
        SELECT \(columnNames.joined(separator: ", ")),
            CASE WHEN EXISTS (SELECT 1 FROM provider_links AS l WHERE l.project = accounts.project
                AND l.tenant = accounts.tenant AND l.account_id = accounts.account_id) THEN 1 ELSE 0 END AS has_links,
            CASE WHEN EXISTS (SELECT 1 FROM second_factors AS f WHERE f.project = accounts.project
                AND f.tenant = accounts.tenant AND f.account_id = accounts.account_id) THEN 1 ELSE 0 END AS has_factors,
            CASE WHEN EXISTS (SELECT 1 FROM passkeys AS k WHERE k.project = accounts.project
                AND k.tenant = accounts.tenant AND k.account_id = accounts.account_id) THEN 1 ELSE 0 END AS has_passkeys
        FROM accounts
        """

    static let insertion = insert()
    static let replacement = update(allCases.filter { !key.contains($0) })
    static let signIn = update([lastSignInAt, lastRefreshAt])
    static let refresh = update([lastRefreshAt])
    static let removal = delete()
    /// The first in the order of their IDs, so that `DeletedAccountTable.savingOfRealm` finds the same ones.
    static let deletionOfRealm = deleteInRealm("ORDER BY account_id")

    static let byKey = SQLStatement<Self>(
        "\(selection) WHERE project = :project AND tenant = :tenant AND account_id = :account_id")
    static let byEmail = SQLStatement<Self>(
        "\(selection) WHERE project = :project AND tenant = :tenant AND email_folded = :email_folded")
    /// The account with an identity. The arguments are the provider and its ID of the user.
    static let byIdentity = SQLStatement<Self>(
        """
        \(selection) WHERE project = :project AND tenant = :tenant AND account_id = (
            SELECT i.account_id FROM provider_links AS i WHERE i.project = :project AND i.tenant = :tenant
                AND i.provider_id = $1 AND i.provider_account_id = $2)
        """)
    /// The accounts behind the one in the record.
    static let next = SQLStatement<Self>(
        """
        \(selection) WHERE project = :project AND tenant = :tenant AND account_id > :account_id
        ORDER BY account_id LIMIT $1
        """)
    static let count = SQLStatement<Self>(
        "SELECT COUNT(*) AS count FROM accounts WHERE project = :project AND tenant = :tenant")

    /// The accounts that are deleted by the time in the record.
    static let due = SQLStatement<Self>(
        """
        SELECT project, tenant, account_id FROM accounts WHERE deletion_due_at <= :deletion_due_at
        ORDER BY deletion_due_at, project, tenant, account_id LIMIT $1
        """)

    static let slowestImportedHash = select(
        [importedHashMilliseconds], where: [project, tenant],
        "AND imported_hash_ms IS NOT NULL ORDER BY imported_hash_ms DESC LIMIT 1")
    /// The accounts behind the one in the record, each with its record of a password if that begins with the first argument
    /// and was not measured.
    static let unmeasuredHashes = SQLStatement<Self>(
        """
        SELECT project, tenant, account_id,
            CASE WHEN imported_hash_ms IS NULL AND password_record LIKE $1 THEN password_record END AS unmeasured
        FROM accounts WHERE (project, tenant, account_id) > (:project, :tenant, :account_id)
        ORDER BY project, tenant, account_id LIMIT $2
        """)
    /// Unless the record was replaced meanwhile.
    static let hashMeasurement = update([importedHashMilliseconds], where: key + [passwordRecord])

    static let idByKey = select([accountID])
    static let idByEmail = select([accountID], where: [project, tenant, emailFolded])
    static let idByInitialEmail = select([accountID], where: [project, tenant, initialEmailFolded])
    static let idByPhoneNumber = select([accountID], where: [project, tenant, phoneNumber])
}

/// The identities that accounts have at other providers. They are deleted with their account.
enum ProviderLinkTable: String, AccountKeyTable {
    case project, tenant, position, email
    case accountID = "account_id"
    case providerID = "provider_id"
    case providerAccountID = "provider_account_id"
    case emailFolded = "email_folded"
    case displayName = "display_name"
    case photoURL = "photo_url"
    /// Null for links of former versions and of imported accounts.
    case linkedAt = "linked_at"

    static let table = "provider_links"
    static let key = [project, tenant, providerID, providerAccountID]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let ofAccount = select(
        [providerID, providerAccountID, email, displayName, photoURL, linkedAt], where: [project, tenant, accountID],
        "ORDER BY position")
    static let removalOfAccount = delete(where: [project, tenant, accountID])
    static let accountIDByKey = select([accountID])
    static let accountIDsByEmail = select(
        [accountID], where: [project, tenant, emailFolded], "ORDER BY account_id LIMIT $1")
}

/// The accounts that one address has made in an hour.
enum SignUpCountTable: String, SQLTableDescription {
    case count
    case subjectDigest = "subject_digest"
    case endsAt = "ends_at"

    static let table = "sign_up_counts"
    static let key = [subjectDigest]
    static let expiry = SQLExpiry.at(Self.endsAt)

    static let increment = SQLStatement<Self>(
        """
        INSERT INTO sign_up_counts (subject_digest, count, ends_at) VALUES (:subject_digest, 1, :ends_at)
        ON CONFLICT (subject_digest) DO UPDATE SET count = sign_up_counts.count + 1
        RETURNING count
        """)
}

/// A table whose rows belong to an account.
protocol AccountKeyTable: SQLRealmTable {
    static var accountID: Self { get }
}

extension SQLRecord where Table: AccountKeyTable {
    /// The columns `project`, `tenant` and `account_id`.
    init(_ id: AccountID, in realm: Realm) {
        self = SQLRecord(realm) + [.accountID: id]
    }
}

// MARK: - Records and rows

extension StoredAccount {
    var columns: SQLRecord<AccountTable> {
        SQLRecord(account.id, in: account.realm) + [
            .email: account.email?.rawValue, .emailFolded: account.email?.folded,
            .initialEmail: account.initialEmail?.rawValue, .initialEmailFolded: account.initialEmail?.folded,
            .emailVerified: account.emailVerified, .emailLinkSignIn: account.emailLinkSignIn,
            .displayName: account.displayName, .photoURL: account.photoURL,
            .phoneNumber: account.phoneNumber?.rawValue, .disabled: account.disabled,
            .customAuthentication: account.customAuthentication, .passwordRecord: passwordRecord,
            .passwordChangedAt: account.passwordChangedAt, .validSince: account.validSince,
            .createdAt: account.createdAt, .lastSignInAt: account.lastSignInAt,
            .lastRefreshAt: account.lastRefreshAt, .customClaims: account.customClaims,
            .hasHadSignInMethod: hasHadSignInMethod, .isEmailProven: isEmailProven,
            .importedHashMilliseconds: importedHashMilliseconds,
            .identitiesValidSince: identitiesValidSince, .deletionDueAt: account.deletionDueAt,
        ]
    }

    init(
        _ row: SQLTableRow<AccountTable>, id: AccountID, in realm: Realm, providers: [ProviderLink],
        linkTimes: [String: Moment] = [:], secondFactors: [SecondFactor], passkeys: [AccountPasskey]
    ) throws {
        self.init(
            account: Account(
                id: id, realm: realm, email: try row.getIfPresent(.email).flatMap(EmailAddress.init),
                initialEmail: try row.getIfPresent(.initialEmail).flatMap(EmailAddress.init),
                emailVerified: try row.get(.emailVerified), emailLinkSignIn: try row.get(.emailLinkSignIn),
                displayName: try row.getIfPresent(.displayName), photoURL: try row.getIfPresent(.photoURL),
                phoneNumber: try row.getIfPresent(.phoneNumber).flatMap(PhoneNumber.init),
                disabled: try row.get(.disabled), customAuthentication: try row.get(.customAuthentication),
                passwordChangedAt: try row.getIfPresent(.passwordChangedAt), validSince: try row.get(.validSince),
                createdAt: try row.get(.createdAt), lastSignInAt: try row.getIfPresent(.lastSignInAt),
                lastRefreshAt: try row.getIfPresent(.lastRefreshAt),
                deletionDueAt: try row.getIfPresent(.deletionDueAt),
                customClaims: try row.getIfPresent(.customClaims), providers: providers,
                secondFactors: secondFactors, passkeys: passkeys),
            passwordRecord: try row.getIfPresent(.passwordRecord),
            hasHadSignInMethod: try row.get(.hasHadSignInMethod),
            isEmailProven: try row.get(.isEmailProven),
            importedHashMilliseconds: try row.getIfPresent(.importedHashMilliseconds),
            identitiesValidSince: try row.getIfPresent(.identitiesValidSince), linkTimes: linkTimes)
    }
}

extension ProviderLink {
    /// The columns besides those of the account and the position.
    var columns: SQLRecord<ProviderLinkTable> {
        [
            .providerID: providerID, .providerAccountID: providerAccountID, .email: email,
            .emailFolded: email?.asciiLowercased, .displayName: displayName, .photoURL: photoURL,
        ]
    }

    init(_ row: SQLTableRow<ProviderLinkTable>) throws {
        self.init(
            providerID: try row.get(.providerID), providerAccountID: try row.get(.providerAccountID),
            email: try row.getIfPresent(.email), displayName: try row.getIfPresent(.displayName),
            photoURL: try row.getIfPresent(.photoURL))
    }
}
