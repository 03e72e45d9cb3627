import Contracts
import HTTPServer
import Pages
import Vocabulary

/// Links and codes by e-mail on the hosted sign-in. The answer to a request for an e-mail is the same for an address without
/// an account (security rule EN2).
extension HostedSignInPages {
    static let emailPath = "\(path)/email"
    static let linkPath = "\(path)/link"
    static let emailCodePath = "\(path)/email-code"

    static let emailRoutes: [Route] = [
        Route(.post, .local(emailPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, sendEmail)
        },
        Route(.post, .local(linkPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, signInWithLink)
        },
        Route(.post, .local(emailCodePath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, signInWithEmailCode)
        },
    ]

    /// What the user asks for.
    enum EmailPurpose: String { case link, code, reset }

    private static func sendEmail(_ visit: HostedVisit) async throws -> HTTPResponse {
        let purpose = try visit.form()["purpose"].flatMap(EmailPurpose.init) ?? .reset
        guard let email = visit.flow.email else { return visit.redirect(to: path) }
        switch purpose {
        case .link:
            try await send(.emailSignIn, to: email, visit)
            return visit.redirect(to: path, step: .linkSent)
        case .reset:
            try await send(.passwordReset, to: email, visit)
            return visit.redirect(to: path, step: .resetSent)
        case .code:
            let reply = try await visit.call.send(
                Identity.SendEmailCode(
                    realm: visit.realm, purpose: .signIn, email: email, locale: visit.language.rawValue,
                    client: visit.client))
            var flow = visit.flow
            flow.emailSession = reply.sessionInfo.reveal()
            return visit.redirect(to: path, flow, step: .emailCode)
        }
    }

    private static func send(
        _ purpose: Identity.ActionPurpose, to email: String, _ visit: HostedVisit
    ) async throws {
        do {
            _ = try await visit.call.send(
                Identity.SendActionCode(
                    realm: visit.realm, purpose: purpose, email: email,
                    settings: .init(
                        continueURL: visit.origin.text + visit.address(path), isHandledInApp: purpose == .emailSignIn),
                    locale: visit.language.rawValue, client: visit.client))
        } catch let error as ServiceError where [.emailNotFound, .accountNotFound].contains(error.code) {
            // As for an account.
        }
    }

    private static func signInWithLink(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let email = form["email"].nilIfEmpty ?? visit.flow.email
        do {
            let reply = try await visit.call.send(
                Identity.SignInWithEmailLink(
                    realm: visit.realm, email: email, code: form["code"].nilIfEmpty.map(Secret.init),
                    client: visit.client), timeout: Call.signInTimeout)
            return await finish(visit, reply.tokens, orPending: reply.secondFactor)
        } catch let error as ServiceError where HostedRefusal(error.code) == .invalidEmail {
            let page = HostedSignInView(visit: visit).linkPage(
                visit.flow.restarted(email: email), code: form["code"] ?? "", isRefused: true)
            return visit.respond(page)
        }
    }

    private static func signInWithEmailCode(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        let flow = visit.flow
        guard flow.email != nil, let session = flow.emailSession else { return visit.redirect(to: path) }
        do {
            let reply = try await visit.call.send(
                Identity.SignInWithEmailCode(
                    realm: visit.realm, sessionInfo: Secret(session), code: Secret(digits(form["code"])),
                    client: visit.client), timeout: Call.signInTimeout)
            return await finish(visit, reply.tokens, orPending: reply.secondFactor)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(for: error) else { throw error }
            return visit.respond(HostedSignInView(visit: visit).emailCodePage(flow, refusal: refusal))
        }
    }
}
