import Contracts
import Vocabulary

/// The parameters of an identity provider's response, as clients forward them in `postBody`, and in the query or the
/// fragment of `requestUri` (REST 2.4, "What real clients send").
///
/// The iOS library removes the percent-encoding. Therefore text that is no valid escape stands for itself, `+` is not a
/// blank, and the JSON of `user` may contain `&` and `=`.
struct PostBody: Equatable, Sendable {
    /// By name, without empty ones.
    private(set) var values: [Name: String] = [:]

    /// The parameters that have a meaning here. All others are ignored, `error_description` too (security rule FE18).
    enum Name: String, CaseIterable, Sendable {
        case providerID = "providerId"
        case idToken = "id_token"
        case accessToken = "access_token"
        case tokenSecret = "oauth_token_secret"
        case nonce, code, state
        case issuer = "iss"
        case user, error
        case samlResponse = "SAMLResponse"
        case relayState = "RelayState"
        case pendingToken = "pending_id_token"
    }

    /// The limit of all parts together.
    static let maximumPairs = 128

    /// - Parameter parts: form-urlencoded texts.
    /// - Throws: `invalidProviderCredential` for a parameter with two values (RFC 6749, 3.1) and for too many
    /// parameters.
    init(_ parts: [Substring]) throws(ServiceError) {
        var pairs = 0
        for part in parts {
            var rest: Substring? = part
            while let text = rest {
                pairs = pairs.addingSaturated(1)
                guard pairs <= Self.maximumPairs else { throw .unusableResponse("too many parameters") }
                rest = try readPair(text)
            }
        }
    }

    /// Reads the first parameter.
    /// - Returns: the text behind it; nil at the end.
    private mutating func readPair(_ text: Substring) throws(ServiceError) -> Substring? {
        let (name, value) = text.halves(at: "=")
        if name == Name.user.rawValue, let value, value.utf8.starts(with: "{\"".utf8),
            let (json, behind) = value.lastHalves(at: "}")
        {
            // Without its encoding, the name of a user may contain every separator.
            try set(.user, "\(json)}")
            return behind.halves(at: "&").behind
        }
        let (pair, rest) = text.halves(at: "&")
        let (written, encoded) = pair.halves(at: "=")
        guard let name = Name(rawValue: String(written)), let encoded else { return rest }
        switch name {
        // A form that a browser sends: the name of a user contains blanks.
        case .user: try set(name, PercentEncoding.decodedLeniently(encoded, isForm: true))
        // No other value contains a blank, but base64 contains `+`.
        case .providerID, .idToken, .accessToken, .tokenSecret, .nonce, .code, .state, .issuer, .error, .samlResponse,
            .relayState, .pendingToken:
            try set(name, PercentEncoding.decodedLeniently(encoded))
        }
        return rest
    }

    private mutating func set(_ name: Name, _ value: String) throws(ServiceError) {
        guard !value.isEmpty else { return }
        if let other = values.updateValue(value, forKey: name), other != value {
            throw .unusableResponse("\(name.rawValue) has two values")
        }
    }
}

extension PostBody {
    var response: Federation.ProviderResponse {
        .init(
            providerID: values[.providerID], idToken: secret(.idToken), accessToken: secret(.accessToken),
            tokenSecret: secret(.tokenSecret), nonce: secret(.nonce), code: secret(.code), state: secret(.state),
            issuer: values[.issuer], user: values[.user], error: values[.error], samlResponse: secret(.samlResponse),
            relayState: secret(.relayState))
    }

    /// The former place of `pendingToken`.
    var pendingToken: Secret<String>? { secret(.pendingToken) }

    private func secret(_ name: Name) -> Secret<String>? { values[name].map(Secret.init) }
}

extension ServiceError {
    /// - Parameter problem: the end of the message.
    fileprivate static func unusableResponse(_ problem: String) -> ServiceError {
        ServiceError(.invalidProviderCredential, "Invalid IdP response/credential: \(problem)")
    }
}
