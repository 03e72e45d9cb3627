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
    private(set) var continueURL: WebURL?
    var flow: HostedFlow
    let branding: PageBranding
    /// Those of the project, where it has own ones.
    let allTexts: PageTextSet
    /// The request of a registered application to which the visit leads; nil for another address.
    private(set) var authorization: AuthorizationRequest?
    /// The name of that application.
    let applicationName: String?
    /// The parameters for the next page.
    private(set) var items: [(name: String, value: String)]

    /// The form does not come from a page of this visit.
    struct ForeignFormError: Error {}

    /// What the address of a page says.
    struct Parameters: Sendable {
        var apiKey: String?
        var tenant: String?
        var continueURL: String?
        var language: String?
    }

    /// - Parameter address: the page of the visit, with its parameters.
    /// - Throws: `UnknownAppError`; errors of identity.
    init(_ call: Call, at address: HTTPRequest) async throws {
        func item(_ name: String) -> String? { address.queryItem(name).nilIfEmpty }
        try await self.init(
            call,
            .init(
                apiKey: item("apiKey"), tenant: item("tenantId"), continueURL: item("continueUrl"),
                language: item("hl")))
    }

    /// - Throws: `UnknownAppError`; errors of identity.
    init(_ call: Call, _ parameters: Parameters) async throws {
        guard let apiKey = parameters.apiKey ?? (call.settings.isDev ? Self.devKey : nil) else {
            throw UnknownAppError(.apiKey)
        }
        let tenant = parameters.tenant
        guard tenant.map(Realm.isIdentifier) != false else { throw UnknownAppError(.tenantId) }
        do {
            realm = Realm(project: try await call.project(ofKey: apiKey), tenant: tenant.map { TenantID($0) })
        } catch let error as ServiceError where error.code == .unknownAPIKey {
            throw UnknownAppError(.apiKey)
        }
        let resolved = try await call.send(Identity.ResolveConfiguration(realm: realm))
        if resolved.isDisabled { throw ServiceError(.projectDisabled) }
        configuration = resolved.configuration
        let origin = try call.requireHostedOrigin(in: configuration)
        self.origin = origin
        if let text = parameters.continueURL {
            continueURL = try call.requireAuthorizedRedirect(text, .continueUrl, in: configuration)
        }
        self.call = call
        self.apiKey = apiKey
        language = Language.find(parameters.language, acceptLanguage: call.request.headers["accept-language"])
        flow = HostedFlow(in: call.request.headers, of: realm, isSecure: origin.isSecure)
        branding = await call.branding(apiKey: apiKey, tenant: tenant)
        allTexts = branding.texts(in: language)
        authorization = continueURL.flatMap { AuthorizationRequest(in: $0, at: origin) }
        applicationName = await call.applicationName(of: authorization, in: realm.project)
        items = [
            ("apiKey", parameters.apiKey), ("tenantId", tenant), ("continueUrl", parameters.continueURL),
            ("hl", parameters.language),
        ].compactMap { name, value in value.map { (name, $0) } }
    }

    /// In `StartedSignIn` it becomes a third longer.
    private static let maximumRequestBytes = 2400

    /// The same visit, which leads to a request of an application.
    /// - Returns: nil for a request that is too long for an address, or for the cookie in which it waits for a provider.
    func leading(to request: AuthorizationRequest) -> Self? {
        guard let url = WebURL(origin.text + request.address),
            PercentEncoding.encoded(url.text).utf8.count <= Self.maximumRequestBytes
        else { return nil }
        var visit = self
        visit.continueURL = url
        visit.authorization = request
        visit.items = items.filter { $0.name != "continueUrl" } + [("continueUrl", url.text)]
        return visit
    }

    /// In dev mode every key belongs to the project.
    private static let devKey = "dev"

    /// The browser. E-mails and messages have the language of the page. A sign-in to an account that is to be deleted leads to
    /// the page that restores it.
    var client: ClientContext {
        var client = call.client
        client.locale = language.rawValue
        client.offersRestoration = true
        return client
    }

    func cookie(_ kind: HostedCookie.Kind) -> HostedCookie {
        HostedCookie(kind: kind, realm: realm, isSecure: origin.isSecure)
    }

    /// The parameters as the query of an address.
    var query: String { PercentEncoding.query(items) }

    /// The address of a page of this visit.
    func address(_ path: String, _ more: (name: String, value: String)...) -> String {
        Self.address(path, items + more)
    }

    static func address(_ path: String, _ items: [(name: String, value: String)]) -> String {
        let query = PercentEncoding.query(items)
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    func redirect(
        to path: String, _ flow: HostedFlow? = nil, step: HostedStep? = nil, prompt: String? = nil
    ) -> HTTPResponse {
        let location =
            prompt.map { address(path, ("prompt", $0)) } ?? step.map { address(path, ("step", $0.rawValue)) }
            ?? address(path)
        let cookie = flow.map { [$0.field(of: realm, isSecure: origin.isSecure)] } ?? []
        return HTTPResponse(status: 303, headers: [("Location", location)] + cookie)
    }

    /// Ends the visit: the next page leads to the application, if the visit has one.
    func leave(after act: HostedConfirmation.Act) -> HTTPResponse { leave(flow(after: act)) }

    /// Leads a user who is signed in to the application, or to the page of the session.
    func leave(_ flow: HostedFlow? = nil) -> HTTPResponse {
        redirect(to: HostedSignInPages.path, flow, step: continueURL == nil ? nil : .done)
    }

    /// What the browser keeps of a visit that has ended. It has another token for the next visit (security rule TK10).
    func flow(after act: HostedConfirmation.Act) -> HostedFlow {
        var flow = HostedFlow()
        flow.confirmation = authorization.map {
            HostedConfirmation(act: act, application: $0.application, challenge: $0.challenge)
        }
        return flow
    }

    /// What the user has done on the pages for a request; nil if it comes from elsewhere.
    func confirmation(of request: AuthorizationRequest) -> HostedConfirmation.Act? {
        guard let confirmation = flow.confirmation, confirmation.application == request.application,
            confirmation.challenge == request.challenge
        else { return nil }
        return confirmation.act
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
    case enroll, enrollPhone, enrollPhoneCode, restore
    case verificationSent, password, phone, phoneCode, emailCode, secondFactor, code, recoveryCode
    case linkSent, resetSent
    /// The user is signed in, and the browser goes on to the application.
    case done
    /// The user is signed in, and may add a passkey.
    case addPasskey
}

/// Why the first page asks for an account also when somebody is signed in, as OpenID Connect names it.
enum HostedPrompt: String, Sendable {
    /// An application demands a new sign-in, with every factor.
    case login
    /// The user chooses another account.
    case account = "select_account"
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
