import Bus
import Contracts
import Vocabulary

/// Starts sign-ins in a browser (REST 2.5, the provider form).
struct StartSignInHandler: Sendable {
    let now: @Sendable () -> Moment
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    let store: FederationStore
    let providers: ProviderDirectory
    let peers: PeerClient
    let isDev: Bool

    private static let sessionBytes = 32
    private static let maximumSessionIDBytes = 512
    private static let maximumContextBytes = 4096

    func start(_ request: Federation.StartSignIn, _ call: BusCall) async throws -> Federation.StartSignIn.Reply {
        let provider = try await providers.enabledProvider(request.providerID, in: request.realm)
        let reply = try await peers.resolveConfiguration(.init(realm: request.realm), call.options(at: now()))
        guard !reply.isDisabled else { throw ServiceError(.projectDisabled) }
        let redirectURL = try reply.configuration.redirectURL(request.continueURL, isDev: isDev)
        guard (request.sessionID ?? "").utf8.count <= Self.maximumSessionIDBytes,
            (request.context ?? "").utf8.count <= Self.maximumContextBytes
        else { throw ServiceError(.invalidRequest, "sessionId or context is too long") }
        let sessionID = request.sessionID?.nilIfEmpty ?? Base64URL.encode(randomBytes(Self.sessionBytes))
        let state = Base64URL.encode(randomBytes(SignInAttempt.stateBytes))
        let secrets = store.attemptSecrets
        let authorization = AuthorizationRequest(
            server: try await providers.description(of: provider).authorization, clientID: provider.clientID,
            redirectURL: redirectURL, state: state,
            nonce: IDTokenRules.nonceClaim(forRaw: secrets.nonce(ofState: state)),
            codeChallenge: AttemptSecrets.codeChallenge(of: secrets.codeVerifier(ofState: state)),
            scopes: request.scopes, parameters: request.parameters)
        let url = try authorization.url()
        try await store.insert(
            SignInAttempt(
                stateDigest: SignInAttempt.digest(state), realm: request.realm, providerID: provider.id,
                sessionDigest: SignInAttempt.digest(sessionID), redirectURL: redirectURL,
                context: request.context?.nilIfEmpty, expiresAt: now() + SignInAttempt.lifetime))
        return .init(authorizationURL: url, sessionID: Secret(sessionID))
    }
}
