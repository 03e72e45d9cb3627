import Bus
import Contracts
import FoundationEssentials
import JOSE
import JSON
import Vocabulary

/// Signs in with a token that a service account has signed.
struct CustomTokenSignInHandler: IdentityComponent {
    let context: IdentityContext

    func signIn(
        _ request: Identity.SignInWithCustomToken, _ call: BusCall
    ) async throws -> Identity.SignInWithCustomToken.Reply {
        let project = try await projects.project(of: request.realm, traceID: call.trace.traceID)
        guard let text = request.token?.reveal().nilIfEmpty else { throw ServiceError(.missingCustomToken) }
        let claims = try await customTokenClaims(text, in: request.realm.project)
        guard claims.tenant == request.realm.tenant else { throw ServiceError(.tenantMismatch) }
        let now = now()
        let authentication = try SessionPolicy(project.configuration).authenticationContext(
            for: .init(
                operation: .customTokenSignIn, stored: StoredAccount(id: claims.accountID, in: request.realm, at: now),
                authentication: AuthenticationContext(
                    authenticatedAt: now.timestamp, signInProvider: "custom", claims: claims.claims)))
        let (session, token) = sessions.open(
            for: claims.accountID, in: request.realm, authentication: authentication, client: request.client, at: now)
        let opened = try await blockingFunctions.run(
            .init(project: project, client: request.client, isExempt: true), call
        ) {
            responses in
            try await store.signIn(
                StoredAccount(id: claims.accountID, in: request.realm, at: now), session: session, refreshToken: token,
                responses,
                audit: { isNew in
                    AuditEntry(
                        isNew ? .accountCreated : .signIn, .account(claims.accountID), request.realm, request.client,
                        call, about: claims.accountID, at: now)
                },
                idempotency: store.idempotentCall(for: call, at: now),
                reply: { opened, isNew in CustomTokenSignInResult(session: opened, isNewAccount: isNew) }
            ) { stored in
                guard !stored.account.disabled else { throw ServiceError(.accountDisabled) }
                stored.account.customAuthentication = true
                stored.account.recordSignIn(at: now)
            }
        }
        return .init(
            account: opened.session.account, tokens: try await sessions.tokens(for: opened.session, request.client),
            isNewAccount: opened.isNewAccount)
    }

    /// The recorded reply.
    private struct CustomTokenSignInResult: Codable, Sendable {
        var session: OpenedSession
        var isNewAccount: Bool
    }

    /// The claims of a token that a service account of the project has signed. In dev mode the token may be unsigned,
    /// as in test tools.
    private func customTokenClaims(_ text: String, in project: ProjectID) async throws -> CustomTokenClaims {
        if isDev, let claims = try unsignedClaims(text) { return try CustomTokenClaims(claims) }
        let verified: ServiceAccountTokenVerifier.Verified
        do {
            verified = try await ServiceAccountTokenVerifier(store: store).verify(
                try UnverifiedJWT(text), audiences: [CustomTokenClaims.audience], at: now().timestamp)
        } catch is JWTError {
            throw Self.customTokenError(for: .malformed)
        } catch let fault as ServiceAccountTokenVerifier.TokenError {
            throw Self.customTokenError(for: fault)
        }
        guard verified.claims["sub"] == .string(verified.email) else { throw Self.customTokenError(for: .wrongSubject) }
        guard verified.signer.project == project else { throw ServiceError(.credentialMismatch) }
        return try CustomTokenClaims(verified.claims)
    }

    /// The claims of a JSON object or of a token with the algorithm `none`, whose signature is ignored.
    /// - Returns: nil for a signed token.
    private func unsignedClaims(_ text: String) throws(ServiceError) -> JSONValue? {
        if text.utf8.first == UInt8(ascii: "{") {
            // `try?`: every error means that the token is malformed.
            guard let claims = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)) else {
                throw Self.customTokenError(for: .malformed)
            }
            return claims
        }
        do {
            let token = try UnverifiedJWT(text)
            guard token.isUnsecured else { return nil }
            let claims = try ServiceAccountTokenVerifier.claims(of: token)
            guard claims["aud"] == .string(CustomTokenClaims.audience) else {
                throw Self.customTokenError(for: .wrongAudience)
            }
            return claims
        } catch let error as ServiceError {
            throw error
        } catch {
            throw Self.customTokenError(for: .malformed)
        }
    }

    private static func customTokenError(for fault: ServiceAccountTokenVerifier.TokenError) -> ServiceError {
        .invalidCustomToken(fault.rawValue)
    }
}
