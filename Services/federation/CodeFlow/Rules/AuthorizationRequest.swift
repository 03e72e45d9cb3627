import Contracts
import Vocabulary

/// The authorization request: the URL of the provider's page (RFC 6749 4.1.1, OpenID Connect Core 3.1.2.1).
struct AuthorizationRequest: Equatable, Sendable {
    var server: AuthorizationServer
    var clientID: String
    var redirectURL: String
    var state: String
    /// The SHA-256 of the raw nonce, in hexadecimal.
    var nonce: String
    var codeChallenge: String
    /// Further scopes, separated by spaces or commas.
    var scopes: String?
    /// Further parameters of the page. Those that this request sets are ignored.
    var parameters: [String: String]

    static let maximumParameters = 32
    static let maximumParameterBytes = 1024
    static let maximumScopeBytes = 2048

    private static let reservedNames: Set<String> = [
        "client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method", "request", "request_uri",
    ]

    /// - Throws: `providerUnavailable` when the provider has no such page, `invalidRequest` for values that are too long
    ///   or malformed.
    func url() throws(ServiceError) -> String {
        guard let page = server.authorizationURL.flatMap(WebURL.init), page.fragment == nil else {
            throw ServiceError(.providerUnavailable, "The provider has no authorization endpoint.")
        }
        var items: [(name: String, value: String)] = [
            ("client_id", clientID), ("redirect_uri", redirectURL), ("response_type", server.responseType.rawValue),
            ("scope", try allScopes()), ("state", state), ("nonce", nonce),
        ]
        if let mode = server.responseMode { items.append(("response_mode", mode)) }
        switch server.responseType {
        case .code where server.usesPKCE:
            items += [("code_challenge", codeChallenge), ("code_challenge_method", "S256")]
        case .code, .idToken: break
        }
        let others = parameters.filter { !Self.reservedNames.contains($0.key.asciiLowercased) }
        guard others.count <= Self.maximumParameters,
            others.allSatisfy({
                !$0.key.isEmpty && $0.key.utf8.count + $0.value.utf8.count <= Self.maximumParameterBytes
            })
        else { throw ServiceError(.invalidRequest, "customParameter is too long") }
        items += others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return page.appending(items)
    }

    private func allScopes() throws(ServiceError) -> String {
        let more = (scopes ?? "").utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") }.map { String(Substring($0)) }
        // RFC 6749 3.3.
        guard (scopes ?? "").utf8.count <= Self.maximumScopeBytes,
            more.allSatisfy({ $0.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c } })
        else { throw ServiceError(.invalidRequest, "oauthScope is malformed") }
        return (server.scopes + more.filter { !server.scopes.contains($0) }).joined(separator: " ")
    }
}
