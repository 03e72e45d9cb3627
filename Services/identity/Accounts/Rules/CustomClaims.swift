import Contracts
import FoundationEssentials
import JSON

/// Claims that an administrator sets on an account, as the JSON text of an object.
enum CustomClaims {
    /// In characters, as client libraries count.
    static let maximumLength = 1000

    /// Names that ID tokens use themselves, or that have a meaning for their verifiers (tokens 2).
    static let reserved = Set(IDTokenClaims.Name.allCases.filter(\.isReserved).map(\.rawValue)).union([
        "at_hash", "azp", "cnf", "c_hash", "jti", "nbf", "nonce",
    ])

    /// - Returns: the claims, or nil for empty text, which removes them.
    static func parse(_ text: String) throws(ServiceError) -> [String: JSONValue]? {
        guard !text.isEmpty else { return nil }
        guard text.unicodeScalars.count <= maximumLength else { throw ServiceError(.customClaimsTooLarge) }
        let value: JSONValue
        do {
            value = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
        } catch {
            throw ServiceError(.invalidCustomClaims)
        }
        guard case .object(let claims) = value else { throw ServiceError(.invalidCustomClaims) }
        if let name = claims.keys.sorted().first(where: reserved.contains) { throw .reservedClaim(name) }
        return claims
    }
}
