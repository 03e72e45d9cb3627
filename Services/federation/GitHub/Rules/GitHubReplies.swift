import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// A user of GitHub's REST API.
struct GitHubUser: Equatable, Sendable {
    var id: Int64
    var claims: ProviderClaims
    var json: String

    /// - Throws: `invalidProviderResponse` for a malformed reply.
    init(json: Data) throws(ServiceError) {
        guard let claims = ProviderClaims(json: json), case .integer(let id) = claims.members["id"], id > 0 else {
            throw ServiceError(.invalidProviderResponse, "The reply of the provider is malformed.")
        }
        self.id = id
        self.claims = claims
        self.json = String(decoding: json, as: UTF8.self)
    }

    /// The primary address among the addresses of the user.
    /// - Returns: nil for a malformed reply, and without a primary address.
    static func primaryEmail(json: Data) -> (address: EmailAddress, isVerified: Bool)? {
        struct Entry: Decodable {
            var email: String
            var primary: Bool
            var verified: Bool
        }
        // `try?`: a sign-in needs no address.
        guard let entries = try? WireJSON.decode([Entry].self, from: json),
            let primary = entries.first(where: \.primary), let address = EmailAddress(primary.email)
        else { return nil }
        return (address, primary.verified)
    }
}
