import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The accounts of identity providers with which a user signs in. A provider sends the user to the handler of all sign-ins,
/// which goes on here.
extension AccountPages {
    static let connectPath = "\(path)/connect"

    static let connectionRoutes: [Route] = [
        get(connectionsPath) { account in await respondWithConnections(account) },
        post(connectPath, connect),
        // Where a new sign-in leads back to.
        get(connectPath) { account in account.redirect(to: connectionsPath) },
    ]

    private static func respondWithConnections(_ account: AccountVisit, refusal: String? = nil) async -> HTTPResponse {
        account.respond(account.view.connectionsPage(await account.visit.providers(), refusal: refusal))
    }

    /// Sends the user to a provider. A new sign-in is demanded before, not after the return.
    private static func connect(_ account: AccountVisit) async throws -> HTTPResponse {
        let form = try account.visit.form()
        let visit = account.visit
        _ = try await account.call.send(
            Identity.VerifyIDToken(
                realm: visit.realm, idToken: account.session.tokens.idToken, demandsRecentSignIn: true))
        let (url, fields) = try await SignInVisit(account.call).open(
            providerID: form["provider"] ?? "", of: visit.realm, at: visit.origin
        ) { reply in
            StartedSignIn(
                state: reply.state.reveal(), sessionID: reply.sessionID.reveal(), apiKey: visit.apiKey,
                tenantID: visit.realm.tenant?.rawValue, language: visit.language.rawValue, channel: nil,
                hostedQuery: visit.query, linkedAccountID: account.account.id.rawValue)
        }
        var response = account.respond(
            HostedSignInView(visit: visit).leavingPage(account.all.appVerification.title, to: url))
        response.headers += fields
        return response
    }

    /// Links the account of this browser with the response of a provider.
    /// - Parameter started: from the cookie of this browser.
    static func finishConnecting(
        _ call: Call, _ started: StartedSignIn, _ form: ProviderResponseForm
    ) async -> HTTPResponse {
        let address = HTTPRequest(.get, connectionsPath, query: started.hostedQuery ?? "")
        return await respond(call, at: address) { account in
            guard account.account.id.rawValue == started.linkedAccountID else {
                return await respondWithConnections(
                    account, refusal: account.visit.allTexts.connections.otherUser)
            }
            if let code = form["error"] {
                let failure = SignInFailure(providerError: code)
                guard failure == .canceled else { throw failure }
                return account.redirect(to: connectionsPath)
            }
            let reply = try await call.send(
                Federation.SignIn(
                    realm: account.visit.realm, requestURL: account.visit.origin.text + SignInPages.handlerPath,
                    response: form.response, sessionID: Secret(started.sessionID),
                    linkIDToken: account.session.tokens.idToken, client: account.visit.client),
                timeout: IdentityToolkit.providerSignInTimeout
            ).signIn
            if let conflict = reply.conflict {
                let texts = account.visit.allTexts.connections
                let refusal =
                    switch conflict {
                    case .identityLinked: texts.identityTaken
                    case .emailExists: texts.addressTaken
                    }
                return await respondWithConnections(account, refusal: refusal)
            }
            // With an ID token there is neither a second step nor another account.
            guard let session = reply.session else { throw ServiceError(.internal) }
            return account.redirect(to: connectionsPath, .added, session.tokens)
        }
    }
}
