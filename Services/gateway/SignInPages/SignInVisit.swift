import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// One visit of a browser to the sign-in pages: it begins at the application, or returns from the provider.
struct SignInVisit: Sendable {
    let call: Call

    init(_ call: Call) {
        self.call = call
    }

    // MARK: From the application

    /// Redirects to the page of the provider.
    /// - Parameter request: nil if it was malformed.
    func start(_ request: SignInPageRequest?, in language: Language) async -> HTTPResponse {
        let view = SignInView(language: language)
        // Only a program that is wrong sends such parameters.
        guard let request else { return Page.message(view.unknownApp, in: language, status: 400).response }
        do {
            let (realm, origin, returning) = try await resolve(
                apiKey: request.apiKey, tenantID: request.tenantID, request.channel)
            if returning.hasOtherClient { return deliver(.failure(.invalidClient), to: returning, view) }
            do {
                return try await redirect(request, realm, origin, language)
            } catch let failure as SignInFailure {
                return deliver(.failure(failure), to: returning, view)
            } catch {
                return deliver(.failure(failure(of: error)), to: returning, view)
            }
        } catch {
            return page(for: error, view).response
        }
    }

    private func redirect(
        _ request: SignInPageRequest, _ realm: Realm, _ origin: HostedOrigin, _ language: Language
    ) async throws -> HTTPResponse {
        let (url, fields) = try await open(
            providerID: request.providerID, of: realm, at: origin, hashedSessionID: request.hashedSessionID,
            scopes: request.scopes, parameters: request.parameters
        ) { reply in
            StartedSignIn(
                state: reply.state.reveal(), sessionID: reply.sessionID.reveal(), apiKey: request.apiKey,
                tenantID: request.tenantID, language: language.rawValue, channel: request.channel)
        }
        return HTTPResponse(status: 302, headers: fields + [("Location", url)])
    }

    /// Starts a sign-in at a provider.
    /// - Parameter started: what the browser keeps of it.
    /// - Returns: the page of the provider, and the header fields that store the sign-in in the browser.
    func open(
        providerID: String, of realm: Realm, at origin: HostedOrigin, hashedSessionID: String? = nil,
        scopes: String? = nil, parameters: [String: String] = [:],
        _ started: (Federation.StartSignIn.Reply) -> StartedSignIn
    ) async throws -> (url: String, fields: [(name: String, value: String)]) {
        let reply = try await call.send(
            Federation.StartSignIn(
                realm: realm, providerID: providerID, continueURL: origin.text + SignInPages.handlerPath,
                hashedSessionID: hashedSessionID, scopes: scopes, parameters: parameters,
                practicePageURL: call.settings.isDev ? origin.text + PracticePage.path : nil),
            timeout: .seconds(10))
        let fields = SignInCookies(isSecure: origin.isSecure).fields(
            storing: started(reply), beside: call.request.headers)
        guard let fields else { throw SignInFailure.internal }
        return (reply.authorizationURL, fields)
    }

    // MARK: From the provider

    /// Returns the response of the provider to the application that started the sign-in in this browser.
    func finish(_ form: ProviderResponseForm, in language: Language) async -> HTTPResponse {
        var view = SignInView(language: language)
        guard let state = form.state, let (started, cookies) = startedSignIn(ofState: state) else {
            return view.expiredPage.response
        }
        view.language = Language(tag: started.language) ?? language
        view.branding = await call.branding(apiKey: started.apiKey, tenant: started.tenantID)
        var response: HTTPResponse
        if let channel = started.channel {
            do {
                let (realm, origin, returning) = try await resolve(
                    apiKey: started.apiKey, tenantID: started.tenantID, channel)
                response = deliver(await result(form, of: started, channel, realm, origin), to: returning, view)
            } catch {
                response = page(for: error, view).response
            }
        } else if started.linkedAccountID != nil {
            // The form of another site brings no session: the browser sends it again, as a form of this origin.
            let isOwn = call.request.headers["sec-fetch-site"] == "same-origin" || form.isRepeated
            guard !form.isForm || isOwn else { return view.repetitionPage(form).response }
            response = await AccountPages.finishConnecting(call, started, form)
        } else {
            response = await HostedSignInPages.finishProviderSignIn(call, started, form)
        }
        // A browser returns once.
        if let field = cookies.field(deletingState: state) { response.headers.append(field) }
        return response
    }

    private func startedSignIn(ofState state: String) -> (StartedSignIn, SignInCookies)? {
        allCookies.lazy.compactMap { cookies in
            cookies.signIn(ofState: state, in: call.request.headers).map { ($0, cookies) }
        }.first
    }

    /// In dev mode the same page can be visited with and without HTTPS.
    private var allCookies: [SignInCookies] {
        (call.settings.isDev ? [true, false] : [true]).map(SignInCookies.init)
    }

    /// The page that reads a response in the fragment, if this browser has started a sign-in.
    func readFragment(in language: Language) -> HTTPResponse {
        let view = SignInView(language: language)
        let isStarted = allCookies.contains { $0.hasSignIns(in: call.request.headers) }
        return (isStarted ? view.fragmentPage : view.expiredPage).response
    }

    private func result(
        _ form: ProviderResponseForm, of started: StartedSignIn, _ channel: ReturnChannel, _ realm: Realm,
        _ origin: HostedOrigin
    ) async -> SignInResult {
        if let code = form["error"] { return .failure(SignInFailure(providerError: code)) }
        let requestURL = origin.text + SignInPages.handlerPath
        switch channel {
        case .javaScript, .nativeApp:
            return .response(.init(requestURL: requestURL, form: form, sessionID: started.sessionID))
        case .credential:
            do {
                let reply = try await call.send(
                    Federation.VerifyResponse(
                        realm: realm, requestURL: requestURL, response: form.response,
                        sessionID: Secret(started.sessionID)), timeout: .seconds(30))
                return .credential(reply)
            } catch {
                return .failure(failure(of: error))
            }
        }
    }

    // MARK: Application and return

    /// Where the result goes, checked.
    private struct Returning {
        enum Address {
            case page(WebURL)
            case app(AppRedirect)
        }
        var address: Address
        var channel: ReturnChannel
        var storageKey: String
        var tenantID: String?
        /// A native application sent another client ID than the registered one.
        var hasOtherClient = false
    }

    /// - Throws: `UnknownAppError`; errors of identity.
    private func resolve(
        apiKey: String, tenantID: String?, _ channel: ReturnChannel
    ) async throws -> (Realm, HostedOrigin, Returning) {
        let project: ProjectID
        do {
            project = try await call.project(ofKey: apiKey)
        } catch let error as ServiceError where error.code == .unknownAPIKey {
            throw UnknownAppError(.apiKey)
        }
        let configuration = try await call.send(
            Identity.ResolveConfiguration(realm: Realm(project: project))
        ).configuration
        let origin = try call.requireHostedOrigin(in: configuration)
        let realm = Realm(project: project, tenant: tenantID.map { TenantID($0) })
        switch channel {
        case .javaScript(_, _, let appName, let url):
            let url = try call.requireAuthorizedRedirect(url, .redirectUrl, in: configuration)
            return (
                realm, origin,
                Returning(
                    address: .page(url), channel: channel, storageKey: "\(apiKey):\(appName)", tenantID: tenantID)
            )
        case .credential(_, let url, _):
            let url = try call.requireAuthorizedRedirect(url, .redirectUrl, in: configuration)
            return (realm, origin, Returning(address: .page(url), channel: channel, storageKey: ""))
        case .nativeApp(let eventID, let bundleID, let clientID, let appID):
            let app = AppRedirect.RequestingApp(bundleID: bundleID, clientID: clientID, appID: appID)
            guard let scheme = AppRedirect.scheme(for: app, in: configuration, isDev: call.settings.isDev) else {
                throw UnknownAppError(.bundleID)
            }
            let redirect = AppRedirect(
                scheme: scheme.text, authType: SignInPageRequest.nativeAuthType, host: origin.host, eventID: eventID)
            return (
                realm, origin,
                Returning(
                    address: .app(redirect), channel: channel, storageKey: "",
                    hasOtherClient: !scheme.isRegisteredClient)
            )
        }
    }

    // MARK: Results

    private func deliver(_ result: SignInResult, to returning: Returning, _ view: SignInView) -> HTTPResponse {
        switch returning.address {
        case .app(let redirect):
            let url =
                switch result {
                case .response(let response): redirect.url(responseURL: response.url)
                case .failure(let failure): redirect.url(signInFailure: failure)
                // Only pages of applications get credentials.
                case .credential: redirect.url(signInFailure: .internal)
                }
            return HTTPResponse(status: 303, headers: [("Location", url)])
        case .page(let url):
            let delivery = SignInDelivery(
                result, channel: returning.channel, storageKey: returning.storageKey, tenantID: returning.tenantID,
                redirectURL: url)
            return view.resultPage(delivery, result.failure).response
        }
    }

    private func failure(of error: any Error) -> SignInFailure {
        guard let error = error as? ServiceError else {
            call.gateway.dependencies.report(error, call.trace)
            return .internal
        }
        return SignInFailure(error)
    }

    private func page(for error: any Error, _ view: SignInView) -> Page {
        if let error = error as? UnknownAppError { return call.page(view.unknownApp, for: error, in: view.language) }
        let failure = failure(of: error)
        var page = Page.message(failure.text(in: view.all), in: view.language, status: failure.status)
        page.branding = view.branding
        if let error = error as? ServiceError {
            page.state(retryAfterSeconds: error.retryAfterSeconds, limit: error.limit)
        }
        return page
    }
}

/// The result of a sign-in on the pages.
enum SignInResult: Sendable {
    /// The response of the provider, with which the application signs in (REST 2.4).
    struct Response: Sendable {
        /// The address that the provider sent the user to.
        var requestURL: String
        var form: ProviderResponseForm
        var sessionID: String

        /// With the response as its query.
        var url: String { "\(requestURL)?\(form.text)" }
    }

    case response(Response)
    case credential(Federation.VerifyResponse.Reply)
    case failure(SignInFailure)

    var failure: SignInFailure? {
        switch self {
        case .failure(let failure): failure
        case .response, .credential: nil
        }
    }
}
