import Foundation

/// The page `/__/auth/authorize`: the authorization code grant (RFC 6749 section 4.1) with PKCE (RFC 7636).
struct AuthorizationPage: VisitedPage {
    let url: URL
    let callbackScheme: String
    /// The redirect address, for a tool with its port.
    let redirectURI: String
    /// Returns with the response: another one is not that of this page.
    private let state: Secret<String>
    /// A claim of the ID token.
    let nonce: Secret<String>
    /// What the code is redeemed with; the page has its SHA-256.
    let verifier: Secret<String>

    /// - Parameters:
    ///   - server: the URL of the pages.
    ///   - port: of a tool that listens on loopback.
    /// - Throws: `internalError` for a redirect address that cannot be used.
    init(
        _ page: HostedPage, server: URL, port: UInt16?, tenantID: String?, languageCode: String?
    ) throws(AuthErrorCode) {
        guard var redirect = URLComponents(url: page.redirectURL, resolvingAgainstBaseURL: false),
            let scheme = redirect.scheme, redirect.query == nil, redirect.fragment == nil
        else { throw AuthErrorCode(.internalError) }
        if let port { redirect.port = Int(port) }
        guard let redirectURI = redirect.string else { throw AuthErrorCode(.internalError) }
        self.redirectURI = redirectURI
        callbackScheme = scheme
        let (state, nonce, verifier) = (Self.random(), Self.random(), Self.random())
        (self.state, self.nonce, self.verifier) = (Secret(state), Secret(nonce), Secret(verifier))
        let parameters: [(String, String?)] = [
            ("response_type", "code"), ("client_id", page.clientID), ("redirect_uri", redirectURI),
            ("code_challenge", Data(SHA256.digest(Array(verifier.utf8))).base64URLText),
            ("code_challenge_method", "S256"), ("state", state), ("nonce", nonce), ("login_hint", page.loginHint),
            ("prompt", page.prompt?.rawValue), ("max_age", page.maximumAgeSeconds.map(String.init)),
            ("acr_values", page.acrValues.isEmpty ? nil : page.acrValues.joined(separator: " ")),
            ("tenantId", tenantID), ("hl", languageCode),
        ]
        let address = server.appendingPathComponent("__/auth/authorize")
        guard var components = URLComponents(url: address, resolvingAgainstBaseURL: true) else {
            throw AuthErrorCode(.internalError)
        }
        components.percentEncodedQuery = FormBody.text(parameters)
        guard let url = components.url else { throw AuthErrorCode(.internalError) }
        self.url = url
    }

    /// 43 characters, the least that a verifier may have (RFC 7636 section 4.1).
    private static func random() -> String {
        randomNonceString(length: 43)
    }

    // MARK: - The response

    /// The code, and the issuer whose tokens it is for (RFC 9207).
    struct Response: Sendable {
        var code: String
        var issuer: String?
    }

    func result(in url: URL) -> BrowserResult? {
        guard let items = items(of: url) else { return nil }
        if let error = items["error"] { return .failure(Self.error(error)) }
        return .value(url.absoluteString)
    }

    /// - Throws: `webInternalError` for a response without a code.
    func response(in text: String) throws(AuthErrorCode) -> Response {
        guard let items = URL(string: text).flatMap(items), let code = items["code"], !code.isEmpty else {
            throw AuthErrorCode(.webInternalError)
        }
        return Response(code: code, issuer: items["iss"])
    }

    /// The parameters of a response to this page; nil for any other URL.
    private func items(of url: URL) -> [String: String]? {
        guard url.absoluteString.utf8.count <= BrowserPage.maximumResultBytes,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return nil }
        let items = (components.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $0[$1.name] ?? $1.value ?? "" }
        components.query = nil
        components.fragment = nil
        guard components.string == redirectURI, items["state"] == state.reveal() else { return nil }
        return items
    }

    /// - Parameter code: of RFC 6749 section 4.1.2.1.
    private static func error(_ code: String) -> AuthErrorCode {
        let known: AuthErrorCode =
            switch code {
            case "temporarily_unavailable": .webNetworkRequestFailed
            case "server_error": .webInternalError
            default: .webSignInUserInteractionFailure
            }
        guard code.utf8.count <= 64, code.utf8.allSatisfy({ (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "_") })
        else { return AuthErrorCode(known) }
        return AuthErrorCode(known, userInfo: [AuthErrorUserInfoServerCodeKey: code])
    }
}

/// The redemption of a code at `/__/auth/token` (RFC 6749 section 4.1.3). A form, unlike the other calls.
struct AuthorizationCodeRequest: Sendable {
    static let path = "__/auth/token"

    var clientID: String
    var redirectURI: String
    var code: String
    var verifier: String

    var form: Data {
        Data(
            FormBody.text([
                ("grant_type", "authorization_code"), ("client_id", clientID), ("redirect_uri", redirectURI),
                ("code", code), ("code_verifier", verifier),
            ]).utf8)
    }

    /// An error response (RFC 6749 section 5.2).
    static func error(response body: Data, status: Int, retryAfterSeconds: Int?) -> AuthErrorCode {
        struct Failure: Decodable {
            var error: String
        }
        // `try?`: a response without this shape, such as that of a proxy, is none of the endpoint.
        guard let code = (try? JSONDecoder().decode(Failure.self, from: body))?.error else {
            return AuthErrorCode(serverResponse: body, status: status, retryAfterSeconds: retryAfterSeconds)
        }
        let known: AuthErrorCode =
            switch code {
            case "temporarily_unavailable": .networkError
            case "server_error": .internalError
            default: .invalidCredential
            }
        return AuthErrorCode(known, userInfo: [AuthErrorUserInfoServerCodeKey: code])
    }

    struct Response: Decodable, Sendable {
        var idToken: String
        var refreshToken: String
        /// Seconds.
        var expiresIn: Int

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case refreshToken = "refresh_token"
            case expiresIn = "expires_in"
        }
    }
}
