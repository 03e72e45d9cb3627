import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The second step of the hosted sign-in: a code of an authenticator app or of a text message, or a recovery code.
extension HostedSignInPages {
    static let factorPath = "\(path)/factor"
    static let codePath = "\(path)/code"
    static let recoveryPath = "\(path)/recovery"

    static let secondStepRoutes: [Route] = [
        Route(.post, .local(factorPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, choose)
        },
        Route(.post, .local(codePath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, verifyCode)
        },
        Route(.post, .local(recoveryPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, verifyRecoveryCode)
        },
    ]

    /// What the user can confirm with, the factor of the last sign-in first. The service decides with each code whether
    /// the sign-in is still pending.
    private static func view(_ visit: HostedVisit, _ flow: HostedFlow) async throws -> HostedSecondStepView {
        let reply = try await visit.call.send(
            Identity.ResolvePendingSignIn(
                project: visit.realm.project, tenant: visit.realm.tenant, pendingCredential: visit.pendingCredential,
                method: .totp))
        let last = visit.lastFactorID
        let passkeys = if reply.hasPasskeys == true { await visit.offersPasskeys() } else { false }
        return HostedSecondStepView(
            visit: visit, flow: flow,
            factors: reply.factors.filter { $0.id.rawValue == last } + reply.factors.filter { $0.id.rawValue != last },
            offersPasskeys: passkeys)
    }

    static func openSecondStep(_ visit: HostedVisit, _ flow: HostedFlow) async throws -> HTTPResponse {
        let view = try await view(visit, flow)
        if visit.call.request.queryItem("step") == HostedStep.recoveryCode.rawValue {
            return visit.respond(view.recoveryPage(), flow)
        }
        // The code of the only authenticator app, or of that of the last sign-in, is asked for at once.
        guard let page = view.codePage() else { return visit.respond(view.choicePage, flow) }
        return visit.respond(page, flow)
    }

    /// Chooses a factor, and sends a text message if it needs one.
    private static func choose(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        guard let factor = try await view(visit, visit.flow).factors.first(where: { $0.id.rawValue == form["factor"] })
        else {
            throw ServiceError(.factorNotFound)
        }
        var flow = visit.flow
        flow.factorID = factor.id.rawValue
        flow.smsSession = nil
        switch factor.kind {
        case .totp: break
        case .phone:
            guard let credential = try await visit.appCredential(form) else {
                return visit.respond(
                    try await visit.messageCheckPage(factorPath, flow, [("factor", factor.id.rawValue)]))
            }
            let reply = try await visit.call.send(
                MFASMS.StartSignIn(
                    project: visit.realm.project, tenant: visit.realm.tenant,
                    pendingCredential: visit.pendingCredential, factorID: factor.id, appCredential: credential,
                    locale: visit.language.rawValue, client: visit.client))
            flow.smsSession = reply.sessionInfo.reveal()
        }
        return visit.redirect(to: path, flow, step: .code)
    }

    private static func verifyCode(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let view = try await view(visit, visit.flow)
        guard let factor = view.factor else { return visit.redirect(to: path, step: .secondFactor) }
        let code = Secret(digits(form["code"]))
        do {
            let (account, tokens): (Account, TokenSet)
            switch factor.kind {
            case .totp:
                let reply = try await visit.call.send(
                    MFATOTP.FinishSignIn(
                        project: visit.realm.project, tenant: visit.realm.tenant,
                        pendingCredential: visit.pendingCredential, factorID: factor.id, code: code,
                        client: visit.client), timeout: Call.signInTimeout)
                (account, tokens) = (reply.account, reply.tokens)
            case .phone:
                let reply = try await visit.call.send(
                    MFASMS.FinishSignIn(
                        project: visit.realm.project, tenant: visit.realm.tenant,
                        pendingCredential: visit.pendingCredential,
                        sessionInfo: visit.flow.smsSession.map(Secret.init), code: code, client: visit.client),
                    timeout: Call.signInTimeout)
                (account, tokens) = (reply.account, reply.tokens)
            }
            var response = await finish(visit, tokens, offeringPasskeyTo: account)
            response.headers.append(
                visit.cookie(.factor).field(factor.id.rawValue, seconds: HostedSession.cookieSeconds))
            if form[rememberField] != nil { response.headers += await rememberDevice(visit, tokens) }
            return response
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(for: error) else { throw error }
            let page = view.codePage(refusal: refusal, remembersDevice: form[rememberField] != nil)
            return visit.respond(page ?? view.choicePage)
        }
    }

    private static func verifyRecoveryCode(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        do {
            let reply = try await visit.call.send(
                Identity.SignInWithRecoveryCode(
                    project: visit.realm.project, tenant: visit.realm.tenant,
                    pendingCredential: visit.pendingCredential, code: form["code"].nilIfEmpty.map(Secret.init),
                    locale: visit.language.rawValue, client: visit.client), timeout: Call.signInTimeout)
            return await finish(visit, reply.tokens)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(for: error) else { throw error }
            return visit.respond(try await view(visit, visit.flow).recoveryPage(refusal: refusal))
        }
    }

    /// A pasted code may contain blanks.
    static func digits(_ text: String?) -> String {
        String(decoding: (text ?? "").utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }, as: UTF8.self)
    }
}

extension HostedVisit {
    fileprivate var pendingCredential: Secret<String>? { flow.pendingCredential.map(Secret.init) }

    var lastFactorID: String? { cookie(.factor).value(in: call.request.headers) }
}
