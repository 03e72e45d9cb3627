import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The authorization endpoint of registered applications (RFC 6749 §3.1). It has no page of its own: it leads to the hosted
/// sign-in, and back to the application with a code.
enum AuthorizationPage {
    static let path = "/__/auth/authorize"

    static let routes: [Route] =
        [
            Route(.get, .local(path), .page, .unauthenticated, rate: .signIn) { call in await open(call) },
            ScriptFile.latchkey.route(), ScriptFile.latchkeyPasskeys.route(),
        ] + DevRegistration.routes

    private static func open(_ call: Call) async -> HTTPResponse {
        let items = call.request.queryItems
        let application: Identity.Application
        let redirectURL: String
        do {
            guard let named = AuthorizationRequest.application(in: items) else {
                throw ServiceError(.applicationNotFound)
            }
            redirectURL = named.redirectURL
            application = try await call.send(Identity.ResolveApplication(id: named.id))
            guard application.registration.allows(redirectURL: redirectURL) else {
                throw ServiceError(.invalidRedirectURL)
            }
        } catch {
            // No response goes to an address that is not registered (security rule FE22).
            let error = unregistered(error, call)
            guard call.settings.isDev, let unknown = error as? UnknownAppError else { return page(for: error, call) }
            call.gateway.dependencies.reportRefusedPage(unknown, call.trace)
            return DevRegistration.page(call)
        }
        let result: (name: String, value: String)
        do {
            let request = try AuthorizationRequest(application.id, redirectURL: redirectURL, items)
            return try await proceed(request, application, call)
        } catch let refusal as AuthorizationRequest.Refusal {
            result = ("error", refusal.rawValue)
        } catch let error as UnknownAppError {
            return page(for: error, call)
        } catch {
            let refusal = AuthorizationRequest.Refusal((error as? ServiceError)?.code ?? .internal)
            if refusal == .serverError { call.gateway.dependencies.report(error, call.trace) }
            result = ("error", refusal.rawValue)
        }
        return HTTPResponse(
            status: 303,
            headers: [
                ("Location", location(redirectURL, result, AuthorizationRequest.state(in: items), application))
            ])
    }

    private static func page(for error: any Error, _ call: Call) -> HTTPResponse {
        let language = Language.find(
            call.request.queryItem("hl"), acceptLanguage: call.request.headers["accept-language"])
        return HostedSignInPages.page(for: error, in: language.pageTextSet, call).response
    }

    private static func unregistered(_ error: any Error, _ call: Call) -> any Error {
        switch (error as? ServiceError)?.code {
        case .applicationNotFound?: UnknownAppError(.clientID)
        case .invalidRedirectURL?:
            UnknownAppError(
                .redirectURI, address: call.request.queryItem(UnknownAppError.Parameter.redirectURI.rawValue))
        case _: error
        }
    }

    private static func proceed(
        _ request: AuthorizationRequest, _ application: Identity.Application, _ call: Call
    ) async throws -> HTTPResponse {
        let own = try await HostedVisit(
            call,
            .init(apiKey: application.apiKey, tenant: request.tenant?.rawValue, language: request.language))
        guard let visit = own.leading(to: request) else { throw AuthorizationRequest.Refusal.invalidRequest }
        // From here on every response has the cookie of the session, whose token is another one now.
        let session = try await HostedSession(of: visit)
        let act = visit.confirmation(of: request)
        let isAssured = request.redirectURL.hasPrefix("https://") || application.registration.kind == .web
        var step = request.step(isSignedIn: session != nil, after: act, isAssured: isAssured)
        var code: Secret<String>?
        if step == .issue, let session {
            do {
                code = try await call.send(
                    Identity.IssueAuthorizationCode(
                        realm: visit.realm, idToken: session.tokens.idToken, application: application.id,
                        redirectURL: request.redirectURL, challenge: request.challenge, nonce: request.nonce,
                        maximumSignInAgeSeconds: request.maximumSignInAgeSeconds(after: act),
                        minimumLevel: request.minimumLevel,
                        client: visit.client)
                ).code
            } catch let error as ServiceError {
                step = request.step(after: error.code, act: act)
            }
        }
        var response: HTTPResponse
        switch step {
        case .issue:
            response = visit.go(
                to: location(request.redirectURL, ("code", code?.reveal() ?? ""), request.state, application))
        case .refuse(let refusal):
            response = visit.go(
                to: location(request.redirectURL, ("error", refusal.rawValue), request.state, application))
        case .signIn(let isAgain): response = visit.signIn(isAgain: isAgain, hint: request.loginHint)
        }
        if let session { response.headers += HostedSession.fields(storing: session.tokens, of: visit) }
        return response
    }

    /// The address of the application with the response, its state, and the issuer against mix-up (security rule FE24).
    private static func location(
        _ redirectURL: String, _ result: (name: String, value: String), _ state: String?,
        _ application: Identity.Application
    ) -> String {
        let items = [
            result, state.map { ("state", $0) }, ("iss", IdentityToolkit.issuer(of: application.project)),
        ].compactMap(\.self)
        let separator = redirectURL.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return redirectURL + separator + PercentEncoding.query(items)
    }
}

extension HostedVisit {
    /// Leaves the pages for an application. A confirmation counts once.
    fileprivate func go(to location: String) -> HTTPResponse {
        var headers = [(name: "Location", value: location)]
        if flow.confirmation != nil {
            var flow = flow
            flow.confirmation = nil
            headers.append(flow.field(of: realm, isSecure: origin.isSecure))
        }
        return HTTPResponse(status: 303, headers: headers)
    }

    /// - Parameter isAgain: also of a user who is signed in.
    fileprivate func signIn(isAgain: Bool, hint: EmailAddress?) -> HTTPResponse {
        redirect(
            to: HostedSignInPages.path, hint.map { flow.restarted(email: $0.rawValue) },
            prompt: isAgain ? "login" : nil)
    }
}

extension AuthorizationRequest {
    /// The request that an address of the endpoint contains.
    /// - Returns: nil for another address.
    init?(in url: WebURL, at origin: HostedOrigin) {
        guard url.text.hasPrefix("\(origin.text)\(AuthorizationPage.path)?"), let query = url.query else { return nil }
        let items = HTTPRequest.queryItems(of: query)
        // `try?`: the result is nil.
        guard let named = Self.application(in: items),
            let request = try? Self(named.id, redirectURL: named.redirectURL, items)
        else { return nil }
        self = request
    }

    /// Path and query.
    var address: String { "\(AuthorizationPage.path)?\(PercentEncoding.query(items))" }
}

extension Call {
    /// The name of the application of a request, for the user.
    /// - Returns: nil for an application of another project, and while it cannot be read: a page without its name is better
    ///   than none.
    func applicationName(of request: AuthorizationRequest?, in project: ProjectID) async -> String? {
        guard let request else { return nil }
        // `try?`: see above.
        let application = try? await send(Identity.ResolveApplication(id: request.application))
        return application.flatMap { $0.project == project ? $0.registration.displayName : nil }
    }
}
