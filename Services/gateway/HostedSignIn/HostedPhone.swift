import Contracts
import HTTPServer
import Pages
import Vocabulary

/// What a number is asked for on the hosted sign-in.
enum HostedPhoneTask: CaseIterable, Sendable {
    /// Sign-in and sign-up. The answers to a number are the same with an account and without (security rule EN2): an account
    /// is created, and a number that does not sign in is refused, when the code was right.
    case signIn
    /// Text messages as the second factor of an account that must have one.
    case enrollment

    var path: String {
        switch self {
        case .signIn: HostedSignInPages.phonePath
        case .enrollment: HostedSignInPages.enrollPhonePath
        }
    }

    var codePath: String {
        switch self {
        case .signIn: HostedSignInPages.phoneCodePath
        case .enrollment: HostedSignInPages.enrollPhoneCodePath
        }
    }
}

extension HostedSignInPages {
    static let phonePath = "\(path)/phone"
    static let phoneCodePath = "\(path)/phone-code"

    static let phoneRoutes: [Route] = HostedPhoneTask.allCases.flatMap { task -> [Route] in
        [
            Route(.post, .local(task.path), .page, .unauthenticated, rate: .signIn) { call in
                await respond(call) { visit in
                    let form = try visit.form()
                    // The button for another code sends it to the same number.
                    let number = form["number"] ?? visit.flow.phoneNumber ?? ""
                    switch task {
                    case .signIn: return try await sendPhoneCode(to: number, form, visit)
                    case .enrollment: return try await sendEnrollmentCode(to: number, form, visit)
                    }
                }
            },
            Route(.post, .local(task.codePath), .page, .unauthenticated, rate: .signIn) { call in
                switch task {
                case .signIn: await respond(call, verifyPhoneCode)
                case .enrollment: await respond(call, enrollPhone)
                }
            },
        ]
    }

    /// Whether a text of the first page is meant as a number. The service decides whether it is one.
    static func isNumber(_ text: String) -> Bool {
        text.unicodeScalars.contains { ("0"..."9").contains($0) }
            && text.unicodeScalars.allSatisfy {
                ("0"..."9").contains($0) || "+-()./ \u{A0}".unicodeScalars.contains($0)
            }
    }

    /// - Parameter form: with the proof, if the browser has solved a challenge already.
    static func sendPhoneCode(
        to number: String, _ form: [String: String], _ visit: HostedVisit
    ) async throws -> HTTPResponse {
        guard let credential = try await visit.appCredential(form) else {
            return visit.respond(try await visit.messageCheckPage(phonePath, visit.flow, [("number", number)]))
        }
        do {
            let reply = try await visit.call.send(
                MFASMS.StartPhoneSignIn(
                    realm: visit.realm, phoneNumber: number, concealsAccount: true, appCredential: credential,
                    locale: visit.language.rawValue, client: visit.client))
            var flow = visit.flow.restarted()
            flow.phoneNumber = number
            flow.smsSession = reply.sessionInfo.reveal()
            return visit.redirect(to: path, flow, step: .phoneCode)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(forNumber: error, isSignedIn: false) else { throw error }
            return visit.respond(
                HostedSignInView(visit: visit).numberPage(.signIn, visit.flow, number, refusal: refusal))
        }
    }

    private static func verifyPhoneCode(_ visit: HostedVisit) async throws -> HTTPResponse {
        let form = try visit.form()
        guard visit.flow.phoneNumber != nil, let session = visit.flow.smsSession.map(Secret.init) else {
            return visit.redirect(to: path)
        }
        do {
            let reply = try await visit.call.send(
                MFASMS.FinishPhoneSignIn(
                    realm: visit.realm, sessionInfo: session, code: Secret(digits(form["code"])), intent: .signUpOrIn,
                    client: visit.client), timeout: Call.signInTimeout)
            return await finish(visit, reply.session?.tokens, orPending: reply.pending?.secondFactor)
        } catch let error as ServiceError {
            guard let refusal = visit.sentence(for: error) else { throw error }
            let view = HostedSignInView(visit: visit)
            // The code was right: only another number helps.
            guard HostedRefusal(error.code) != .numberHasOtherRole else {
                return visit.respond(
                    view.numberPage(.signIn, visit.flow.restarted(), visit.flow.phoneNumber ?? "", refusal: refusal))
            }
            return visit.respond(view.phoneCodePage(.signIn, visit.flow, refusal: refusal))
        }
    }
}

extension HostedVisit {
    /// A phone is a first factor only for the project's own users (REST 1.8).
    var offersPhoneSignIn: Bool { realm.tenant == nil && configuration.allowsPhoneSignIn }
}
