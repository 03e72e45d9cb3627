import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Vocabulary

/// The cookies of started sign-ins. They are sent with cross-site requests, because some providers respond with a form,
/// and are used for nothing else (security rule FE17).
struct SignInCookies: Sendable {
    /// `__Host-` requires HTTPS; in dev mode pages may have plain HTTP.
    let isSecure: Bool

    private var prefix: String { (isSecure ? "__Host-" : "") + "latchkey-sign-in-" }

    /// The states of providers are base64url; a name contains the first characters.
    private func name(ofState state: String) -> String? {
        let start = state.utf8.prefix(12)
        guard start.count == 12, start.allSatisfy({ $0.isASCIINameByte || $0 == UInt8(ascii: "_") }) else {
            return nil
        }
        return prefix + String(decoding: start, as: UTF8.self)
    }

    /// Whether this browser has started any sign-in.
    func hasSignIns(in headers: HTTPHeaders) -> Bool { !all(in: headers).isEmpty }

    /// The sign-in that this browser has started with a state.
    func signIn(ofState state: String, in headers: HTTPHeaders) -> StartedSignIn? {
        guard let name = name(ofState: state),
            let value = all(in: headers).first(where: { $0.name == name })?.value,
            let json = Base64URL.decode(value)
        else { return nil }
        // `try?`: the result is nil.
        let started = try? WireJSON.decode(StartedSignIn.self, from: Data(json))
        return started?.state == state ? started : nil
    }

    /// The header fields that store a sign-in. The oldest ones of the browser give way when there are too many.
    /// - Returns: nil when it is too long.
    func fields(storing signIn: StartedSignIn, beside headers: HTTPHeaders) -> [(name: String, value: String)]? {
        // `try?`: the texts can be encoded.
        guard let name = name(ofState: signIn.state), let json = try? WireJSON.encodeSorted(signIn) else { return nil }
        let value = Base64URL.encode(Array(json))
        var total = name.utf8.count + value.utf8.count
        guard total <= StartedSignIn.maximumCookieBytes else { return nil }
        var fields = [field(name, value, seconds: Federation.browserSignInLifetime.components.seconds)]
        // Browsers send the oldest cookie first (RFC 6265 5.4).
        for other in all(in: headers).reversed() where other.name != name {
            total = total.addingSaturated(other.name.utf8.count.addingSaturated(other.value.utf8.count))
            if total > StartedSignIn.maximumTotalBytes { fields.append(field(other.name, "", seconds: 0)) }
        }
        return fields
    }

    /// The header field that deletes a sign-in.
    func field(deletingState state: String) -> (name: String, value: String)? {
        name(ofState: state).map { field($0, "", seconds: 0) }
    }

    private func field(_ name: String, _ value: String, seconds: Int64) -> (name: String, value: String) {
        let site = isSecure ? "SameSite=None; Secure" : "SameSite=Lax"
        return ("Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; \(site)")
    }

    private func all(in headers: HTTPHeaders) -> [(name: String, value: Substring)] {
        headers.values("cookie").flatMap { $0.pieces(at: ";") }.compactMap { pair in
            let (name, value) = pair.halves(at: "=")
            let trimmed = String(decoding: name.utf8.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
            guard trimmed.hasPrefix(prefix), let value else { return nil }
            return (trimmed, value)
        }
    }
}
