import Contracts
import FoundationEssentials
import HTTPServer
import Pages
import Vocabulary

/// The sign-in that Latchkey hosts: server-rendered forms, each answered with a redirect, or with the page again and what
/// was refused. The handlers send the same requests as the routes of the REST protocol, so no rule is decided here.
enum HostedSignInPages {
    static let path = "/__/auth/login"
    static let passwordPath = "\(path)/password"
    static let passkeyPath = "\(path)/passkey"
    static let restorePath = "\(path)/restore"
    static let continuePath = "\(path)/continue"
    static let registerPath = "/__/auth/register"
    static let logoutPath = "/__/auth/logout"

    static let routes: [Route] =
        [
            Route(.get, .local(path), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call, open)
            },
            Route(.post, .local(path), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call, identify)
            },
            Route(.post, .local(passwordPath), .page, .unauthenticated, rate: .signIn, hashesPassword: true) { call in
                await respond(call, signInWithPassword)
            },
            Route(.post, .local(passkeyPath), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call, signInWithPasskey)
            },
            Route(.post, .local(continuePath), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call, goOn)
            },
            Route(.get, .local(registerPath), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call, openRegistration)
            },
            Route(.post, .local(registerPath), .page, .unauthenticated, rate: .signUp, hashesPassword: true) { call in
                await respond(call, register)
            },
            Route(.post, .local(logoutPath), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call, signOut)
            },
        ] + emailRoutes + phoneRoutes + providerRoutes + secondStepRoutes + enrollmentRoutes + passkeyOfferRoutes
        + accountChoiceRoutes + restorationRoutes + [
            ScriptFile.hostedPasskey.route(), ScriptFile.showPassword.route(),
        ]

    // MARK: First page

    /// The page of the step. At the beginning, the accounts of this browser first.
    private static func open(_ visit: HostedVisit) async throws -> HTTPResponse {
        let view = HostedSignInView(visit: visit)
        var flow = visit.flow.begun()
        let query = visit.call.request
        let prompt = query.queryItem("prompt").flatMap(HostedPrompt.init)
        if prompt == .login { flow.isStepUp = true }
        if query.queryItem("mode") == "signIn", let code = query.queryItem("oobCode").nilIfEmpty {
            return visit.respond(view.linkPage(flow, code: code), flow)
        }
        switch query.queryItem("step").flatMap(HostedStep.init) {
        case .password? where flow.email != nil: return visit.respond(view.passwordPage(flow), flow)
        case .emailCode? where flow.emailSession != nil:
            return visit.respond(view.emailCodePage(flow), flow)
        case .phone? where visit.offersPhoneSignIn: return visit.respond(view.numberPage(.signIn, flow), flow)
        case .phoneCode? where flow.smsSession != nil:
            return visit.respond(view.phoneCodePage(.signIn, flow), flow)
        case .linkSent?: return visit.respond(view.sent(visit.texts.linkSent), flow)
        case .resetSent?: return visit.respond(view.sent(visit.texts.resetSent), flow)
        case .addPasskey?: return try await openPasskeyOffer(visit)
        case .enroll?: return try await openEnrollment(visit)
        case .enrollPhone?: return try await openPhoneEnrollment(visit, asksForCode: false)
        case .enrollPhoneCode?: return try await openPhoneEnrollment(visit, asksForCode: true)
        case .restore?: return try await openRestoration(visit)
        case .verificationSent?: return visit.respond(HostedEnrollmentView(visit: visit, flow: flow).sentPage)
        case .secondFactor?, .code?, .recoveryCode?: return try await openSecondStep(visit, flow)
        case .done?:
            if let url = visit.continueURL {
                return visit.respond(view.leavingPage(visit.texts.signedIn, to: url.text))
            }
        case .password?, .emailCode?, .phone?, .phoneCode?, nil: break
        }
        let others = prompt == nil ? try await HostedSession.others(of: visit) : []
        guard prompt == nil, let session = try await HostedSession(of: visit) ?? others.first else {
            return visit.respond(view.firstPage(flow, await visit.offer()), flow)
        }
        let rest = others.filter { $0.account.id != session.account.id }
        var response = visit.respond(view.sessionPage(session, others: rest, flow), flow)
        response.headers += HostedSession.fields(storing: session.tokens, of: visit)
        if !others.isEmpty { response.headers.append(HostedSession.field(storingOthers: rest, of: visit)) }
        return response
    }

    /// Goes on with the account of this browser.
    private static func goOn(_ visit: HostedVisit) async throws -> HTTPResponse {
        _ = try visit.form()
        return visit.leave(after: .accountChosen)
    }

    /// Every address leads to the same page, with an account or without (security rule EN1), and every number to another.
    private static func identify(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let email = form["email"] ?? ""
        if visit.offersPhoneSignIn, isNumber(email) { return try await sendPhoneCode(to: email, form, visit) }
        let view = HostedSignInView(visit: visit)
        guard EmailAddress(email) != nil, view.identifier != .number else {
            let page = view.firstPage(
                visit.flow.restarted(email: email), await visit.offer(), isRefused: true)
            return visit.respond(page)
        }
        var flow = visit.flow.restarted(email: email)
        flow.canHavePasskeys = form["passkeys"] == "1"
        return visit.redirect(to: path, flow, step: .password)
    }

    // MARK: First factors

    private static func signInWithPassword(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let flow = visit.flow
        let view = HostedSignInView(visit: visit)
        // Another browser tab has begun again.
        guard let email = flow.email else { return visit.redirect(to: path) }
        guard let password = form["password"].nilIfEmpty else {
            return visit.respond(view.passwordPage(flow, refusal: visit.texts.missingPassword))
        }
        do {
            let reply = try await visit.call.send(
                Identity.SignInWithPassword(
                    realm: visit.realm, email: email, password: Secret(password), client: visit.client),
                timeout: Call.signInTimeout)
            return await finish(visit, reply.tokens, orPending: reply.secondFactor, offeringPasskeyTo: reply.account)
        } catch let error as ServiceError {
            guard let sentence = visit.sentence(for: error) else { throw error }
            return visit.respond(view.passwordPage(flow, refusal: sentence))
        }
    }

    private static func signInWithPasskey(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        do {
            let body = try RequestBody.decode(
                AuthenticatorResponseBody<AssertionBody>.self, from: .init((form["response"] ?? "").utf8))
            let response = try AuthenticatorResponseBody.decoded(body)
            let reply = try await visit.call.send(
                Passkey.FinishSignIn(realm: visit.realm, response: response, client: visit.client),
                timeout: Call.signInTimeout)
            return await finish(visit, reply.tokens, orPending: reply.secondFactor)
        } catch let error as ServiceError {
            guard let sentence = visit.sentence(for: error) else { throw error }
            var page = HostedSignInView(visit: visit).firstPage(
                visit.flow, await visit.offer(), passkeyRefusal: sentence)
            if error.code == .passkeyNotFound {
                page.content = "\(page.content)\(await visit.unknownPasskey(in: form["response"]))"
            }
            return visit.respond(page)
        }
    }

    /// Opens the session of the browser, or asks for the second factor.
    /// - Parameter account: of a user who has signed in with a password.
    static func finish(
        _ visit: HostedVisit, _ tokens: TokenSet?, orPending pending: PendingSecondFactor? = nil,
        offeringPasskeyTo account: Account? = nil
    ) async -> HTTPResponse {
        if let pending {
            if let reply = await signInOnRememberedDevice(visit, pending) {
                // A passkey needs the factor itself.
                return await finish(visit, reply.tokens)
            }
            var flow = visit.flow.begun()
            flow.pendingCredential = pending.pendingCredential.reveal()
            flow.hasRecoveryCodes = (pending.remainingRecoveryCodes ?? 0) > 0
            flow.factorID = nil
            flow.smsSession = nil
            return visit.redirect(to: path, flow, step: .secondFactor)
        }
        if let tokens, tokens.permitsEnrollmentOnly {
            var flow = visit.flow.begun().restarted()
            flow.enrollmentToken = tokens.refreshToken.reveal()
            return visit.redirect(to: path, flow, step: .enroll)
        }
        if let tokens, tokens.permitsRestorationOnly {
            var flow = visit.flow.begun().restarted()
            flow.restorationToken = tokens.refreshToken.reveal()
            return visit.redirect(to: path, flow, step: .restore)
        }
        let offersPasskey = if let account { await visit.offersPasskey(to: account) } else { false }
        var response =
            offersPasskey
            ? visit.redirect(to: path, visit.flow(after: .signedIn), step: .addPasskey)
            : visit.leave(after: .signedIn)
        guard let tokens else { return response }
        response.headers += await keepFormerSessions(visit, tokens)
        response.headers += HostedSession.fields(storing: tokens, of: visit)
        return response
    }

    // MARK: Sign-up

    private static func openRegistration(_ visit: HostedVisit) async throws -> HTTPResponse {
        let flow = visit.flow.begun()
        return visit.respond(
            HostedSignInView(visit: visit).registerPage(.init(email: flow.email ?? ""), flow), flow)
    }

    private static func register(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let view = HostedSignInView(visit: visit)
        var entered = HostedSignInView.Registration(email: form["email"] ?? "", name: form["name"] ?? "")
        do {
            guard let password = form["password"].nilIfEmpty else { throw ServiceError(.missingPassword) }
            let reply = try await visit.call.send(
                Identity.SignUp(
                    realm: visit.realm, email: entered.email, password: Secret(password),
                    displayName: entered.name.nilIfEmpty, locale: visit.language.rawValue, client: visit.client),
                timeout: Call.signInTimeout)
            // The enrollment verifies the address itself.
            if !reply.tokens.permitsEnrollmentOnly { try await verifyEmail(of: reply.tokens, visit) }
            var visit = visit
            visit.flow.canHavePasskeys = form["passkeys"] == "1"
            return await finish(visit, reply.tokens, offeringPasskeyTo: reply.account)
        } catch let error as ServiceError {
            guard let sentence = visit.sentence(for: error) else { throw error }
            if HostedRefusal(error.code).isAboutPassword {
                entered.unmetRequirements = error.unmetPasswordRequirements
                entered.passwordError = entered.unmetRequirements.isEmpty ? sentence : nil
            } else {
                entered.emailError = sentence
            }
            return visit.respond(view.registerPage(entered, visit.flow))
        }
    }

    /// The account exists also when the e-mail cannot be sent: its user can ask for another one.
    private static func verifyEmail(of tokens: TokenSet, _ visit: HostedVisit) async throws {
        do {
            _ = try await visit.call.send(
                Identity.SendActionCode(
                    realm: visit.realm, purpose: .verifyEmail, idToken: tokens.idToken,
                    settings: .init(continueURL: visit.origin.text + visit.address(path)),
                    locale: visit.language.rawValue, client: visit.client))
        } catch let error as ServiceError {
            visit.call.gateway.dependencies.report(error, visit.call.trace)
        }
    }

    // MARK: Sign-out

    private static func signOut(_ visit: HostedVisit) async throws -> HTTPResponse {
        let isEverywhere = try visit.form()["everywhere"] != nil
        if let session = try await HostedSession(of: visit) {
            if isEverywhere {
                try await end(.all, session.tokens.idToken, visit)
            } else {
                try await end(session, visit)
            }
        }
        let page = Page.message(visit.texts.signedOut, in: visit.language, rest: HostedSignInView(visit: visit).again)
        var response = visit.respond(page, HostedFlow())
        response.headers.append(visit.cookie(.session).field("", seconds: 0))
        return response
    }

    /// Ends one session, and leaves the others of its account.
    static func end(_ session: HostedSession, _ visit: HostedVisit) async throws {
        let idToken = session.tokens.idToken
        let list = try await visit.call.send(Identity.ListOwnSessions(realm: visit.realm, idToken: idToken))
        let current = list.sessions.filter(\.isCurrent).map(\.id)
        if !current.isEmpty { try await end(.listed(current), idToken, visit) }
    }

    private static func end(
        _ selection: Identity.EndOwnSessions.Selection, _ idToken: Secret<String>, _ visit: HostedVisit
    ) async throws {
        _ = try await visit.call.send(
            Identity.EndOwnSessions(
                realm: visit.realm, idToken: idToken, selection: selection, client: visit.client))
    }
}

extension HostedVisit {
    /// The texts of the page, with those of the project.
    var pageTexts: PageTexts { allTexts.pages }
    var texts: PageTexts.HostedSignIn { pageTexts.hostedSignIn }

    /// The ways to sign in beside the field of the address. Where a service is away, the others remain.
    func offer() async -> HostedOffer {
        async let passkeys = offersPasskeys()
        async let providers = providers()
        return await HostedOffer(passkeys: passkeys, providers: providers)
    }

    /// What the script of the page tells the password manager about the passkey that it has offered. The form is that of this
    /// browser, so a link of somebody else names none.
    fileprivate func unknownPasskey(in response: String?) async -> HTML? {
        // `try?`: the password manager offers the passkey again.
        guard
            let body = try? RequestBody.decode(
                AuthenticatorResponseBody<AssertionBody>.self, from: .init((response ?? "").utf8)),
            let id = try? CredentialID(field: body.id),
            let party = try? await call.send(Passkey.DescribeRelyingParty(realm: realm)).relyingPartyID
        else { return nil }
        return """
            <div id="unknownPasskey" hidden="hidden" data-relying-party="\(party)" data-credential="\(id.description)"></div>
            """
    }

    /// Whether passkeys of the project work at the host of this page.
    func offersPasskeys() async -> Bool {
        guard configuration.passkeyConfig.allowsPasskeys else { return false }
        do {
            let id = try await call.send(Passkey.DescribeRelyingParty(realm: realm)).relyingPartyID
            return origin.host == id || origin.host.hasSuffix(".\(id)")
        } catch {
            return false  // The project has no relying party, or the service is away.
        }
    }
}

// MARK: - Errors

extension HostedSignInPages {
    /// Runs a handler, and turns each of its errors into a page.
    /// - Parameter address: the page of the visit, where the request has another address.
    static func respond(
        _ call: Call, at address: HTTPRequest? = nil, _ handler: (HostedVisit) async throws -> HTTPResponse
    ) async -> HTTPResponse {
        do {
            let visit = try await HostedVisit(call, at: address ?? call.request)
            do {
                return try await handler(visit)
            } catch is HostedVisit.ForeignFormError where visit.hasSignedIn {
                // The way back led to a form of the sign-in.
                return visit.redirect(to: path)
            } catch {
                var page = page(for: error, in: visit.allTexts, call)
                page.content = "\(page.content)\(HostedSignInView(visit: visit).startAgain)"
                return visit.respond(page)
            }
        } catch {
            let language = Language.find(
                call.request.queryItem("hl"), acceptLanguage: call.request.headers["accept-language"])
            return page(for: error, in: language.pageTextSet, call).response
        }
    }

    static func page(for error: any Error, in all: PageTextSet, _ call: Call) -> Page {
        let (texts, language) = (all.pages, all.language)
        switch error {
        case let error as UnknownAppError: return call.page(texts.providerSignIn.unknownApp, for: error, in: language)
        case is HostedVisit.ForeignFormError:
            return .message(texts.hostedSignIn.foreignForm, in: language, status: 403)
        case let error as ServiceError:
            let refusal = HostedRefusal(error.code)
            var page = Page.message(refusal.message(in: all), in: language, status: refusal.status)
            page.state(retryAfterSeconds: error.retryAfterSeconds, limit: error.limit)
            return page
        case let failure as SignInFailure:
            return .message(failure.text(in: texts), in: language, status: failure.status)
        case is APIError: return .message(texts.hostedSignIn.foreignForm, in: language, status: 400)
        default:
            call.gateway.dependencies.report(error, call.trace)
            return .message(texts.unavailable, in: language, status: 500)
        }
    }
}
