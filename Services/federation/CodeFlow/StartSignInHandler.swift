import Bus
import Contracts
import DatabaseService
import Vocabulary

/// Starts sign-ins in a browser (REST 2.5, the provider form).
struct StartSignInHandler: FederationComponent {
    let context: FederationContext

    private static let sessionBytes = 32
    private static let maximumSessionIDBytes = 512
    private static let maximumContextBytes = 4096

    func start(_ request: Federation.StartSignIn, _ call: BusCall) async throws -> Federation.StartSignIn.Reply {
        let provider = try await providers.configuredProvider(request.providerID, in: request.realm)
        let practicePage = isDev ? request.practicePageURL : nil
        guard provider != nil || practicePage != nil && PracticeProvider.replaces(request.providerID) else {
            throw ServiceError(.providerNotFound)
        }
        let configuration = try await configurations.configuration(
            forSignInTo: request.realm, call.options(at: now()))
        let redirectURL = try configuration.redirectURL(request.continueURL, isDev: isDev)
        guard (request.sessionID ?? "").utf8.count <= Self.maximumSessionIDBytes,
            (request.context ?? "").utf8.count <= Self.maximumContextBytes
        else { throw ServiceError(.invalidRequest, "sessionId or context is too long") }
        let (sessionID, sessionDigest) = try session(request)
        let state = Base64URL.encode(randomBytes(BrowserSignIn.stateBytes))
        let url: String
        if let provider, case .saml(let configuration) = provider.kind {
            // The provider posts to the configured address only.
            guard BrowserSignIn.address(redirectURL) == configuration.callbackURL else {
                throw ServiceError(.invalidContinueURL, "continueUri is not the callbackUri of \(provider.id)")
            }
            url = try await saml.requestURL(for: provider, configuration, state: state, in: request.realm)
        } else {
            let server = try await server(of: provider, practicePage: practicePage)
            url = try authorizationURL(request, of: provider, at: server, redirectURL: redirectURL, state: state)
        }
        try await store.insert(
            BrowserSignIn(
                stateDigest: BrowserSignIn.digest(state), realm: request.realm, providerID: request.providerID,
                sessionDigest: sessionDigest, redirectURL: redirectURL,
                context: request.context?.nilIfEmpty, expiresAt: now() + Federation.browserSignInLifetime))
        return .init(authorizationURL: url, sessionID: Secret(sessionID), state: Secret(state))
    }

    /// - Parameter provider: nil for the practice provider.
    private func authorizationURL(
        _ request: Federation.StartSignIn, of provider: Federation.Provider?, at server: AuthorizationServer,
        redirectURL: String, state: String
    ) throws(ServiceError) -> String {
        let secrets = store.browserSignInSecrets
        return try AuthorizationRequest(
            server: server, clientID: provider?.clientID ?? PracticeProvider.clientID, redirectURL: redirectURL,
            state: state, nonce: IDTokenRules.nonceClaim(forRaw: secrets.nonce(ofState: state)),
            codeChallenge: BrowserSignInSecrets.codeChallenge(of: secrets.codeVerifier(ofState: state)),
            scopes: request.scopes, parameters: request.parameters
        ).url()
    }

    /// The session ID of the reply and the digest that is stored.
    private func session(
        _ request: Federation.StartSignIn
    ) throws(ServiceError) -> (sessionID: String, digest: [UInt8]) {
        if let text = request.hashedSessionID?.nilIfEmpty {
            guard let digest = BrowserSignIn.digest(hexadecimal: text) else {
                throw ServiceError(.invalidRequest, "hashedSessionID is not a SHA-256")
            }
            return ("", digest)
        }
        let sessionID = request.sessionID?.nilIfEmpty ?? Base64URL.encode(randomBytes(Self.sessionBytes))
        return (sessionID, BrowserSignIn.digest(sessionID))
    }

    /// - Parameter provider: nil for the practice provider.
    private func server(
        of provider: Federation.Provider?, practicePage: String?
    ) async throws -> AuthorizationServer {
        guard let provider else { return PracticeProvider.server(page: practicePage) }
        return try await providers.adapter(of: provider).description.authorization
    }
}
