import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The account page: a page for each task, to which an application can link. Each is a server-rendered form, answered with
/// a redirect. The handlers send the same requests as the routes of the REST protocol.
enum AccountPages {
    static let path = "/__/auth/account"
    static let namePath = "\(path)/name"
    static let emailPath = "\(path)/email"
    static let verifyEmailPath = "\(path)/verify-email"
    static let securityPath = "\(path)/security"
    static let passwordPath = "\(path)/password"
    static let authenticatorPath = "\(path)/authenticator"
    static let factorNamePath = "\(path)/factor-name"
    static let recoveryCodesPath = "\(path)/recovery-codes"
    static let passkeyPath = "\(path)/passkey"
    static let passkeyNamePath = "\(path)/passkey-name"
    static let removalPath = "\(path)/remove"
    static let devicesPath = "\(path)/devices"
    static let connectionsPath = "\(path)/connections"
    static let dataPath = "\(path)/data"
    static let deletionPath = "\(path)/delete"

    static let routes: [Route] =
        detailRoutes + passwordRoutes + factorRoutes + passkeyRoutes + phoneRoutes + removalRoutes + deviceRoutes
        + connectionRoutes + dataRoutes + [
            get(securityPath, openSecurity), changePassword,
            ScriptFile.accountPasskey.route(), ScriptFile.accountSignals.route(),
        ]

    typealias Handler = @Sendable (AccountVisit) async throws -> HTTPResponse

    static func get(_ path: String, rate: RateLimitClass = .other, _ handler: @escaping Handler) -> Route {
        Route(.get, .local(path), .page, .unauthenticated, rate: rate) { call in await respond(call, handler) }
    }

    /// A form. Its page has the same path, so that a new sign-in leads back to it.
    static func post(_ path: String, hashesPassword: Bool = false, _ handler: @escaping Handler) -> Route {
        Route(.post, .local(path), .page, .unauthenticated, rate: .signIn, hashesPassword: hashesPassword) { call in
            await respond(call, handler)
        }
    }

    /// Runs a handler for a signed-in user. Without a session, and where an operation demands a new sign-in, the answer
    /// leads to the sign-in and back.
    /// - Parameter address: the page of the visit, where the request has another address.
    static func respond(_ call: Call, at address: HTTPRequest? = nil, _ handler: Handler) async -> HTTPResponse {
        await HostedSignInPages.respond(call, at: address) { visit in
            let path = (address ?? call.request).path
            guard let session = try await HostedSession(of: visit) else { return visit.redirectToSignIn(from: path) }
            let account = AccountVisit(visit: visit, session: session, flow: visit.flow.begun())
            do {
                return try await handler(account)
            } catch let error as ServiceError where HostedRefusal(error.code) == .signInAgain {
                return account.mustEnroll ? account.redirect(to: authenticatorPath) : account.stepUp(from: path)
            }
        }
    }

    /// Where a password manager leads its user (W3C, A Well-Known URL for Changing Passwords). It is the page of the default
    /// project: a host has one.
    private static let changePassword = Route(
        .get, .local("/.well-known/change-password"), .v1, .unauthenticated
    ) { call in
        guard let page = try await call.accountPage(of: call.settings.project, passwordPath) else {
            throw APIError.pathNotFound
        }
        return HTTPResponse(status: 302, headers: [("Location", page)])
    }

    // MARK: Overviews

    private static func openSecurity(_ account: AccountVisit) async throws -> HTTPResponse {
        let codes: Int? =
            account.account.secondFactors.isEmpty
            ? nil
            : try await account.call.send(
                Identity.CountRecoveryCodes(realm: account.visit.realm, idToken: account.session.tokens.idToken)
            ).remaining
        let passkeys = await account.visit.offersPasskeys()
        return account.respond(account.view.securityPage(recoveryCodes: codes, offersPasskeys: passkeys))
    }
}

extension Call {
    /// The address of an account page of the default project, for programs that know no API key.
    /// - Returns: nil without a default project, and in production for one without a key.
    func accountPage(of project: ProjectID?, _ path: String) async throws -> String? {
        guard let project else { return nil }
        let reply = try await send(Identity.ResolveConfiguration(realm: Realm(project: project)))
        let key = reply.configuration.client?.apiKey.map { "?apiKey=\(PercentEncoding.encoded($0))" }
        guard key != nil || settings.isDev else { return nil }
        return path + (key ?? "")
    }
}
