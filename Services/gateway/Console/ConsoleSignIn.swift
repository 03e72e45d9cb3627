import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The sign-in of operators: the password, then a code of an authenticator app. The first sign-in adds the app. The handlers
/// send the requests of every sign-in, so that its limits hold here.
enum ConsoleSignIn {
    static let path = "/console/sign-in"
    static let codePath = "\(path)/code"
    static let enrollPath = "\(path)/enroll"
    static let welcomePath = "/console/welcome"

    static let routes: [Route] = [
        page(.get, path) { visit in visit.signInPage() },
        page(.post, path, hashesPassword: true, signIn),
        page(.get, codePath, openCode), page(.post, codePath, verifyCode),
        page(.get, enrollPath, openEnrollment), page(.post, enrollPath, enroll),
        page(.get, welcomePath) { visit in visit.welcomePage(code: visit.call.request.queryItem("code") ?? "") },
        page(.post, welcomePath, hashesPassword: true, setPassword),
    ]

    private static func page(
        _ method: HTTPMethod, _ path: String, hashesPassword: Bool = false,
        _ handler: @escaping @Sendable (ConsoleSignInVisit) async throws -> HTTPResponse
    ) -> Route {
        Route(
            method, .local(path), .page, .console, rate: method == .post ? .signIn : .other,
            hashesPassword: hashesPassword
        ) { call in
            let visit = ConsoleSignInVisit(call)
            do {
                guard method == .post else { return try await handler(visit) }
                guard let form = try visit.ownForm() else { throw ConsoleRefusal.foreignForm }
                return try await handler(visit.with(form))
            } catch let error as ServiceError where ended.contains(error.code) {
                return visit.redirect(to: ConsoleSignIn.path)
            } catch {
                return ConsolePages.page(for: error, in: visit.language, call).response
            }
        }
    }

    /// The sign-in begins again.
    private static let ended: Set<WireError.Code> = [
        .invalidPendingCredential, .pendingCredentialExpired, .factorChallengeTimedOut, .factorNotFound,
        .sessionExpired, .invalidIDToken, .missingIDToken, .recentSignInRequired, .verificationSessionExpired,
        .invalidVerificationSession,
    ]

    /// - Parameter target: the page to which the sign-in leads.
    static func redirect(to target: String) -> HTTPResponse {
        let address = HostedVisit.address(path, [(ConsoleSignInVisit.target, target)])
        return HTTPResponse(status: 303, headers: [("Location", address)])
    }

    // MARK: Password

    private static func signIn(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        let (email, password) = (visit.form["email"] ?? "", visit.form["password"] ?? "")
        do {
            let reply = try await visit.call.send(
                Identity.SignInWithPassword(
                    realm: .operators, email: email, password: Secret(password), client: visit.call.client),
                timeout: Call.signInTimeout)
            // Another token for the forms of the next step (security rule TK10).
            var flow = HostedFlow().begun()
            if let pending = reply.secondFactor {
                flow.pendingCredential = pending.pendingCredential.reveal()
                return visit.redirect(to: codePath, flow)
            }
            // A session of an operator has two factors: this one can only add the second.
            flow.enrollmentToken = reply.tokens?.idToken.reveal()
            return visit.redirect(to: enrollPath, flow)
        } catch let error as ServiceError where wrong.contains(error.code) {
            return visit.signInPage(
                email: email, refusal: visit.language.pageTexts.passkeyPage.messages.invalidCredentials)
        }
    }

    /// One sentence for each (security rule EN1). Before the first operator, the realm does not exist.
    private static let wrong: Set<WireError.Code> = [
        .invalidCredentials, .invalidPassword, .emailNotFound, .invalidEmail, .missingEmail, .missingPassword,
        .projectNotFound, .accountDisabled,
    ]

    // MARK: Code

    private static func openCode(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        guard visit.flow.pendingCredential != nil else { return visit.redirect(to: path) }
        return visit.codePage()
    }

    private static func verifyCode(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        guard let credential = visit.flow.pendingCredential.map({ Secret($0) }) else {
            return visit.redirect(to: path)
        }
        let pending = try await visit.call.send(
            Identity.ResolvePendingSignIn(
                project: .operators, tenant: nil, pendingCredential: credential, method: .totp))
        do {
            let reply = try await visit.call.send(
                MFATOTP.FinishSignIn(
                    project: .operators, pendingCredential: credential, factorID: pending.factors.first?.id,
                    code: Secret(visit.digits), client: visit.call.client), timeout: Call.signInTimeout)
            return try await open(visit, reply.tokens)
        } catch let error as ServiceError where HostedRefusal(error.code) == .wrongCode {
            return visit.codePage(refusal: visit.language.pageTexts.hostedSignIn.wrongCode)
        }
    }

    // MARK: Authenticator app

    private static func openEnrollment(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        guard let token = visit.flow.enrollmentToken else { return visit.redirect(to: path) }
        let reply = try await visit.call.send(
            MFATOTP.StartEnrollment(realm: .operators, idToken: Secret(token), qrCode: .svg))
        return visit.enrollmentPage(reply)
    }

    private static func enroll(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        guard let token = visit.flow.enrollmentToken else { return visit.redirect(to: path) }
        let session = visit.form[TOTPEnrollmentView.sessionField] ?? ""
        do {
            let reply = try await visit.call.send(
                MFATOTP.FinishEnrollment(
                    realm: .operators, idToken: Secret(token), sessionInfo: Secret(session),
                    code: Secret(visit.digits), displayName: visit.language.pageTexts.authenticatorApp,
                    locale: visit.language.rawValue, client: visit.call.client), timeout: Call.signInTimeout)
            return try await open(visit, reply.tokens)
        } catch let error as ServiceError where HostedRefusal(error.code) == .wrongCode {
            return visit.enrollmentPage(session: session, refusal: visit.language.pageTexts.hostedSignIn.wrongCode)
        }
    }

    /// Opens the session of the console, in the place of a former one of this browser.
    private static func open(_ visit: ConsoleSignInVisit, _ tokens: TokenSet) async throws -> HTTPResponse {
        let former = visit.call.consoleCookie(.session).value(in: visit.call.request.headers)
        let reply = try await visit.call.send(
            Identity.OpenOperatorSession(
                idToken: tokens.idToken, formerToken: former.map { Secret($0) }, client: visit.call.client))
        return HTTPResponse(
            status: 303,
            headers: [
                ("Location", visit.targetPath ?? ConsolePages.path),
                visit.call.consoleCookie(.session).field(reply.token.reveal(), seconds: cookieSeconds),
                visit.call.consoleCookie(.flow).field("", seconds: 0),
            ])
    }

    /// Identity ends the session earlier.
    private static let cookieSeconds = 12 * 60 * 60

    // MARK: First password

    private static func setPassword(_ visit: ConsoleSignInVisit) async throws -> HTTPResponse {
        let code = visit.form["code"] ?? ""
        do {
            _ = try await visit.call.send(
                Identity.ResetPassword(
                    realm: .operators, code: Secret(code), newPassword: Secret(visit.form["password"] ?? ""),
                    locale: visit.language.rawValue, client: visit.call.client), timeout: Call.signInTimeout)
            return visit.redirect(to: path, HostedFlow())
        } catch let error as ServiceError {
            switch error.code {
            case .weakPassword, .passwordPolicyViolated, .missingPassword:
                return visit.welcomePage(code: code, refusal: visit.texts.weakPassword)
            case .invalidActionCode, .missingActionCode, .expiredActionCode, .projectNotFound:
                return visit.message(visit.language.pageTexts.invalidLink, status: 400)
            default: throw error
            }
        }
    }
}
