import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// The page that action links open (REST 7.3). A GET shows the effect and changes nothing: mail scanners follow links
/// (security rule TK11). Only the page's own form acts. The page uses no cookie and nothing else that a browser sends
/// automatically: the sender of the form must know the code.
enum ActionPage {
    static let path = "/__/auth/action"

    static let routes: [Route] = [
        Route(.get, .local(path), .page, .unauthenticated, rate: .signIn) { call in
            let link = ActionLinkQuery(call.request.queryItem)
            let language = Language.find(
                link.language, acceptLanguage: call.request.headers["accept-language"])
            return await respond(to: link, in: language, call) { view in
                try link.checkIsComplete()
                let realm = try await link.realm(call)
                return view.confirmationPage(for: try await link.inspect(in: realm, call))
            }
        },
        Route(.post, .local(path), .page, .unauthenticated, rate: .signIn) { call in
            let form = try RequestBody.form(from: call.request)
            let link = ActionLinkQuery { form[$0] }
            let language = Language.find(
                link.language, acceptLanguage: call.request.headers["accept-language"])
            guard call.isOwnForm(at: call.settings.publicURL) else {
                return Page.message(language.pageTexts.crossSiteForm, in: language, status: 403).response
            }
            return await respond(to: link, in: language, call) { view in
                let realm = try await link.realm(call)
                if link.mode == ActionView.changePasswordMode {
                    return try await sendReset(to: form["email"], view, realm, call)
                }
                try link.checkIsComplete()
                if form[ActionView.answerField] == ActionView.notMeAnswer {
                    return try await reject(view, in: realm, call)
                }
                return try await act(view, newPassword: form["newPassword"], in: realm, call)
            }
        },
        // Links through the host, for an application that is not installed.
        Route(.get, .local("/__/auth/links"), .page, .unauthenticated) { call in
            guard let text = call.request.queryItem("link"), let link = WebURL(text), let query = link.query else {
                throw APIError(.invalidLink)
            }
            return HTTPResponse(status: 303, headers: [("Location", "\(path)?\(query)")])
        },
        PageStylesheet.route,
    ]

    // MARK: Acting

    private static func act(
        _ view: ActionView, newPassword: String?, in realm: Realm, _ call: Call
    ) async throws -> Page {
        let link = view.link
        let inspected = try await link.inspect(in: realm, call)
        switch inspected.purpose {
        case .passwordReset:
            do {
                _ = try await call.send(
                    Identity.ResetPassword(
                        realm: realm, code: link.code.map(Secret.init), newPassword: newPassword.map(Secret.init),
                        locale: view.language.rawValue, client: call.client))
            } catch let error as ServiceError where Self.refusedPasswords.contains(error.code) {
                return view.passwordForm(
                    inspected, refusal: .init(unmetRequirements: error.unmetPasswordRequirements))
            }
        case .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition, .revertPasskeyAddition:
            try await apply(view, in: realm, call)
        case .emailSignIn:
            return view.confirmationPage(for: inspected)  // The application redeems this code, not the page.
        }
        return view.completionPage(for: inspected)
    }

    private static func apply(
        _ view: ActionView, removesPasskeys: Bool? = nil, in realm: Realm, _ call: Call
    ) async throws {
        _ = try await call.send(
            Identity.ApplyActionCode(
                realm: realm, code: view.link.code.map(Secret.init), removesPasskeys: removesPasskeys,
                locale: view.language.rawValue, client: call.client))
    }

    /// The reader of the address did not create the account, did not ask for its new address, or did not change it.
    private static func reject(_ view: ActionView, in realm: Realm, _ call: Call) async throws -> Page {
        let inspected = try await view.link.inspect(in: realm, call)
        switch inspected.purpose {
        case .verifyEmail, .verifyAndChangeEmail:
            let reply = try await call.send(
                Identity.RejectEmailVerification(
                    realm: realm, code: view.link.code.map(Secret.init), client: call.client))
            return inspected.purpose == .verifyEmail ? view.rejected(reply.email) : view.changeRejected()
        case .recoverEmail:
            try await apply(view, removesPasskeys: true, in: realm, call)
            return view.recoveredWithoutPasskeys(inspected)
        case .passwordReset, .emailSignIn, .revertSecondFactorAddition, .revertPasskeyAddition:
            throw ServiceError(.invalidActionCode)
        }
    }

    private static let refusedPasswords: Set<WireError.Code> = [
        .weakPassword, .passwordPolicyViolated, .missingPassword,
    ]

    /// For a user who recovered an address and wants a new password.
    private static func sendReset(
        to email: String?, _ view: ActionView, _ realm: Realm, _ call: Call
    ) async throws -> Page {
        _ = try await call.send(
            Identity.SendActionCode(
                realm: realm, purpose: .passwordReset, email: email, locale: view.language.rawValue,
                client: call.client))
        return .message(view.texts.changePassword.done, in: view.language)
    }

    // MARK: Errors

    /// Runs `body`, and turns each of its errors into a page.
    private static func respond(
        to link: ActionLinkQuery, in language: Language, _ call: Call, _ body: (ActionView) async throws -> Page
    ) async -> HTTPResponse {
        let branding = await call.branding(apiKey: link.apiKey, tenant: link.tenant)
        let view = ActionView(link: link, allTexts: branding.texts(in: language))
        var page: Page
        do {
            page = try await body(view)
        } catch let error as ServiceError {
            page = Self.page(for: error, view.texts, language)
        } catch {
            call.gateway.dependencies.report(error, call.trace)
            page = .message(view.texts.unavailable, in: language, status: 500)
        }
        page.branding = branding
        return page.response
    }

    private static func page(for error: ServiceError, _ texts: PageTexts, _ language: Language) -> Page {
        func message(_ message: PageTexts.Message, _ status: Int) -> Page {
            var page = Page.message(message, in: language, status: status)
            page.state(retryAfterSeconds: error.retryAfterSeconds, limit: error.limit)
            return page
        }
        let rateLimitCodes: Set<WireError.Code> = [.resetLimitExceeded, .tooManyAttempts, .quotaExceeded]
        let failed: Set<WireError.Code> = [.internal, .unknownOperation, .idempotencyKeyReused, .notImplemented]
        let unknownApplications: Set<WireError.Code> = [.unknownAPIKey, .tenantNotFound, .projectNotFound]
        if WireError.Code.busy.contains(error.code) { return message(texts.unavailable, 503) }
        if rateLimitCodes.contains(error.code) { return message(texts.tooManyAttempts, 429) }
        if failed.contains(error.code) { return message(texts.unavailable, 500) }
        if error.code == .expiredActionCode { return message(texts.expiredLink, 400) }
        if error.code == .accountDisabled { return message(texts.accountDisabled, 400) }
        if error.code == .emailExists { return message(texts.emailAlreadyInUse, 400) }
        if error.code == .missingActionCode { return message(texts.incompleteLink, 400) }
        if unknownApplications.contains(error.code) { return message(texts.unknownApplication, 400) }
        // All other errors: the link is invalid.
        return message(texts.invalidLink, 400)
    }
}
