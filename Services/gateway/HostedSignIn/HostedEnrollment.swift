import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// Enrollment on the hosted sign-in, for accounts that must have a second factor: the address is verified first, then an
/// authenticator app is added, then the recovery codes are shown, once.
///
/// The session that permits nothing else is kept with the visit, not as the session of the browser.
extension HostedSignInPages {
    static let enrollPath = "\(path)/enroll"
    static let enrollEmailPath = "\(path)/enroll-email"

    static let enrollmentRoutes: [Route] = [
        Route(.post, .local(enrollPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, enrollApp)
        },
        Route(.post, .local(enrollEmailPath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, verifyAddress)
        },
    ]

    static func openEnrollment(_ visit: HostedVisit) async throws -> HTTPResponse {
        guard let (session, flow) = try await enrollment(of: visit) else { return visit.redirect(to: path) }
        let view = HostedEnrollmentView(visit: visit, flow: flow)
        guard session.account.emailVerified else {
            return visit.respond(view.addressPage(session.accountName), flow)
        }
        let reply = try await visit.call.send(
            MFATOTP.StartEnrollment(realm: visit.realm, idToken: session.tokens.idToken, qrCode: .svg))
        return visit.respond(view.appPage(reply), flow)
    }

    /// - Returns: nil where no enrollment was begun, and after an hour.
    private static func enrollment(
        of visit: HostedVisit
    ) async throws -> (session: HostedSession, flow: HostedFlow)? {
        guard let token = visit.flow.enrollmentToken, let session = try await HostedSession(token, of: visit) else {
            return nil
        }
        var flow = visit.flow
        flow.enrollmentToken = session.tokens.refreshToken.reveal()
        return (session, flow)
    }

    /// Sends an e-mail to the address of the account, or verifies the code of it.
    private static func verifyAddress(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        guard let (session, current) = try await enrollment(of: visit) else { return visit.redirect(to: path) }
        var flow = current
        if let code = form["code"] {
            do {
                _ = try await visit.call.send(
                    Identity.VerifyEmailWithCode(
                        realm: visit.realm, sessionInfo: flow.emailSession.map(Secret.init),
                        code: Secret(digits(code)), client: visit.client))
                flow.emailSession = nil
            } catch let error as ServiceError {
                guard let refusal = visit.sentence(for: error) else { throw error }
                let view = HostedEnrollmentView(visit: visit, flow: flow)
                return visit.respond(view.addressPage(session.accountName, refusal: refusal), flow)
            }
        } else if visit.configuration.allowsEmailCodes {
            let reply = try await visit.call.send(
                Identity.SendEmailCode(
                    realm: visit.realm, purpose: .verifyEmail, idToken: session.tokens.idToken,
                    locale: visit.language.rawValue, client: visit.client))
            flow.emailSession = reply.sessionInfo.reveal()
        } else {
            _ = try await visit.call.send(
                Identity.SendActionCode(
                    realm: visit.realm, purpose: .verifyEmail, idToken: session.tokens.idToken,
                    settings: .init(
                        continueURL: visit.origin.text + visit.address(path, ("step", HostedStep.enroll.rawValue))),
                    locale: visit.language.rawValue, client: visit.client))
            return visit.redirect(to: path, flow, step: .verificationSent)
        }
        return visit.redirect(to: path, flow, step: .enroll)
    }

    private static func enrollApp(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        guard let (session, flow) = try await enrollment(of: visit) else { return visit.redirect(to: path) }
        do {
            let reply = try await visit.call.send(
                MFATOTP.FinishEnrollment(
                    realm: visit.realm, idToken: session.tokens.idToken,
                    sessionInfo: form[TOTPEnrollmentView.sessionField].nilIfEmpty.map(Secret.init),
                    code: Secret(digits(form["code"])),
                    displayName: visit.language.pageTexts.authenticatorApp, locale: visit.language.rawValue,
                    client: visit.client),
                timeout: Call.signInTimeout)
            return try await showRecoveryCodes(of: reply.tokens, visit)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(for: error) else { throw error }
            let view = HostedEnrollmentView(visit: visit, flow: flow)
            return visit.respond(
                view.appCodePage(session: form[TOTPEnrollmentView.sessionField] ?? "", refusal: refusal), flow)
        }
    }

    /// The codes are in no later answer.
    private static func showRecoveryCodes(of tokens: TokenSet, _ visit: HostedVisit) async throws -> HTTPResponse {
        let reply = try await visit.call.send(
            Identity.GenerateRecoveryCodes(
                realm: visit.realm, idToken: tokens.idToken, locale: visit.language.rawValue, client: visit.client))
        let view = HostedEnrollmentView(visit: visit, flow: visit.flow)
        var response = visit.respond(view.recoveryCodesPage(reply.codes), visit.flow(after: .signedIn))
        response.headers += HostedSession.fields(storing: tokens, of: visit)
        return response
    }
}

extension TokenSet {
    /// The session permits the enrollment of a second factor only, as its ID token says to its application.
    var permitsEnrollmentOnly: Bool { says("second_factor_required") }

    /// The session permits the restoration of its account only.
    var permitsRestorationOnly: Bool { says("deletion_scheduled") }

    private func says(_ name: String) -> Bool {
        let parts = idToken.reveal().pieces(at: ".")
        // `try?`: the text of another token says nothing.
        guard parts.count == 3, let claims = parts.dropFirst().first.flatMap({ Base64URL.decode($0) }),
            let json = try? WireJSON.decode(JSONValue.self, from: Data(claims))
        else { return false }
        return json.members?["firebase"]?.members?[name] == .bool(true)
    }
}
