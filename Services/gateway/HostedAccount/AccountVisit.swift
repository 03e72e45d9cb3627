import Contracts
import HTTPServer
import Pages
import Vocabulary

/// One visit of a signed-in user to the account page.
struct AccountVisit: Sendable {
    let visit: HostedVisit
    let session: HostedSession
    let flow: HostedFlow

    var account: Account { session.account }
    var call: Call { visit.call }
    var texts: PageTexts.Account { visit.allTexts.account }
    var all: PageTexts { visit.pageTexts }
    var view: AccountView { AccountView(visit: self) }

    func item(_ name: String) -> String? { call.request.queryItem(name).nilIfEmpty }

    /// Sends a change of the account, and answers its form with the next page.
    func change(
        _ changes: Identity.OwnAccountChanges, then path: String, _ notice: AccountNotice
    ) async throws -> HTTPResponse {
        let reply = try await call.send(
            Identity.UpdateOwnAccount(
                realm: visit.realm, idToken: session.tokens.idToken, changes: changes,
                locale: visit.language.rawValue, client: visit.client), timeout: Call.signInTimeout)
        return redirect(to: path, notice, reply.tokens)
    }

    /// The project demands a second factor, and the account has none: until then its session can only add one.
    var mustEnroll: Bool { visit.configuration.requiresSecondFactor && account.secondFactors.isEmpty }

    // MARK: Answers

    /// - Parameter tokens: of the session after an operation that continues it.
    func redirect(to path: String, _ notice: AccountNotice? = nil, _ tokens: TokenSet? = nil) -> HTTPResponse {
        let location = notice.map { visit.address(path, (AccountNotice.item, $0.rawValue)) } ?? visit.address(path)
        return HTTPResponse(
            status: 303,
            headers: [("Location", location)] + HostedSession.fields(storing: tokens ?? session.tokens, of: visit))
    }

    func respond(_ page: Page, _ tokens: TokenSet? = nil) -> HTTPResponse {
        var response = visit.respond(page, flow)
        response.headers += HostedSession.fields(storing: tokens ?? session.tokens, of: visit)
        return response
    }

    /// Asks for a new sign-in, which leads back to the page of the form.
    func stepUp(from path: String) -> HTTPResponse {
        var flow = HostedFlow()
        flow.email = account.email?.rawValue
        // Whoever has a passkey finds it on the first page of the sign-in.
        let step: HostedStep? = account.hasPassword && account.passkeys.isEmpty ? .password : nil
        return visit.redirectToSignIn(from: path, flow, step: account.email == nil ? nil : step)
    }
}

/// What the next page says about a form.
enum AccountNotice: String, Sendable, CaseIterable {
    case saved, added, removed, ended, mailSent

    static let item = "done"

    func sentence(_ texts: PageTexts.Account) -> String {
        switch self {
        case .saved: texts.saved
        case .added: texts.added
        case .removed: texts.removed
        case .ended: texts.ended
        case .mailSent: texts.mailSent
        }
    }
}

extension HostedVisit {
    /// Leads to the sign-in, and from there back to a page of the account.
    func redirectToSignIn(from path: String, _ flow: HostedFlow? = nil, step: HostedStep? = nil) -> HTTPResponse {
        // `try?`: only a form has fields.
        let form = call.request.method == .post ? (try? RequestBody.form(from: call.request)) ?? [:] : [:]
        let kept = ["kind", "id"].compactMap { name in
            (form[name] ?? call.request.queryItem(name)).nilIfEmpty.map { (name: name, value: $0) }
        }
        let back = origin.text + Self.address(path, items + (path == call.request.path ? kept : []))
        var target =
            items.filter { $0.name != "continueUrl" } + [
                ("continueUrl", back), ("prompt", HostedPrompt.login.rawValue),
            ]
        if let step { target.append(("step", step.rawValue)) }
        let cookie = flow.map { [$0.field(of: realm, isSecure: origin.isSecure)] } ?? []
        return HTTPResponse(
            status: 303, headers: [("Location", Self.address(HostedSignInPages.path, target))] + cookie)
    }
}
