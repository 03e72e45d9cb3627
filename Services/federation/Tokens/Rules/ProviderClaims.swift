import FoundationEssentials
import JSON
import Vocabulary

/// The claims of a provider about its user: of a verified ID token, or a reply of its API. A claim of an unexpected
/// type counts as absent.
struct ProviderClaims: Equatable, Sendable {
    let members: [String: JSONValue]

    init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// - Returns: nil for anything else than a JSON object within the limits of `JSONLimits.standard`.
    init?(json: Data) {
        // `try?`: the result is nil.
        guard let members = try? WireJSON.decode([String: JSONValue].self, from: json) else { return nil }
        self.members = members
    }

    /// A text that is not empty.
    func text(_ name: String) -> String? {
        guard case .string(let text) = members[name] else { return nil }
        return text.nilIfEmpty
    }

    /// True, 1 or `true`: Apple writes booleans as texts, Microsoft as numbers.
    func flag(_ name: String) -> Bool {
        switch members[name] {
        case .bool(let value): value
        case .string(let text): text == "true" || text == "1"
        case .integer(let number): number == 1
        case .null, .number, .array, .object, nil: false
        }
    }

    /// The claim `email`; nil if it is not an e-mail address.
    var email: EmailAddress? { text("email").flatMap(EmailAddress.init) }

    /// An `https` URL within the limit of accounts.
    func url(_ name: String) -> String? {
        guard let url = text(name).flatMap(WebURL.init), url.isSecure || url.isLoopback else { return nil }
        return url.text
    }

    /// A text of at most `maximumNameLength` characters.
    func name(_ name: String) -> String? {
        text(name).map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.maximumNameLength))) }
    }

    private static let maximumNameLength = 1024

    /// Claims of the protocol and of the profile (OpenID Connect Core 2 and 5.1).
    private static let standardClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "azp", "nonce", "auth_time", "at_hash", "c_hash", "s_hash",
        "acr", "amr", "sid", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username",
        "profile", "picture", "website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale",
        "phone_number", "phone_number_verified", "address", "updated_at",
    ]
    private static let maximumAttributeBytes = 4096

    /// The claims that no standard defines, as the text of a JSON object; nil without any, and for more than 4 KiB.
    var attributes: String? { Self.attributes(members.filter { !Self.standardClaims.contains($0.key) }) }

    /// The text of a JSON object; nil for an empty one, and for more than 4 KiB.
    static func attributes(_ members: [String: JSONValue]) -> String? {
        // `try?`: values that were decoded can be encoded.
        guard !members.isEmpty, let json = try? WireJSON.encodeSorted(JSONValue.object(members)),
            json.count <= maximumAttributeBytes
        else { return nil }
        return String(decoding: json, as: UTF8.self)
    }
}
