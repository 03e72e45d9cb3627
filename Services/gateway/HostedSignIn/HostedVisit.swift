import Contracts
import HTTPServer
import Pages
import Vocabulary

/// One visit of a browser to the hosted sign-in: the realm, and where the user goes afterwards.
///
/// The address of every page has the same parameters: `apiKey`, `tenantId`, `continueUrl` and `hl`. What a visit must keep
/// between two pages is in a cookie (`HostedFlow`), and the session of the user in another (`HostedSession`).
struct HostedVisit: Sendable {
    let call: Call
    let apiKey: String
    let realm: Realm
    let configuration: ProjectConfiguration
    let language: Language
    let origin: HostedOrigin
    /// On an authorized domain.
    let continueURL: WebURL?
    var flow: HostedFlow
    let branding: PageBranding
    /// The parameters for the next page.
    let items: [(name: String, value: String)]

    /// The application, its address or the host of the page is not registered: there is no address to return to.
    struct UnknownAppError: Error {}
    /// The form does not come from a page of this visit.
    struct ForeignFormError: Error {}

    /// - Parameter address: the page of the visit, with its parameters.
    /// - Throws: `UnknownAppError`; errors of identity.
    init(_ call: Call, at address: HTTPRequest) async throws {
        func item(_ name: String) -> String? { address.queryItem(name).nilIfEmpty }
        guard let apiKey = item("apiKey") ?? (call.settings.isDev ? Self.devKey : nil) else { throw UnknownAppError() }
        let tenant = item("tenantId")
        guard tenant.map(Realm.isIdentifier) != false else { throw UnknownAppError() }
        do {
            realm = Realm(project: try await call.project(ofKey: apiKey), tenant: tenant.map { TenantID($0) })
        } catch let error as ServiceError where error.code == .unknownAPIKey {
            throw UnknownAppError()
        }
        let resolved = try await call.send(Identity.ResolveConfiguration(realm: realm))
        if resolved.isDisabled { throw ServiceError(.projectDisabled) }
        configuration = resolved.configuration
        guard let origin = call.hostedOrigin(in: configuration) else { throw UnknownAppError() }
        if let text = item("continueUrl") {
            guard let url = configuration.authorizedRedirect(text, isDev: call.settings.isDev) else {
                throw UnknownAppError()
            }
            continueURL = url
        } else {
            continueURL = nil
        }
        self.call = call
        self.apiKey = apiKey
        self.origin = origin
        language = Language.find(item("hl"), acceptLanguage: call.request.headers["accept-language"])
        flow = HostedFlow(in: call.request.headers, of: realm, isSecure: origin.isSecure)
        branding = await call.branding(apiKey: apiKey, tenant: tenant)
        items = ["apiKey", "tenantId", "continueUrl", "hl"].compactMap { name in item(name).map { (name, $0) } }
    }

    /// In dev mode every key belongs to the project.
    private static let devKey = "dev"

    /// The browser. E-mails and messages have the language of the page.
    var client: ClientContext {
        var client = call.client
        client.locale = language.rawValue
        return client
    }

    func cookie(_ kind: HostedCookie.Kind) -> HostedCookie {
        HostedCookie(kind: kind, realm: realm, isSecure: origin.isSecure)
    }

    /// The parameters as the query of an address.
    var query: String { Self.query(items) }

    /// The address of a page of this visit.
    func address(_ path: String, _ more: (name: String, value: String)...) -> String {
        Self.address(path, items + more)
    }

    static func address(_ path: String, _ items: [(name: String, value: String)]) -> String {
        let query = query(items)
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    private static func query(_ items: [(name: String, value: String)]) -> String {
        items.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
    }

    func redirect(to path: String, _ flow: HostedFlow? = nil, step: HostedStep? = nil) -> HTTPResponse {
        let location = step.map { address(path, ("step", $0.rawValue)) } ?? address(path)
        let cookie = flow.map { [$0.field(of: realm, isSecure: origin.isSecure)] } ?? []
        return HTTPResponse(status: 303, headers: [("Location", location)] + cookie)
    }

    /// The fields of a form of this visit.
    /// - Throws: `ForeignFormError` for a form of another site, and for one that this browser did not get (security rules
    ///   HT6 and HT7).
    func form() throws -> [String: String] {
        guard call.isOwnForm(at: origin.text), let token = flow.token else { throw ForeignFormError() }
        let form = try RequestBody.form(from: call.request)
        guard form[HostedFlow.tokenField] == token else { throw ForeignFormError() }
        return form
    }

    /// A form of the sign-in was sent after the session was opened. It has another token then, and is not acted on.
    var hasSignedIn: Bool {
        let isSignIn = [HostedSignInPages.path, HostedSignInPages.registerPath].contains {
            call.request.path.hasPrefix($0)
        }
        return isSignIn && call.isOwnForm(at: origin.text)
            && cookie(.session).value(in: call.request.headers) != nil
    }

    func respond(_ page: Page, _ flow: HostedFlow? = nil) -> HTTPResponse {
        var page = page
        page.branding = branding
        var response = page.response
        if let flow { response.headers.append(flow.field(of: realm, isSecure: origin.isSecure)) }
        return response
    }
}

/// The pages of `/__/auth/login`.
enum HostedStep: String, Sendable {
    case enroll, verificationSent, password, emailCode, secondFactor, code, recoveryCode, linkSent, resetSent
    /// The user is signed in, and the browser goes on to the application.
    case done
    /// The user is signed in, and may add a passkey.
    case addPasskey
}

extension HostedOrigin {
    var isSecure: Bool { text.hasPrefix("https:") }
}

extension Call {
    /// Browsers send the origin of a form. The page's own form sends `Origin: null` because of
    /// `Referrer-Policy: no-referrer`, so that value is not conclusive. Browsers too old to send either header are
    /// accepted.
    func isOwnForm(at expected: String) -> Bool {
        guard RequestBody.mediaType(of: request) == "application/x-www-form-urlencoded" else { return false }
        if let site = request.headers["sec-fetch-site"] { return site == "same-origin" }
        guard let origin = request.headers["origin"], origin != "null" else { return true }
        return origin == expected
    }
}
