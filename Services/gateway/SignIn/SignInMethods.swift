import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// The sign-in methods of an address, and the start of a provider sign-in (REST 2.5).
    static let signInMethods: [Route] = [
        Route(.post, .v1("accounts:createAuthUri", v3: "createAuthUri"), .v1, .client, rate: .signIn) { call in
            let body = try call.realmBody(SignInMethodsBody.self)
            let realm = try call.realm(body)
            guard body.identifier.nilIfEmpty != nil || body.providerId.nilIfEmpty != nil else {
                throw ServiceError(.missingIdentifier)
            }
            guard let continueURL = body.continueUri.nilIfEmpty else { throw ServiceError(.missingContinueURL) }
            // Not compared with the authorized domains: libraries that look up an address send any URL.
            guard WebURL(continueURL) != nil else { throw ServiceError(.invalidContinueURL) }
            if let provider = body.providerId.nilIfEmpty {
                guard isProviderID(provider) else { throw APIError(.invalidProviderID) }
                let reply = try await call.send(
                    Federation.StartSignIn(
                        realm: realm, providerID: provider, continueURL: continueURL,
                        sessionID: body.sessionId.nilIfEmpty, context: body.context.nilIfEmpty,
                        scopes: body.oauthScope.nilIfEmpty, parameters: body.customParameter ?? [:]),
                    timeout: startTimeout)
                return .json(ProviderSignInStartReply(reply, providerID: provider))
            }
            let reply = try await call.send(Identity.FindSignInMethods(realm: realm, email: body.identifier.nilIfEmpty))
            return .json(SignInMethodsReply(reply, sessionID: body.sessionId.nilIfEmpty))
        }
    ]

    /// Federation may fetch the documents of the provider.
    private static let startTimeout = Duration.seconds(10)

    private static func isProviderID(_ id: String) -> Bool {
        ProviderCatalogue.isKnown(id) || ["oidc.", "saml."].contains { id.utf8.starts(with: $0.utf8) }
    }
}

private struct SignInMethodsBody: Decodable {
    var identifier: String?
    var providerId: String?
    var continueUri: String?
    var sessionId: String?
    // For a provider.
    var context: String?
    var oauthScope: String?
    /// Parameters of the provider's page.
    var customParameter: [String: String]?
}

private struct ProviderSignInStartReply: Encodable {
    var kind = "identitytoolkit#CreateAuthUriResponse"
    var providerId: String
    var sessionId: String
    var authUri: String

    init(_ reply: Federation.StartSignIn.Reply, providerID: String) {
        providerId = providerID
        sessionId = reply.sessionID.reveal()
        authUri = reply.authorizationURL
    }
}

private struct SignInMethodsReply: Encodable {
    var kind = "identitytoolkit#CreateAuthUriResponse"
    var sessionId: String
    var registered: Bool?
    // Empty lists for an address without methods; absent under e-mail privacy.
    var allProviders: [String]?
    var signinMethods: [String]?

    /// - Parameter sessionID: chosen by the client.
    init(_ reply: Identity.FindSignInMethods.Reply, sessionID: String?) {
        sessionId = sessionID ?? reply.sessionID
        guard let methods = reply.methods else { return }
        registered = methods.isRegistered
        // An e-mail link is a method of the provider `password`.
        allProviders = (methods.hasPassword || methods.hasEmailLink ? ["password"] : []) + methods.providers
        signinMethods =
            (methods.hasPassword ? ["password"] : []) + (methods.hasEmailLink ? ["emailLink"] : [])
            + methods.providers
    }
}
