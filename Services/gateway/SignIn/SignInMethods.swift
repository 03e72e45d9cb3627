internal import Contracts
internal import HTTPServer
internal import Vocabulary

extension IdentityToolkit {
    /// The sign-in methods of an address, and the start of a provider sign-in (REST 2.5).
    static let signInMethods: [Route] = [
        Route(.post, .v1("accounts:createAuthUri", v3: "createAuthUri"), .v1, .client, rate: .signIn) { call in
            let body = try call.realmBody(SignInMethodsBody.self)
            let realm = try call.realm(body)
            guard body.identifier.nilIfEmpty != nil || body.providerId.nilIfEmpty != nil else {
                throw WireError(.missingIdentifier)
            }
            guard let continueURL = body.continueUri.nilIfEmpty else { throw WireError(.missingContinueURL) }
            // Not compared with the authorized domains: libraries that look up an address send any URL.
            guard WebURL(continueURL) != nil else { throw WireError(.invalidContinueURL) }
            if let provider = body.providerId.nilIfEmpty { throw providerError(for: provider) }
            let reply = try await call.send(Identity.FindSignInMethods(realm: realm, email: body.identifier.nilIfEmpty))
            return .json(SignInMethodsReply(reply, sessionID: body.sessionId.nilIfEmpty))
        }
    ]

    private static let federatedProviderIDs: Set = [
        "google.com", "facebook.com", "apple.com", "github.com", "twitter.com", "microsoft.com", "yahoo.com",
        "linkedin.com", "gc.apple.com", "playgames.google.com",
    ]

    /// No project has an identity provider configured.
    private static func providerError(for id: String) -> APIError {
        guard federatedProviderIDs.contains(id) || id.hasPrefix("oidc.") || id.hasPrefix("saml.") else {
            return APIError(.invalidProviderID)
        }
        return APIError(.providerNotConfigured)
    }
}

private struct SignInMethodsBody: Decodable {
    var identifier: String?
    var providerId: String?
    var continueUri: String?
    var sessionId: String?
}

private struct SignInMethodsReply: Encodable {
    var kind = "identitytoolkit#CreateAuthUriResponse"
    var sessionId: String
    var registered: Bool?
    var allProviders: [String]?
    var signinMethods: [String]?

    /// - Parameter sessionID: chosen by the client.
    init(_ reply: Identity.FindSignInMethods.Reply, sessionID: String?) {
        sessionId = sessionID ?? reply.sessionID
        guard let methods = reply.methods else { return }
        registered = methods.isRegistered
        // An e-mail link is a method of the provider `password`.
        allProviders =
            ((methods.hasPassword || methods.hasEmailLink ? ["password"] : []) + methods.providers).nilIfEmpty
        signinMethods =
            ((methods.hasPassword ? ["password"] : []) + (methods.hasEmailLink ? ["emailLink"] : [])
            + methods.providers).nilIfEmpty
    }
}
