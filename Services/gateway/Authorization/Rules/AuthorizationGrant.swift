import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// What an application presents to get the session of a code (RFC 6749 §4.1.3, RFC 7636 §4.5).
struct AuthorizationGrant: Decodable, Sendable {
    /// Without one that can be an identifier, no application is meant.
    var clientID: String
    var code: String
    var redirectURL: String
    var verifier: String

    enum CodingKeys: String, CodingKey {
        case clientID = "client_id", code
        case redirectURL = "redirect_uri", verifier = "code_verifier"
    }

    /// - Returns: nil if a field is missing.
    init?(form: [String: String]) {
        func field(_ key: CodingKeys) -> String? { form[key.rawValue].nilIfEmpty }
        guard let clientID = field(.clientID), let code = field(.code), let redirectURL = field(.redirectURL),
            let verifier = field(.verifier)
        else { return nil }
        self.clientID = clientID
        self.code = code
        self.redirectURL = redirectURL
        self.verifier = verifier
    }

    /// A grant in the place of a custom token: the method of Firebase's libraries that takes a session from elsewhere. No
    /// custom token begins like it, because a JWT begins with `{` in base64url.
    static let customTokenPrefix = "latchkey-code."

    /// - Returns: nil for text that is no grant, such as a custom token.
    init?(customToken text: String) {
        guard text.hasPrefix(Self.customTokenPrefix),
            let json = Base64URL.decode(String(text.dropFirst(Self.customTokenPrefix.count))),
            // `try?`: the result is nil.
            let grant = try? WireJSON.decode(AuthorizationGrant.self, from: Data(json))
        else { return nil }
        self = grant
    }
}
