import SQL

/// The temporary proofs, by hash.
enum TemporaryProofTable: String, TenantDataTable {
    case project, tenant
    case proofHash = "proof_hash"
    case phoneNumber = "phone_number"
    case expiresAt = "expires_at"

    static let table = "temporary_proofs"
    static let key = [proofHash]
    static let expiry = SQLExpiry.at(Self.expiresAt)

    static let insertion = insert()
    static let redemption = delete(where: [proofHash, project, tenant, phoneNumber], "RETURNING expires_at")
    static let removalOfNumber = delete(where: [project, tenant, phoneNumber])
    static let deletionOfRealm = deleteInRealm()
}
