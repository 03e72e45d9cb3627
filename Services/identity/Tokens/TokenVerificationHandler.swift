import Bus
import Contracts
import Vocabulary

/// Verifies ID tokens for other services, and publishes the keys for the verification of tokens.
struct TokenVerificationHandler: IdentityComponent {
    let context: IdentityContext

    func verify(
        _ request: Identity.VerifyIDToken, _ call: BusCall
    ) async throws -> Identity.VerifyIDToken.Reply {
        .init(principal: try await authenticator.authenticate(request.idToken, in: request.realm, call).principal)
    }

    func listSigningKeys(_ request: Identity.ListSigningKeys) async throws -> Identity.ListSigningKeys.Reply {
        .init(
            keys: keys.published(request.purpose, at: now().timestamp),
            maximumAgeSeconds: SigningKeySchedule.documentMaximumAgeSeconds)
    }
}
