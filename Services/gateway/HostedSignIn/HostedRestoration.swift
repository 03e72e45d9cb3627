import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The page to which the sign-in to an account leads that is to be deleted. Its session can only restore the account.
extension HostedSignInPages {
    static let restorationRoutes: [Route] = [
        Route(.post, .local(restorePath), .page, .unauthenticated, rate: .signIn) { call in
            await respond(call, restore)
        }
    ]

    static func openRestoration(_ visit: HostedVisit) async throws -> HTTPResponse {
        guard let (session, flow) = try await restoration(of: visit) else { return visit.redirect(to: path) }
        return visit.respond(HostedSignInView(visit: visit).restorationPage(session, flow), flow)
    }

    /// - Returns: nil where no sign-in led here, after an hour, and for an account that is not to be deleted any more.
    private static func restoration(
        of visit: HostedVisit
    ) async throws -> (session: HostedSession, flow: HostedFlow)? {
        guard let token = visit.flow.restorationToken, let session = try await HostedSession(token, of: visit) else {
            return nil
        }
        var flow = visit.flow
        flow.restorationToken = session.tokens.refreshToken.reveal()
        return (session, flow)
    }

    private static func restore(_ visit: HostedVisit) async throws -> HTTPResponse {
        _ = try visit.form()
        guard let (session, _) = try await restoration(of: visit) else { return visit.redirect(to: path) }
        let reply = try await visit.call.send(
            Identity.RestoreOwnAccount(
                realm: visit.realm, idToken: session.tokens.idToken, client: visit.client),
            timeout: Call.signInTimeout)
        return await finish(visit, reply.tokens)
    }
}

extension HostedSignInView {
    func restorationPage(_ session: HostedSession, _ flow: HostedFlow) -> Page {
        let texts = visit.allTexts.deletion
        let date = session.account.deletionDueAt.map { visit.language.date($0) } ?? ""
        return Page(
            language: visit.language, title: texts.restoreTitle,
            content: """
                \(HTML.value(session.accountName))
                <p id="consequence">\(texts.restoreBody(date))</p>
                \(form(
                    HostedSignInPages.restorePath, flow,
                    .button(texts.restore, describedBy: "consequence", isWide: true)))
                \(again)
                """)
    }
}
