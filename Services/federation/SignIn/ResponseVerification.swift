import Bus
import Contracts
import Vocabulary

/// Verifies the response of a provider: tokens of a native library, or the response to a sign-in that was started here.
struct ResponseVerification: FederationComponent {
    let context: FederationContext

    /// Nil outside dev mode.
    private var practice: PracticeProvider? {
        isDev
            ? PracticeProvider(now: now, acceptsUnsignedTokens: context.dependencies.acceptsUnsignedTokens) : nil
    }

    private static let maximumAccessTokenBytes = 8192

    /// - Throws: the errors of `Federation.SignIn`, except those of identity and `invalidPendingToken`.
    func verify(_ request: Federation.SignIn, _ call: BusCall) async throws -> VerifiedSignIn {
        let response = request.response
        if let code = response.error { throw ServiceError.providerError(code) }
        if response.samlResponse != nil {
            guard let state = response.relayState?.reveal().nilIfEmpty else { throw ServiceError.unsolicitedResponse }
            return try await verifyStarted(request, state: state, call)
        }
        if let state = response.state?.reveal().nilIfEmpty {
            return try await verifyStarted(request, state: state, call)
        }
        guard let providerID = response.providerID?.nilIfEmpty else { throw .invalidCredential("no providerId") }
        guard let provider = try await providers.configuredProvider(providerID, in: request.realm) else {
            guard let practice else { throw ServiceError(.providerNotFound) }
            return try practice.verify(response, of: providerID)
        }
        let nonce = response.nonce.map { IDTokenRules.nonceClaim(forRaw: $0.reveal()) }
        return try await verify(
            .init(
                idToken: response.idToken?.reveal().nilIfEmpty, accessToken: response.accessToken?.reveal().nilIfEmpty,
                authorizationCode: response.code?.reveal().nilIfEmpty, user: response.user, expectedNonce: nonce),
            of: provider, in: request.realm, call)
    }

    /// Checks that a provider whose response was verified before may still sign users in, and is the same one.
    /// - Throws: `providerNotFound`, `providerDisabled`, `invalidPendingToken`.
    func requireCurrent(_ signIn: VerifiedSignIn, in realm: Realm, verifiedAt: Moment) async throws {
        guard let stored = try await store.provider(signIn.profile.identity.providerID, in: realm) else {
            // A real provider that is removed does not become the practice provider.
            guard practice != nil, signIn.isPractice else { throw ServiceError(.providerNotFound) }
            return
        }
        guard stored.provider.isEnabled else { throw ServiceError(.providerDisabled) }
        guard stored.establishedAt <= verifiedAt else { throw ServiceError(.invalidPendingToken) }
    }

    /// The credentials of one sign-in.
    private struct Credentials {
        var idToken: String?
        var accessToken: String?
        /// Not exchanged.
        var authorizationCode: String?
        var user: String?
        var expectedNonce: String?
        var isOfStartedSignIn = false
        var tokens: TokenResponse?
    }

    // MARK: Sign-ins that were started here

    private func verifyStarted(
        _ request: Federation.SignIn, state: String, _ call: BusCall
    ) async throws -> VerifiedSignIn {
        guard let sessionID = request.sessionID?.reveal().nilIfEmpty else { throw .invalidCredential("no sessionId") }
        guard let browserSignIn = try await store.redeemBrowserSignIn(stateDigest: BrowserSignIn.digest(state)) else {
            throw ServiceError.unknownState
        }
        let response = request.response
        try browserSignIn.check(
            realm: request.realm, sessionID: sessionID, requestURL: request.requestURL,
            providerID: response.providerID?.nilIfEmpty, at: now())
        guard let provider = try await providers.configuredProvider(browserSignIn.providerID, in: request.realm) else {
            guard let practice else { throw ServiceError(.providerNotFound) }
            return try practice.verify(response, of: browserSignIn)
        }
        if case .saml(let configuration) = provider.kind {
            guard let text = response.samlResponse else { throw .invalidCredential("no SAMLResponse") }
            var verified = try await saml.verify(text, of: provider, configuration, state: state, in: request.realm)
            verified.context = browserSignIn.context
            return verified
        }
        let description = try await providers.adapter(of: provider).description
        try description.check(responseIssuer: response.issuer)
        let secrets = store.browserSignInSecrets
        let nonce = IDTokenRules.nonceClaim(forRaw: secrets.nonce(ofState: state))
        var credentials = Credentials(user: response.user, expectedNonce: nonce, isOfStartedSignIn: true)
        let frontChannelToken = response.idToken?.reveal().nilIfEmpty
        switch description.authorization.responseType {
        case .idToken: break
        // Whoever can change the response in the browser could present a token that was issued elsewhere.
        case .code where frontChannelToken != nil: throw .invalidCredential("the ID token was not requested")
        case .code: break
        }
        if let code = response.code?.reveal().nilIfEmpty {
            let tokens = try await tokenEndpoint.exchange(
                code, redirectURL: browserSignIn.redirectURL, codeVerifier: secrets.codeVerifier(ofState: state),
                of: provider, at: description.authorization)
            credentials.tokens = tokens
            (credentials.idToken, credentials.accessToken) = (tokens.idToken, tokens.accessToken)
        } else {
            credentials.idToken = frontChannelToken
        }
        var verified = try await verify(credentials, of: provider, in: request.realm, call)
        verified.context = browserSignIn.context
        return verified
    }

    // MARK: Tokens

    private func verify(
        _ credentials: Credentials, of provider: Federation.Provider, in realm: Realm, _ call: BusCall
    ) async throws -> VerifiedSignIn {
        var credential = Federation.ProviderCredential(
            idToken: credentials.idToken.map(Secret.init), accessToken: credentials.accessToken.map(Secret.init),
            expiresInSeconds: credentials.tokens?.expiresInSeconds,
            authorizationCode: credentials.authorizationCode.map(Secret.init),
            refreshToken: credentials.tokens?.refreshToken.map(Secret.init), scopes: credentials.tokens?.scopes)
        let adapter: any ProviderAdapter
        let user: ProviderUser
        if let idToken = credentials.idToken {
            adapter = try await providers.adapter(of: provider)
            user = try await verifyIDToken(idToken, credentials, of: provider, adapter, in: realm, call)
        } else {
            guard let accessToken = credentials.accessToken else { throw .invalidCredential("no usable token") }
            guard accessToken.utf8.count <= Self.maximumAccessTokenBytes,
                accessToken.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
            else { throw ServiceError(.invalidProviderResponse, "The access token is malformed.") }
            // Its discovery document is not needed to know that.
            if case .oidc = provider.kind { throw .invalidCredential("no ID token") }
            adapter = try await providers.adapter(of: provider)
            let audiences = try await providers.audiences(of: provider, adapter, in: realm, call)
            user = try await adapter.user(
                of: AccessToken(text: accessToken, provider: provider, audiences: audiences), through: client)
        }
        if let expiresAt = user.accessTokenExpiresAt {
            let seconds = expiresAt.seconds.subtractingSaturated(now().timestamp.seconds)
            credential.expiresInSeconds = Int(max(0, seconds))
        }
        return VerifiedSignIn(profile: adapter.profile(of: user), credential: credential)
    }

    private func verifyIDToken(
        _ text: String, _ credentials: Credentials, of provider: Federation.Provider, _ adapter: any ProviderAdapter,
        in realm: Realm, _ call: BusCall
    ) async throws -> ProviderUser {
        guard let source = adapter.description.idTokens else {
            throw .invalidCredential("the provider issues no ID tokens")
        }
        let rules = IDTokenRules(
            source: source, audiences: try await providers.audiences(of: provider, adapter, in: realm, call),
            expectedNonce: credentials.expectedNonce, isOfStartedSignIn: credentials.isOfStartedSignIn)
        let token = try await IDTokenVerifier(context: context).verify(text, rules)
        // A token must not be used up by a request whose caller has stopped waiting for a slow provider.
        guard now() < call.deadline else { throw ServiceError(.deadlineExceeded) }
        if token.nonce != nil {
            let digest = store.browserSignInSecrets.credentialDigest(realm: realm, providerID: provider.id, token: text)
            guard try await store.recordUse(ofCredential: digest, until: Moment(token.acceptableUntil)) else {
                throw IDTokenError.duplicate.serviceError
            }
        }
        return ProviderUser(
            providerID: provider.id, subject: token.subject, claims: token.claims, json: token.json,
            sentBesideToken: credentials.user)
    }
}
