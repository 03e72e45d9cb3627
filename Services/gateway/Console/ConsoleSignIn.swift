import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The sign-in of operators: a passkey, or the password and then a code of an authenticator app. The first sign-in adds one of
/// them. The handlers send the requests of every sign-in, so that its limits hold here.
enum ConsoleSignIn {
    static let path = "/console/sign-in"
    static let codePath = "\(path)/code"
    static let enrollPath = "\(path)/enroll"
    static let passkeyPath = "\(path)/passkey"
    static let factorPath = "\(path)/factor"
    static let welcomePath = "/console/welcome"

    static let routes: [Route] = [
        ScriptFile.consoleKeys.route(), ScriptFile.consoleSearch.route(),
        page(.get, path) { visit in visit.signInPage(passkeys: await visit.passkeyOffer()) },
        page(.post, path, hashesPassword: true, signIn),
        page(.get, codePath, openCode), page(.post, codePath, verifyCode),
        page(.get, enrollPath, openEnrollment), page(.post, enrollPath, enroll),
        page(.post, passkeyPath, signInWithPasskey),
        page(.get, factorPath) { visit in try await openFactorChoice(visit) }, page(.post, factorPath, addPasskey),
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
            } catch let error as ServiceError where HostedRefusal(error.code).beginsAgain {
                return visit.redirect(to: ConsoleSignIn.path)
            } catch {
                return ConsolePages.page(for: error, in: visit.language, call).response
            }
        }
    }

    /// - Parameter target: the page to which the sign-in leads. Of one that is too long for an address, the sign-in leads to its
    ///   path, or to the overview.
    static func redirect(to target: String) -> HTTPResponse {
        let known = [target, String(target.halves(at: "?").before)].first {
            $0.utf8.count <= ConsoleSignInVisit.maximumTargetBytes
        }
        let address = HostedVisit.address(path, [(ConsoleSignInVisit.target, known ?? ConsolePages.path)])
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
                guard !pending.factors.isEmpty else {
                    return visit.signInPage(
                        email: email, refusal: visit.passkeyTexts.needsPasskey, passkeys: await visit.passkeyOffer())
                }
                flow.pendingCredential = pending.pendingCredential.reveal()
                return visit.redirect(to: codePath, flow)
            }
            // A session of an operator has two factors: this one can only add the second.
            flow.enrollmentToken = reply.tokens?.idToken.reveal()
            return visit.redirect(to: factorPath, flow)
        } catch let error as ServiceError where HostedRefusal(error.code).isAboutCredentials {
            // One sentence for each (security rule EN1).
            return visit.signInPage(
                email: email, refusal: visit.language.pageTexts.passkeyPage.messages.invalidCredentials,
                passkeys: await visit.passkeyOffer())
        }
    }

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

    /// Opens the session of the console, in the place of a former one of this browser. Where the operator wants to add a
    /// factor, both factors lead to that first.
    static func open(_ visit: ConsoleSignInVisit, _ tokens: TokenSet) async throws -> HTTPResponse {
        if visit.targetPath == ConsolePages.addPasskeyPath {
            var flow = HostedFlow().begun()
            flow.enrollmentToken = tokens.idToken.reveal()
            return HTTPResponse(
                status: 303,
                headers: [
                    (
                        "Location",
                        HostedVisit.address(factorPath, [(ConsoleSignInVisit.target, ConsolePages.passkeysPath)])
                    ),
                    flow.field(of: .operators, isSecure: true),
                ])
        }
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
            let refusal = HostedRefusal(error.code)
            if refusal.isAboutPassword { return visit.welcomePage(code: code, refusal: visit.texts.weakPassword) }
            guard refusal.isAboutLink else { throw error }
            return visit.message(visit.language.pageTexts.invalidLink, status: 400)
        }
    }
}

extension HostedRefusal {
    /// The sign-in of an operator begins again.
    fileprivate var beginsAgain: Bool {
        switch self {
        case .signInAgain, .ended, .codeExpired: true
        case .wrongCredentials, .missingPassword, .weakPassword, .invalidEmail, .emailTaken, .emailNotConfirmed,
            .wrongCode, .invalidNumber, .numberTaken, .numberIsFactor, .numberHasOtherRole, .tooManyFactors,
            .noSecondStep, .invalidName, .appNotVerified, .refusedPasskey, .passkeyTimedOut, .passkeyExists,
            .identityTaken, .onlyWayIn, .accountDisabled, .signUpClosed, .notOffered, .unknownApp, .foreignForm,
            .invalidLink, .expiredLink, .providerRefused, .providerUnreachable, .limited, .unavailable, .unexpected:
            false
        }
    }

    /// The address, the password or both are wrong. Before the first operator the realm does not exist.
    fileprivate var isAboutCredentials: Bool {
        switch self {
        case .wrongCredentials, .missingPassword, .weakPassword, .invalidEmail, .accountDisabled, .notOffered: true
        case .emailTaken, .emailNotConfirmed, .wrongCode, .codeExpired, .invalidNumber, .numberTaken,
            .numberIsFactor, .numberHasOtherRole, .tooManyFactors, .noSecondStep, .invalidName, .appNotVerified,
            .refusedPasskey, .passkeyTimedOut, .passkeyExists, .identityTaken, .onlyWayIn, .signInAgain, .ended,
            .signUpClosed, .unknownApp, .foreignForm, .invalidLink, .expiredLink, .providerRefused,
            .providerUnreachable, .limited, .unavailable, .unexpected:
            false
        }
    }

    /// The link of a new operator is not valid.
    fileprivate var isAboutLink: Bool {
        switch self {
        case .invalidLink, .expiredLink, .notOffered: true
        case .wrongCredentials, .missingPassword, .weakPassword, .invalidEmail, .emailTaken, .emailNotConfirmed,
            .wrongCode, .codeExpired, .invalidNumber, .numberTaken, .numberIsFactor, .numberHasOtherRole,
            .tooManyFactors, .noSecondStep, .invalidName, .appNotVerified, .refusedPasskey, .passkeyTimedOut,
            .passkeyExists, .identityTaken, .onlyWayIn, .signInAgain, .ended, .accountDisabled, .signUpClosed,
            .unknownApp, .foreignForm, .providerRefused, .providerUnreachable, .limited, .unavailable, .unexpected:
            false
        }
    }
}
