import Bus
import Contracts
import Vocabulary

/// Sign-in with a provider (REST 2.4): this service verifies the response, and identity finds the account.
struct SignInHandler: FederationComponent {
    let context: FederationContext

    private var verification: ResponseVerification { .init(context: context) }

    func signIn(_ request: Federation.SignIn, _ call: BusCall) async throws -> Federation.SignIn.Reply {
        let verified: VerifiedSignIn
        var pendingToken: Secret<String>?
        var verifiedAt: Moment?
        if let token = request.pendingToken {
            let opened = try store.pendingTokens.open(token, for: request.realm, at: now())
            (verified, verifiedAt) = (opened.signIn, opened.verifiedAt)
            try await verification.requireCurrent(verified, in: request.realm, verifiedAt: opened.verifiedAt)
            // The same one: presenting it does not extend its validity.
            pendingToken = token
        } else {
            verified = try await metrics.count(request.response.providerID, trace: call.trace) {
                try await verification.verify(request, call)
            }
            pendingToken = try store.pendingTokens.seal(verified, for: request.realm, .application, at: now())
        }
        let reply = try await peers.send(
            Identity.SignInWithProvider(
                realm: request.realm, identity: verified.profile.identity, linkIDToken: request.linkIDToken,
                createsAccount: request.createsAccount, client: request.client, details: verified.details,
                verifiedAt: verifiedAt),
            call.options(at: now()))
        let isUnfinished = reply.confirmation != nil || reply.conflict != nil
        let isSupported = Federation.SupportedProvider(rawValue: verified.profile.identity.providerID) != nil
        return .init(
            signIn: reply, profile: verified.profile, credential: verified.credential, context: verified.context,
            pendingToken: isUnfinished || !isSupported ? pendingToken : nil)
    }

    /// Verifies a response for a page of the gateway. The application signs in with the pending token.
    func verifyResponse(
        _ request: Federation.VerifyResponse, _ call: BusCall
    ) async throws -> Federation.VerifyResponse.Reply {
        let response = request.response
        guard (response.state ?? response.relayState)?.reveal().nilIfEmpty != nil else {
            throw ServiceError.unknownState
        }
        let verified = try await metrics.count(response.providerID, trace: call.trace) {
            try await verification.verify(
                .init(
                    realm: request.realm, requestURL: request.requestURL, response: response,
                    sessionID: request.sessionID), call)
        }
        guard let token = try store.pendingTokens.seal(verified, for: request.realm, .page, at: now()) else {
            throw ServiceError(.invalidProviderResponse, "The response of the provider is too long.")
        }
        return .init(providerID: verified.profile.identity.providerID, pendingToken: token)
    }
}
