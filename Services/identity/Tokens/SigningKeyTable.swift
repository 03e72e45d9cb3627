import Contracts
import SQL

/// The signing keys of ID tokens and session cookies. `activates_at` has Unix seconds, as in tokens.
enum SigningKeyTable: String, SQLTableDescription {
    case purpose, certificate, modulus, exponent
    case keyID = "key_id"
    case activatesAt = "activates_at"
    case createdAt = "created_at"
    case sealedPrivateKey = "sealed_private_key"

    static let table = "signing_keys"
    static let key = [keyID]
    static let expiry = SQLExpiry<Self>.never

    static let insertion = insert()
    static let ofPurpose = select(where: [purpose], "ORDER BY activates_at, key_id")
    static let ids = select([keyID, purpose], where: [], "ORDER BY activates_at, key_id")
    static let activations = select([activatesAt], where: [purpose])
    static let purposeOfKey = select([purpose], where: [keyID])
    static let activation = update([activatesAt])
    static let removal = delete()
    static let first = select([keyID, sealedPrivateKey], where: [], "ORDER BY key_id LIMIT 1")
}

extension Identity.ListSigningKeys.Purpose: SQLConvertible {}
