import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// Enrollment on the hosted sign-in, for accounts that must have a second factor: the address is verified first, then an
/// authenticator app or a phone number is added, then the recovery codes are shown, once.
///
/// The session that permits nothing else is kept with the visit, not as the session of the browser.
extension HostedSignInPages {
    static let enrollPath = "\(path)/enroll"
    static let enrollEmailPath = "\(path)/enroll-email"
    static let enrollPhonePath = "\(path)/enroll-phone"
    static let enrollPhoneCodePath = "\(path)/enroll-phone-code"

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
        let configuration = visit.configuration
        guard configuration.isEnabled(.totp) || !configuration.isEnabled(.phone) else {
            return visit.redirect(to: path, flow, step: .enrollPhone)
        }
        let reply = try await visit.call.send(
            MFATOTP.StartEnrollment(realm: visit.realm, idToken: session.tokens.idToken, qrCode: .svg))
        return visit.respond(view.appPage(reply), flow)
    }

    /// The page for the number, or for the code that was sent to it.
    static func openPhoneEnrollment(_ visit: HostedVisit, asksForCode: Bool) async throws -> HTTPResponse {
        guard let (session, flow) = try await enrollment(of: visit) else { return visit.redirect(to: path) }
        guard session.account.emailVerified, visit.configuration.isEnabled(.phone) else {
            return visit.redirect(to: path, flow, step: .enroll)
        }
        let view = HostedSignInView(visit: visit)
        let page =
            asksForCode && flow.smsSession != nil
            ? view.phoneCodePage(.enrollment, flow) : view.numberPage(.enrollment, flow)
        return visit.respond(page, flow)
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
                    displayName: visit.pageTexts.authenticatorApp, locale: visit.language.rawValue,
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

    /// - Parameter form: with the proof, if the browser has solved a challenge already.
    static func sendEnrollmentCode(
        to number: String, _ form: [String: String], _ visit: HostedVisit
    ) async throws -> HTTPResponse {
        guard let credential = try await visit.appCredential(form) else {
            return visit.respond(try await visit.messageCheckPage(enrollPhonePath, visit.flow, [("number", number)]))
        }
        guard let (session, current) = try await enrollment(of: visit) else { return visit.redirect(to: path) }
        var flow = current
        do {
            let sent = try await visit.call.send(
                MFASMS.StartEnrollment(
                    realm: visit.realm, idToken: session.tokens.idToken, phoneNumber: number,
                    appCredential: credential, locale: visit.language.rawValue, client: visit.client))
            flow.phoneNumber = number
            flow.smsSession = sent.sessionInfo.reveal()
            return visit.redirect(to: path, flow, step: .enrollPhoneCode)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(forNumber: error, isSignedIn: true) else { throw error }
            let view = HostedSignInView(visit: visit)
            return visit.respond(view.numberPage(.enrollment, flow, number, refusal: refusal), flow)
        }
    }

    static func enrollPhone(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        guard let (session, flow) = try await enrollment(of: visit) else { return visit.redirect(to: path) }
        do {
            let reply = try await visit.call.send(
                MFASMS.FinishEnrollment(
                    realm: visit.realm, idToken: session.tokens.idToken,
                    sessionInfo: flow.smsSession.map(Secret.init), code: Secret(digits(form["code"])),
                    displayName: nil, locale: visit.language.rawValue, client: visit.client),
                timeout: Call.signInTimeout)
            return try await showRecoveryCodes(of: reply.tokens, visit)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(for: error) else { throw error }
            let page = HostedSignInView(visit: visit).phoneCodePage(.enrollment, flow, refusal: refusal)
            return visit.respond(page, flow)
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
