import Contracts
import Pages
import Vocabulary

/// Before a text message costs something, the browser solves a challenge, as for every message that a page requests.
extension HostedVisit {
    /// The proof in a form that asks for a message.
    /// - Returns: nil for a form without an answer. Dev mode asks for none, as everywhere.
    func appCredential(_ form: [String: String]) async throws -> MFASMS.AppCredential? {
        if call.settings.isDev { return .init(clientType: .web) }
        let challenge = form["challenge"].nilIfEmpty
        let token = form["recaptchaToken"].nilIfEmpty
        guard challenge != nil || token != nil else { return nil }
        let reply = try await call.send(
            MFASMS.FinishWebChallenge(
                project: realm.project, challenge: challenge.map(Secret.init), answer: form["answer"],
                recaptchaToken: token.map(Secret.init), client: client))
        return .init(recaptchaToken: reply.token, clientType: .web)
    }

    /// The page with the challenge. Its script sends the form again, with the answer.
    /// - Parameters:
    ///   - path: of the form.
    ///   - items: what the form had.
    func messageCheckPage(
        _ path: String, _ flow: HostedFlow, _ items: [(name: String, value: String)]
    ) async throws -> Page {
        let method: AppVerificationView.Method
        if let siteKey = call.settings.recaptchaSiteKey {
            method = .recaptcha(siteKey: siteKey)
        } else {
            method = .challenge(
                try await call.send(MFASMS.StartWebChallenge(project: realm.project, client: client)))
        }
        let proof = [(name: "challenge", value: ""), (name: "answer", value: ""), (name: "recaptchaToken", value: "")]
        let form = HostedSignInView(visit: self).form(path, flow, HTML.hidden(items + proof), id: "proof")
        return AppVerificationView(language: language, request: nil, branding: branding).page(method, form: form)
    }
}
