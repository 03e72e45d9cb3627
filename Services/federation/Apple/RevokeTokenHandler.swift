import Bus
import Contracts
import Vocabulary

/// Revokes the tokens of Sign in with Apple (REST 3.7), which Apple requires of applications that delete accounts.
struct RevokeTokenHandler: FederationComponent {
    let context: FederationContext

    private var revocationEndpoint: AppleRevocationEndpoint { .init(context: context) }

    private static let maximumTokenBytes = 8192
    private static let apple = Federation.SupportedProvider.apple

    func revoke(_ request: Federation.RevokeToken, _ call: BusCall) async throws -> EmptyReply {
        let account = try await peers.send(
            Identity.LookUpOwnAccount(realm: request.realm, idToken: request.idToken), call.options(at: now())
        ).account
        // The realm of the token: a request of a tenant's user need not name the tenant.
        var provider = try await providers.enabledProvider(Self.apple.rawValue, in: account.realm)
        guard account.providers.contains(where: { $0.providerID == provider.id }) else {
            throw ServiceError(.invalidProviderResponse, "The account is not linked with \(provider.id).")
        }
        let token = request.token.reveal()
        guard (1...Self.maximumTokenBytes).contains(token.utf8.count) else {
            throw ServiceError(.invalidProviderResponse, "The token is malformed.")
        }
        provider.clientID = provider.appleTokenClientID(bundleID: request.bundleID, redirectURL: request.redirectURL)
        switch request.tokenType {
        case .refreshToken: try await revocationEndpoint.revoke(token, .refreshToken, of: provider)
        case .accessToken: try await revocationEndpoint.revoke(token, .accessToken, of: provider)
        case .code: try await revokeTokens(ofCode: token, redirectURL: request.redirectURL, provider)
        }
        return EmptyReply()
    }

    private func revokeTokens(ofCode code: String, redirectURL: String?, _ provider: Federation.Provider) async throws {
        let tokens = try await tokenEndpoint.exchange(
            code, redirectURL: redirectURL, codeVerifier: nil, of: provider, at: AppleAdapter.authorization)
        // Apple revokes the access tokens of a refresh token with it.
        if let refreshToken = tokens.refreshToken {
            try await revocationEndpoint.revoke(refreshToken, .refreshToken, of: provider)
        } else if let accessToken = tokens.accessToken {
            try await revocationEndpoint.revoke(accessToken, .accessToken, of: provider)
        } else {
            throw ServiceError(.invalidProviderResponse, "The reply of the provider contains no token.")
        }
    }
}
