import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Sign-in with identity providers (REST 2.4). Federation verifies what the provider asserts.
    static let providerSignIn: [Route] = [
        Route(.post, .v1("accounts:signInWithIdp", v3: "verifyAssertion"), .v1, .client, rate: .signIn) { call in
            let body = try call.realmBody(ProviderSignInBody.self)
            let realm = try call.realm(body)
            let reply = try await call.send(
                body.fields.request(in: realm, client: call.client), timeout: providerSignInTimeout)
            let conflict = try reply.signIn.conflict.map { conflict in
                let error = APIError(conflict)
                guard body.returnIdpCredential == true else { throw error }
                return error
            }
            return call.json(
                try ProviderSignInReply(reply, in: realm, error: conflict), session: reply.signIn.session?.tokens,
                orPending: reply.signIn.pending?.secondFactor)
        }
    ]

    /// Federation may send two requests to the provider.
    static let providerTimeout = Duration.seconds(20)
    /// Identity may call blocking functions after it.
    static let providerSignInTimeout = providerTimeout + Identity.blockingFunctionsTimeout
}

extension APIError {
    /// The error of a conflict.
    init(_ conflict: Identity.ProviderSignInReply.Conflict) {
        let code: WireError.Code =
            switch conflict {
            case .identityLinked: .providerAccountExists
            case .emailExists: .emailExists
            }
        self.init(ServiceError(code), surface: .v1, access: .client, requestID: "")
    }
}

private struct ProviderSignInBody: Decodable {
    var requestUri: String?
    var postBody: String?
    var sessionId: String?
    var pendingToken: String?
    /// The account that receives the identity.
    var idToken: String?
    var autoCreate: Bool?
    /// A conflict becomes a successful reply with the credential of the provider.
    var returnIdpCredential: Bool?

    /// - Throws: `MISSING_REQUEST_URI`, `INVALID_REQUEST_URI`, and the error of `PostBody`.
    func request(in realm: Realm, client: ClientContext) throws -> Federation.SignIn {
        guard let requestUri = requestUri.nilIfEmpty else { throw APIError(.missingRequestURL) }
        // The parameters can be longer than a `WebURL`, and without their encoding.
        let (beforeFragment, fragment) = requestUri.halves(at: "#")
        let (address, query) = beforeFragment.halves(at: "?")
        guard WebURL(String(address)) != nil else { throw APIError(.invalidRequestURL) }
        var request = Federation.SignIn(
            realm: realm, requestURL: String(address), response: .init(), sessionID: sessionId.secret,
            pendingToken: pendingToken.secret, linkIDToken: idToken.secret, createsAccount: autoCreate ?? true,
            client: client)
        // Clients send the other parameters beside the pending token, which wins.
        if request.pendingToken == nil {
            let parameters = try PostBody([fragment, postBody?[...], query].compactMap(\.self))
            request.response = parameters.response
            request.pendingToken = parameters.pendingToken
        }
        return request
    }
}
