import Contracts
import HTTPServer
import Pages
import Vocabulary

extension AccountPages {
    /// What a user adds a phone number for. Each has a page for the number, and one for the code that was sent to it.
    enum PhoneTask: String, CaseIterable, Sendable {
        case secondFactor = "text-messages"
        case signIn = "phone"

        var path: String { "\(AccountPages.path)/\(rawValue)" }
        var codePath: String { "\(path)-code" }

        /// The page that lists the number.
        var overview: String {
            switch self {
            case .secondFactor: AccountPages.securityPath
            case .signIn: AccountPages.path
            }
        }
    }

    static let phoneRoutes: [Route] = PhoneTask.allCases.flatMap { task -> [Route] in
        [
            get(task.path) { account in account.respond(account.view.numberPage(task)) },
            post(task.path) { account in try await sendCode(task, account) },
            get(task.codePath) { account in
                guard account.flow.smsSession != nil else { return account.redirect(to: task.path) }
                return account.respond(account.view.phoneCodePage(task))
            },
            post(task.codePath) { account in try await verifyCode(task, account) },
        ]
    }

    // MARK: The number

    /// Sends a code. The button for another one sends it to the same number.
    private static func sendCode(_ task: PhoneTask, _ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        let number = form["number"] ?? account.flow.phoneNumber ?? ""
        guard let credential = try await account.visit.appCredential(form) else {
            return account.respond(
                try await account.visit.messageCheckPage(task.path, account.flow, [("number", number)]))
        }
        do {
            let sent = try await send(task, number, credential, account)
            var flow = account.flow
            flow.phoneNumber = number
            flow.smsSession = sent.sessionInfo.reveal()
            return account.redirect(to: task.codePath, keeping: flow)
        } catch let error as ServiceError where HostedRefusal(error.code) == .emailNotConfirmed {
            return account.respond(account.view.unverifiedPage(account.view.title(of: task)))
        } catch let error as ServiceError {
            guard let refusal = account.visit.sentence(forNumber: error, isSignedIn: true) else { throw error }
            return account.respond(account.view.numberPage(task, number, refusal: refusal))
        }
    }

    private static func send(
        _ task: PhoneTask, _ number: String, _ credential: MFASMS.AppCredential, _ account: AccountVisit
    ) async throws -> MFASMS.SentCode {
        let (visit, idToken) = (account.visit, account.session.tokens.idToken)
        return switch task {
        case .secondFactor:
            try await account.call.send(
                MFASMS.StartEnrollment(
                    realm: visit.realm, idToken: idToken, phoneNumber: number, appCredential: credential,
                    locale: visit.language.rawValue, client: visit.client))
        case .signIn:
            try await account.call.send(
                MFASMS.StartPhoneSignIn(
                    realm: visit.realm, phoneNumber: number, idToken: idToken, appCredential: credential,
                    locale: visit.language.rawValue, client: visit.client))
        }
    }

    // MARK: The code

    private static func verifyCode(_ task: PhoneTask, _ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        guard let session = account.flow.smsSession.map(Secret.init) else { return account.redirect(to: task.path) }
        let code = Secret(HostedSignInPages.digits(form["code"]))
        let name = form["name"] ?? ""
        do {
            return switch task {
            case .secondFactor: try await enroll(session, code, name: name, account)
            case .signIn: try await setNumber(session, code, account)
            }
        } catch let error as ServiceError {
            guard let refusal = account.visit.sentence(for: error) else { throw error }
            return account.respond(account.view.phoneCodePage(task, name: name, refusal: refusal))
        }
    }

    /// The first factor of an account brings recovery codes, so that a lost phone does not lock its owner out.
    private static func enroll(
        _ session: Secret<String>, _ code: Secret<String>, name: String, _ account: AccountVisit
    ) async throws -> HTTPResponse {
        let visit = account.visit
        let isFirst = account.account.secondFactors.isEmpty
        let reply = try await account.call.send(
            MFASMS.FinishEnrollment(
                realm: visit.realm, idToken: account.session.tokens.idToken, sessionInfo: session, code: code,
                displayName: name.nilIfEmpty, locale: visit.language.rawValue, client: visit.client))
        return account.redirect(
            to: isFirst ? recoveryCodesPath : securityPath, isFirst ? nil : .added, reply.tokens,
            keeping: account.flow.restarted())
    }

    private static func setNumber(
        _ session: Secret<String>, _ code: Secret<String>, _ account: AccountVisit
    ) async throws -> HTTPResponse {
        let visit = account.visit
        let reply = try await account.call.send(
            MFASMS.FinishPhoneSignIn(
                realm: visit.realm, sessionInfo: session, code: code,
                intent: account.account.phoneNumber == nil ? .link : .update,
                idToken: account.session.tokens.idToken, client: visit.client), timeout: Call.signInTimeout)
        if reply.conflict != nil {
            return account.respond(
                account.view.numberPage(
                    .signIn, account.flow.phoneNumber ?? "", refusal: account.view.phoneTexts.numberTaken))
        }
        // With an ID token there is no second step.
        guard let signedIn = reply.session else { throw ServiceError(.internal) }
        return account.redirect(
            to: PhoneTask.signIn.overview, .saved, signedIn.tokens, keeping: account.flow.restarted())
    }
}

extension AccountVisit {
    /// - Parameter flow: what the next page needs to know.
    fileprivate func redirect(
        to path: String, _ notice: AccountNotice? = nil, _ tokens: TokenSet? = nil, keeping flow: HostedFlow
    ) -> HTTPResponse {
        var response = redirect(to: path, notice, tokens)
        response.headers.append(flow.field(of: visit.realm, isSecure: visit.origin.isSecure))
        return response
    }
}
