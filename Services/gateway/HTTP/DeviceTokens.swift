import Contracts
import HTTPServer
import Vocabulary

/// Transport of device tokens (security rule RL3): programs send and receive them as a header field; browsers store
/// them in a cookie.
///
/// The cookie grants no access, so a forged cross-site request gains nothing. It is `SameSite=Strict`, and responses to
/// other origins never allow credentials (HT5): only pages that share the gateway's own origin use it.
enum DeviceTokens {
    static let header = "X-Latchkey-Device"

    /// One for each account that recently signed in from this browser.
    private static let maximumInCookie = 4
    private static let maximumTokenLength = 128
    private static let separator = UInt8(ascii: "~")
    /// 400 days, the maximum that browsers allow.
    private static let cookieSeconds = 34_560_000

    /// `__Host-`: HTTPS only, and not for other hosts of the same domain (RFC 6265bis §4.1.3.2).
    private static func cookieName(isDev: Bool) -> String { isDev ? "latchkey-device" : "__Host-latchkey-device" }

    /// The tokens of a request. Malformed tokens are ignored, as if absent.
    static func presented(in headers: HTTPHeaders, isDev: Bool) -> [String] {
        let own = headers[header].map { [$0] } ?? []
        return own.filter(isToken) + inCookie(headers, isDev: isDev)
    }

    private static func inCookie(_ headers: HTTPHeaders, isDev: Bool) -> [String] {
        let name = Array("\(cookieName(isDev: isDev))=".utf8)
        let tokens = headers.values("cookie").flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
            .map { $0.drop { $0 == UInt8(ascii: " ") } }
            .first { $0.starts(with: name) }?
            .dropFirst(name.count).split(separator: separator).map { String(decoding: $0, as: UTF8.self) }
        return (tokens ?? []).prefix(maximumInCookie).filter(isToken)
    }

    private static func isToken(_ text: String) -> Bool {
        (TokenSet.deviceTokenAccountCharacters...maximumTokenLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIINameByte || $0 == UInt8(ascii: "_") }
    }

    /// The header fields that give a client its new token. In the cookie it replaces the older token of the same
    /// account.
    static func fields(giving token: String, to headers: HTTPHeaders, isDev: Bool) -> [(name: String, value: String)] {
        let account = Array(token.utf8.prefix(TokenSet.deviceTokenAccountCharacters))
        let others = inCookie(headers, isDev: isDev).filter { !$0.utf8.starts(with: account) }
        let value = ([token] + others.prefix(maximumInCookie - 1))
            .joined(separator: String(decoding: [separator], as: UTF8.self))
        let attributes = "Path=/; Max-Age=\(cookieSeconds); HttpOnly; SameSite=Strict\(isDev ? "" : "; Secure")"
        return [
            (header, token),
            ("Set-Cookie", "\(cookieName(isDev: isDev))=\(value); \(attributes)"),
        ]
    }
}

extension Call {
    /// The response to a sign-in: the body and the device token of the client.
    func json(_ value: some Encodable, signedIn tokens: TokenSet?) -> HTTPResponse {
        var response = HTTPResponse.json(value)
        if let token = tokens?.deviceToken {
            response.headers += DeviceTokens.fields(
                giving: token.reveal(), to: request.headers, isDev: settings.isDev)
        }
        return response
    }
}
