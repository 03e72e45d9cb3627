import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Vocabulary

/// What the hosted sign-in keeps between two pages of one visit, in a cookie that scripts cannot read. Without the session
/// that follows, it opens nothing: the credential is valid only with a second factor.
struct HostedFlow: Codable, Equatable, Sendable {
    /// In the cookie and in every form: a page of another site knows neither.
    var token: String?
    /// The device can have passkeys.
    var canHavePasskeys: Bool?
    /// As the user typed it.
    var email: String?
    /// The number of a code, as the user typed it.
    var phoneNumber: String?
    /// The first factor is verified.
    var pendingCredential: String?
    var hasRecoveryCodes: Bool?
    /// The refresh token of a session that permits the enrollment only; at the console an ID token.
    var enrollmentToken: String?
    /// The refresh token of a session that permits the restoration only.
    var restorationToken: String?
    /// Of the code that was sent by e-mail.
    var emailSession: String?
    /// The chosen factor, and the text message that was sent for it.
    var factorID: String?
    var smsSession: String?
    /// Of the request of an application to which the visit has led.
    var confirmation: HostedConfirmation?
    /// An operation demands a new sign-in.
    var isStepUp: Bool?

    static let tokenField = "token"
    private static let seconds = 3600

    init() {}

    /// Empty without a cookie, or with a malformed one.
    init(in headers: HTTPHeaders, of realm: Realm, isSecure: Bool) {
        // `try?`: the result is empty.
        let flow = HostedCookie(kind: .flow, realm: realm, isSecure: isSecure).value(in: headers)
            .flatMap { Base64URL.decode($0) }
            .flatMap { try? WireJSON.decode(HostedFlow.self, from: Data($0)) }
        self = flow ?? HostedFlow()
    }

    /// With a token, which it keeps while the visit lasts.
    func begun() -> HostedFlow {
        var flow = self
        if flow.token == nil {
            var random = SystemRandomNumberGenerator()
            flow.token = [random.next(), random.next()].map { (bits: UInt64) in bits.hexadecimal }.joined()
        }
        return flow
    }

    /// The same visit, at its beginning.
    func restarted(email: String? = nil) -> HostedFlow {
        var flow = HostedFlow()
        flow.token = token
        flow.canHavePasskeys = canHavePasskeys
        flow.isStepUp = isStepUp
        flow.email = email
        return flow
    }

    /// Empty for what no browser would keep: the visit begins again.
    func field(of realm: Realm, isSecure: Bool) -> (name: String, value: String) {
        // `try?`: the texts can be encoded.
        let value = Base64URL.encode(Array((try? WireJSON.encodeSorted(self)) ?? Data()))
        let cookie = HostedCookie(kind: .flow, realm: realm, isSecure: isSecure)
        return cookie.field(cookie.isKept(with: value) ? value : "", seconds: Self.seconds)
    }
}

/// What the user has done on these pages for a request of an application. No other site can write the cookie, so a request
/// that comes from the application itself, or from a link, is not confirmed.
struct HostedConfirmation: Codable, Equatable, Sendable {
    enum Act: String, Codable, Sendable {
        /// The user has chosen to go on with the session of the browser.
        case accountChosen
        case signedIn
    }

    var act: Act
    var application: ApplicationID
    /// Another one in each request (RFC 7636 §7.1).
    var challenge: Identity.CodeChallenge
}

/// A cookie of the hosted pages: for one project and tenant, for no script, and sent with links from other sites but not
/// with their forms.
struct HostedCookie: Sendable {
    enum Kind: String, Sendable {
        case flow, session
        /// The sessions of other accounts.
        case others
        /// The second factor of the last sign-in.
        case factor
        /// The secrets of the device, for accounts that do not ask it for a second factor.
        case devices
        /// The user has skipped the offer of a passkey.
        case passkeyOffer = "passkey-offer"
    }

    let kind: Kind
    let realm: Realm
    /// `__Host-` requires HTTPS; in dev mode pages may have plain HTTP.
    let isSecure: Bool

    private var name: String {
        // No identifier contains a slash, and some contain what the name of a cookie must not.
        let text = "\(realm.project.rawValue)/\(realm.tenant?.rawValue ?? "")"
        return (isSecure ? "__Host-" : "") + "latchkey-\(kind.rawValue)-\(Base64URL.encode(Array(text.utf8)))"
    }

    /// Browsers ignore a cookie whose name and value have more than 4096 bytes (RFC 6265bis 5.6).
    func isKept(with value: String) -> Bool { name.utf8.count + value.utf8.count <= 4096 }

    func value(in headers: HTTPHeaders) -> String? {
        headers.values("cookie").flatMap { $0.pieces(at: ";") }.lazy.compactMap { pair in
            let (written, value) = pair.halves(at: "=")
            let trimmed = String(decoding: written.utf8.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
            return trimmed == name ? value.map(String.init) : nil
        }.first.nilIfEmpty
    }

    /// - Parameter seconds: 0 deletes it.
    func field(_ value: String, seconds: Int) -> (name: String, value: String) {
        let secure = isSecure ? "; Secure" : ""
        return ("Set-Cookie", "\(name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(secure)")
    }
}
