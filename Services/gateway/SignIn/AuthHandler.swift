import Contracts
import HTTPServer
import Pages
import Vocabulary

extension IdentityToolkit {
    /// The app verification for clients without push notifications (REST 7.1).
    static let appVerification: [Route] = [
        // Called by the page's own script: the response contains the redirect URL.
        Route(.post, .local("/__/auth/challenge"), .page, .unauthenticated, rate: .signIn) { call in
            struct Body: Decodable {
                var challenge: String?
                var answer: String?
                var recaptchaToken: String?
            }
            let proof = try call.body(Body.self)
            let request = try call.body(AppVerificationRequest.self)
            return try await AppVerificationVisit(call, request).finish(
                challenge: proof.challenge, answer: proof.answer, recaptchaToken: proof.recaptchaToken)
        }
    ]
}

/// One browser visit on behalf of an application. It begins at `/__/auth/handler` with this `authType`.
struct AppVerificationVisit {
    static let authType = "verifyApp"

    let call: Call
    let request: AppVerificationRequest

    init(_ call: Call, _ request: AppVerificationRequest) {
        self.call = call
        self.request = request
    }

    // MARK: The two requests

    func open(in language: Language) async -> HTTPResponse {
        do {
            let (project, redirect, isRegisteredClient) = try await resolve()
            guard isRegisteredClient else {
                return HTTPResponse(status: 303, headers: [("Location", redirect.url(.invalidClient))])
            }
            let view = AppVerificationView(
                language: language, request: request,
                branding: await call.branding(apiKey: request.apiKey, tenant: nil))
            if let siteKey = call.settings.recaptchaSiteKey { return view.page(.recaptcha(siteKey: siteKey)).response }
            let challenge = try await call.send(MFASMS.StartWebChallenge(project: project, client: call.client))
            return view.page(.challenge(challenge)).response
        } catch {
            return page(for: error, in: language).response
        }
    }

    func finish(challenge: String?, answer: String?, recaptchaToken: String?) async throws -> HTTPResponse {
        guard isOwnRequest else { throw APIError.permissionDenied }
        let project: ProjectID
        let redirect: AppRedirect
        do {
            let resolved = try await resolve()
            guard resolved.isRegisteredClient else {
                return .json(Response(url: resolved.redirect.url(.invalidClient)))
            }
            (project, redirect) = (resolved.project, resolved.redirect)
        } catch is UnknownAppError {
            throw APIError.invalidArgument()
        }
        do {
            let reply = try await call.send(
                MFASMS.FinishWebChallenge(
                    project: project, challenge: challenge.map(Secret.init), answer: answer,
                    recaptchaToken: recaptchaToken.nilIfEmpty.map(Secret.init), bundleID: request.ibi,
                    client: call.client))
            return .json(Response(url: redirect.url(token: reply.token)))
        } catch let error as ServiceError {
            // Every error is returned to the application, because the user waits there.
            return .json(Response(url: redirect.url(Self.failure(error.code))))
        }
    }

    private struct Response: Encodable {
        var url: String
    }

    // MARK: Application and redirect

    /// - Throws: `UnknownAppError`; errors of identity.
    private func resolve() async throws -> (project: ProjectID, redirect: AppRedirect, isRegisteredClient: Bool) {
        let project: ProjectID
        do {
            project = try await call.project(ofKey: request.apiKey)
        } catch let error as ServiceError where error.code == .unknownAPIKey {
            throw UnknownAppError(.apiKey)
        }
        let configuration = try await call.send(
            Identity.ResolveConfiguration(realm: Realm(project: project))
        ).configuration
        let host = try call.requireHostedOrigin(in: configuration).host
        guard let eventID = request.eventId, AppRedirect.isEventID(eventID) else { throw UnknownAppError(.eventId) }
        guard let scheme = AppRedirect.scheme(for: request.opener, in: configuration, isDev: call.settings.isDev)
        else { throw UnknownAppError(.bundleID) }
        return (project, AppRedirect(scheme: scheme.text, host: host, eventID: eventID), scheme.isRegisteredClient)
    }

    /// Browsers send the origin of a script. Browsers too old to send it are accepted: the request has no cookie, so a
    /// cross-site request gains nothing.
    private var isOwnRequest: Bool {
        if let site = call.request.headers["sec-fetch-site"] { return site == "same-origin" }
        guard let origin = call.request.headers["origin"], origin != "null" else { return true }
        guard let url = WebURL(origin), let host = call.request.headers["host"] else { return false }
        return url.authority.asciiLowercased == host.asciiLowercased
    }

    // MARK: Errors

    private static let rateLimitCodes: Set<WireError.Code> = [.tooManyAttempts, .quotaExceeded]

    private static func failure(_ code: WireError.Code) -> AppRedirect.Failure {
        if WireError.Code.busy.contains(code) { return .network }
        if rateLimitCodes.contains(code) { return .tooManyRequests }
        return code == .captchaCheckFailed || code == .appNotVerified ? .checkFailed : .internal
    }

    private func page(for error: any Error, in language: Language) -> Page {
        let texts = language.pageTexts
        switch error {
        case let error as UnknownAppError: return call.page(texts.appVerification.unknownApp, for: error, in: language)
        case let error as ServiceError where WireError.Code.busy.contains(error.code):
            var page = Page.message(texts.unavailable, in: language, status: 503)
            page.state(retryAfterSeconds: error.retryAfterSeconds ?? 1, limit: nil)
            return page
        case let error as ServiceError where Self.rateLimitCodes.contains(error.code):
            var page = Page.message(texts.tooManyAttempts, in: language, status: 429)
            page.state(retryAfterSeconds: error.retryAfterSeconds, limit: error.limit)
            return page
        default:
            if !(error is ServiceError) { call.gateway.dependencies.report(error, call.trace) }
            return .message(texts.unavailable, in: language, status: 500)
        }
    }
}
