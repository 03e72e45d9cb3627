import Contracts
import DatabaseService
import SQL
import Vocabulary
import WebAuthn

/// The tables of the passkey service.
enum PasskeyTables {
    static let all: [any SQLTableDescription.Type] = [CeremonyTable.self, CredentialTable.self]
}

/// Ceremonies that are not finished, and for some time the enrollments that are.
enum CeremonyTable: String, SQLRealmTable {
    case project, tenant, purpose
    case challengeDigest = "challenge_digest"
    /// Null for any account, empty for none.
    case accountID = "account_id"
    case userVerification = "user_verification"
    case isConditional = "is_conditional"
    case createdAt = "created_at"
    /// Null until a request has enrolled a credential.
    case requestDigest = "request_digest"
    case credentialID = "credential_id"

    static let table = "ceremonies"
    static let key = [challengeDigest]
    /// The row outlives the ceremony by an hour, so that the error is "expired" instead of "unknown".
    static let expiry = SQLExpiry.after(Self.createdAt, lifetime: .seconds(3900))

    static let insertion = insert()
    static let byKey = select()
    static let removal = delete()
    static let removalOfOpen = delete("AND request_digest IS NULL")
    static let openByAge = select(
        [challengeDigest], where: [project, tenant, accountID, purpose],
        "AND request_digest IS NULL ORDER BY created_at DESC, challenge_digest LIMIT 100")
    /// The argument is the time of the deletion of the account.
    static let removalOfAccount = delete(where: [project, tenant, accountID], "AND created_at <= $1")
}

/// The public keys of passkeys.
enum CredentialTable: String, ListedTable {
    case project, tenant, algorithm, aaguid, transports
    case credentialID = "credential_id"
    case accountID = "account_id"
    case relyingPartyID = "relying_party_id"
    case userHandle = "user_handle"
    case publicKey = "public_key"
    case signCount = "sign_count"
    case isBackupEligible = "backup_eligible"
    case isBackedUp = "backed_up"
    case hasVerifiedUser = "user_verified"
    case attestationFormat = "attestation_format"
    case attestationType = "attestation_type"
    case isAttestationTrusted = "attestation_trusted"
    case createdAt = "created_at"
    case lastUsedAt = "last_used_at"
    /// Null while identity lists the credential.
    case unlistedSince = "unlisted_since"

    static let table = "credentials"
    static let key = [project, credentialID]
    static let expiry = SQLExpiry<Self>.deletedBy("Reconciliation")
    static let listed = [project, credentialID, tenant, accountID]

    static let insertion = insert("ON CONFLICT (project, credential_id) DO NOTHING")
    static let byKey = select()
    static let transportsByKey = select([transports])
    /// The argument is the counter that was read.
    static let use = update([signCount, isBackedUp, hasVerifiedUser, lastUsedAt], "AND sign_count = $1")
    /// The row of this registration, and not one that has replaced it. The argument is the time of the registration.
    static let removal = delete(where: listed, "AND created_at = $1")
    static let listing = update([unlistedSince], where: listed, "AND unlisted_since IS NOT NULL")
    /// The argument is the time of the deletion of the account.
    static let removalOfAccount = delete(where: [project, tenant, accountID], "AND created_at <= $1")
}

extension PasskeyCredentialKey: ListedKey {
    var record: SQLRecord<CredentialTable> {
        SQLRecord(realm) + [.credentialID: id, .accountID: accountID]
    }

    init(_ row: SQLTableRow<CredentialTable>) throws(SQLError) {
        self.init(id: try row.get(.credentialID), realm: try row.realm(), accountID: try row.get(.accountID))
    }
}

// MARK: - Records and rows

extension Ceremony.Purpose: SQLConvertible {}
extension Passkey.UserVerification: SQLConvertible {}
/// The number of the IANA registry.
extension COSEAlgorithm: SQLConvertible {}

extension CredentialID: SQLConvertible {
    init?(sqlValue value: SQLValue) {
        guard case .blob(let bytes) = value else { return nil }
        self.init(bytes)
    }
    var sqlValue: SQLValue { .blob(bytes) }
    static var kind: String { "a credential ID" }
}

extension OctetString: SQLConvertible {
    init?(sqlValue value: SQLValue) {
        guard case .blob(let bytes) = value else { return nil }
        self.init(bytes)
    }
    var sqlValue: SQLValue { .blob(bytes) }
    static var kind: String { "a blob" }
}

extension Ceremony {
    var record: SQLRecord<CeremonyTable> {
        SQLRecord(realm) + [
            .challengeDigest: challengeDigest, .purpose: purpose, .accountID: owner.accountID,
            .userVerification: userVerification, .isConditional: isConditional, .createdAt: createdAt,
            .requestDigest: redemption?.request, .credentialID: redemption?.credentialID,
        ]
    }

    init(_ row: SQLTableRow<CeremonyTable>) throws(SQLError) {
        self.init(
            challengeDigest: try row.get(.challengeDigest), realm: try row.realm(), purpose: try row.get(.purpose),
            owner: Owner(try row.getIfPresent(.accountID)), userVerification: try row.get(.userVerification),
            isConditional: try row.get(.isConditional), createdAt: try row.get(.createdAt))
        if let request: [UInt8] = try row.getIfPresent(.requestDigest) {
            redemption = Redemption(request: request, credentialID: try row.get(.credentialID))
        }
    }
}

extension Ceremony.Owner {
    /// In the column.
    fileprivate var accountID: AccountID? {
        switch self {
        case .anyAccount: nil
        case .account(let id): id
        case .noAccount: AccountID("")
        }
    }

    fileprivate init(_ accountID: AccountID?) {
        self = accountID.map { $0.rawValue.isEmpty ? .noAccount : .account($0) } ?? .anyAccount
    }
}

extension PasskeyCredential {
    /// All columns but `unlistedSince`.
    var record: SQLRecord<CredentialTable> {
        key.record + use + [
            .relyingPartyID: relyingPartyID, .userHandle: userHandle, .publicKey: publicKey, .algorithm: algorithm,
            .isBackupEligible: isBackupEligible, .aaguid: aaguid, .attestationFormat: attestationFormat,
            .attestationType: attestationType, .isAttestationTrusted: isAttestationTrusted,
            .transports: transports.joined(separator: " "),
            .createdAt: createdAt,
        ]
    }

    /// The columns that a sign-in changes.
    var use: SQLRecord<CredentialTable> {
        [
            .signCount: Int(signCount), .isBackedUp: isBackedUp, .hasVerifiedUser: hasVerifiedUser,
            .lastUsedAt: lastUsedAt,
        ]
    }

    init(_ row: SQLTableRow<CredentialTable>) throws(SQLError) {
        let key = try PasskeyCredentialKey(row)
        self.init(
            id: key.id, realm: key.realm, accountID: key.accountID, relyingPartyID: try row.get(.relyingPartyID),
            userHandle: try row.get(.userHandle), publicKey: try row.get(.publicKey),
            algorithm: try row.get(.algorithm), signCount: UInt32(clamping: try row.get(.signCount) as Int),
            isBackupEligible: try row.get(.isBackupEligible), isBackedUp: try row.get(.isBackedUp),
            hasVerifiedUser: try row.get(.hasVerifiedUser), aaguid: try row.get(.aaguid),
            attestationFormat: try row.get(.attestationFormat), attestationType: try row.get(.attestationType),
            isAttestationTrusted: try row.get(.isAttestationTrusted),
            transports: Self.transports(try row.get(.transports)), createdAt: try row.get(.createdAt),
            lastUsedAt: try row.getIfPresent(.lastUsedAt))
    }

    static func transports(_ column: String) -> [String] {
        column.pieces(at: " ").filter { !$0.isEmpty }.map(String.init)
    }
}
