import FoundationEssentials
import JSON
import Vocabulary

/// The name of a user, which Apple sends once, beside the ID token. It is not signed: only for display.
struct AppleUserName: Equatable, Sendable {
    var firstName: String?
    var lastName: String?

    /// - Returns: nil for anything else than the JSON that Apple sends.
    init?(_ text: String) {
        guard let user = ProviderClaims(json: Data(text.utf8)), case .object(let members) = user.members["name"] else {
            return nil
        }
        let name = ProviderClaims(members)
        firstName = name.name("firstName")
        lastName = name.name("lastName")
    }

    var fullName: String? { [firstName, lastName].compactMap(\.self).joined(separator: " ").nilIfEmpty }
}
