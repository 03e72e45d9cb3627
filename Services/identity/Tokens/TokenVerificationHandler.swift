import Bus
import Contracts
import Vocabulary

/// Verifies ID tokens for other services, and publishes the keys for the verification of tokens.
struct TokenVerificationHandler: IdentityComponent {
    let context: IdentityContext

    func verify(
        _ request: Identity.VerifyIDToken, _ call: BusCall
    ) async throws -> Identity.VerifyIDToken.Reply {
        let session = try await authenticator.authenticate(request.idToken, in: request.realm, call)
        if request.demandsRecentSignIn {
            try session.stored.requireRecentSignIn(of: session.principal, at: now())
            try session.policy.requireRequestedFactor(in: session.authentication, of: session.stored.account)
        }
        return .init(principal: session.principal)
    }

    func listSigningKeys(_ request: Identity.ListSigningKeys) async throws -> Identity.ListSigningKeys.Reply {
        .init(
            keys: keys.published(request.purpose, at: now().timestamp),
            maximumAgeSeconds: SigningKeySchedule.documentMaximumAgeSeconds)
    }
}
