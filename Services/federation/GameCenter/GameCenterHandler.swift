import Bus
import Contracts
import Vocabulary

/// Sign-in with Game Center (REST 2.9): this service verifies the signature, and identity finds the account.
struct GameCenterHandler: FederationComponent {
    let context: FederationContext

    private static let providerID = Federation.SupportedProvider.gameCenter.rawValue

    func signIn(
        _ request: Federation.SignInWithGameCenter, _ call: BusCall
    ) async throws -> Identity.ProviderSignInReply {
        let verified = try await metrics.count(Self.providerID, trace: call.trace) { try await verify(request, call) }
        let digest = store.browserSignInSecrets.credentialDigest(
            realm: request.realm, providerID: Self.providerID, message: verified.message)
        let isFirstUse = try await store.recordUse(
            ofCredential: digest, until: GameCenterSignature.acceptableUntil(request.proof))
        guard isFirstUse else { throw ServiceError(.duplicateProviderCredential) }
        let identity = ProviderIdentity(
            providerID: Self.providerID, subject: verified.playerID, displayName: request.player.displayName)
        let reply = try await peers.send(
            Identity.SignInWithProvider(
                realm: request.realm, identity: identity, linkIDToken: request.linkIDToken, client: request.client),
            call.options(at: now()))
        // The player belongs to another account, and applications then sign in to that one with the same signature.
        if reply.conflict != nil { try await store.deleteUse(ofCredential: digest) }
        return reply
    }

    private func verify(
        _ request: Federation.SignInWithGameCenter, _ call: BusCall
    ) async throws -> GameCenterSignature.Verified {
        let provider = try await providers.enabledProvider(Self.providerID, in: request.realm)
        try GameCenterSignature.check(request.proof, at: now())
        let bundleIDs = try await providers.audiences(of: provider, GameCenterAdapter(), in: request.realm, call)
        let key = try await context.certificates.key(at: request.proof.publicKeyURL)
        let verified = try GameCenterSignature.verify(
            request.proof, of: request.player, bundleIDs: bundleIDs.sorted(), with: key)
        // A signature must not be used up by a request whose caller has stopped waiting for a slow provider.
        guard now() < call.deadline else { throw ServiceError(.deadlineExceeded) }
        return verified
    }
}
