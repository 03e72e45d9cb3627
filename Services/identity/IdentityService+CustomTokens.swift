import Bus
import Contracts
import FoundationEssentials
import JOSE
import JSON
import Vocabulary

// MARK: Custom tokens

extension IdentityService {
    func signInWithCustomToken(
        _ request: Identity.SignInWithCustomToken, _ call: BusCall
    ) async throws -> Identity.SignInWithCustomToken.Reply {
        let project = try await dependencies.projects.project(of: request.realm, traceID: call.trace.traceID)
        guard let text = request.token?.reveal().nilIfEmpty else { throw IdentityError.missingCustomToken }
        let claims = try await customTokenClaims(text, in: request.realm.project)
        guard claims.tenant == request.realm.tenant else { throw IdentityError.tenantMismatch }
        let now = dependencies.now()
        let authentication = try SessionPolicy(project.configuration).authenticationContext(
            for: .init(
                operation: .customTokenSignIn, stored: emptyAccount(id: claims.accountID, in: request.realm),
                authentication: AuthenticationContext(
                    authenticatedAt: now.timestamp, signInProvider: "custom", claims: claims.claims)))
        let (session, token) = open(for: claims.accountID, in: request.realm, authentication: authentication, at: now)
        let opened = try await dependencies.store.signIn(
            emptyAccount(id: claims.accountID, in: request.realm), session: session,
            audit: { isNew in
                auditEntry(
                    isNew ? .accountCreated : .signIn, .account(claims.accountID), request.realm, request.client, call,
                    about: claims.accountID)
            }, once: idempotentCall(for: call)
        ) { stored, isNew in
            guard !stored.account.disabled else { throw IdentityError.accountDisabled }
            stored.account.customAuthentication = true
            stored.account.lastSignInAt = now
            return CustomTokenSignInResult(
                session: OpenedSession(
                    account: stored.account, authentication: authentication, refreshToken: token.text),
                isNewAccount: isNew)
        }
        return .init(
            account: opened.session.account, tokens: try await tokens(for: opened.session, request.client),
            isNewAccount: opened.isNewAccount)
    }

    /// A session with what its first reply says beside it.
    private struct CustomTokenSignInResult: Codable, Sendable {
        var session: OpenedSession
        var isNewAccount: Bool
    }

    /// What a token says, once it may be believed: signed by a service account of the project, or in dev mode unsigned,
    /// as test tools write them.
    private func customTokenClaims(_ text: String, in project: ProjectID) async throws -> CustomTokenClaims {
        if dependencies.isDev, let claims = try unsignedClaims(text) { return try CustomTokenClaims(claims) }
        let verified: ServiceAccountTokenVerifier.Verified
        do {
            verified = try await ServiceAccountTokenVerifier(store: dependencies.store).verify(
                try UnverifiedJWT(text), audiences: [CustomTokenClaims.audience], at: dependencies.now().timestamp)
        } catch is JWTError {
            throw Self.customTokenError(for: .malformed)
        } catch let fault as ServiceAccountTokenVerifier.TokenError {
            throw Self.customTokenError(for: fault)
        }
        guard verified.claims["sub"] == .string(verified.email) else { throw Self.customTokenError(for: .wrongSubject) }
        guard verified.signer.project == project else { throw IdentityError.credentialMismatch }
        return try CustomTokenClaims(verified.claims)
    }

    /// The claims of a bare JSON object or of a token with the algorithm `none`, whose end nobody looks at.
    /// - Returns: nil for a token that says it is signed.
    private func unsignedClaims(_ text: String) throws(IdentityError) -> JSONValue? {
        if text.utf8.first == UInt8(ascii: "{") {
            // `try?`: whatever is wrong with it, it is no token.
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
        } catch let error as IdentityError {
            throw error
        } catch {
            throw Self.customTokenError(for: .malformed)
        }
    }

    private static func customTokenError(for fault: ServiceAccountTokenVerifier.TokenError) -> IdentityError {
        .invalidCustomToken(fault.rawValue)
    }
}

// MARK: - Session cookies

extension IdentityService {
    func createSessionCookie(
        _ request: Identity.CreateSessionCookie, _ call: BusCall
    ) async throws -> Identity.CreateSessionCookie.Reply {
        guard let idToken = request.idToken?.reveal().nilIfEmpty else { throw IdentityError.missingIDToken }
        let lifetime = try SessionCookie.lifetime(request.lifetimeSeconds)
        let session = try await session(behind: request.idToken, in: request.realm, call)
        let (principal, stored) = (session.principal, session.stored)
        // TK9: who stole a token that was in use for a while does not turn it into one that lasts two weeks.
        try requireRecentSignIn(principal)
        _ = try session.policy.authenticationContext(
            for: .init(
                operation: .sessionCookie, stored: stored, authentication: session.authentication,
                presented: session.authentication))
        let now = dependencies.now().timestamp
        // Cookie keys are made when there is time for it; who comes before that waits.
        if !dependencies.keys.hasActive(.sessionCookie, at: now),
            try await dependencies.keys.rotateIfDue(.sessionCookie, traceID: call.trace.traceID)
        {
            dependencies.publish(.signingKeysChanged)
        }
        let cookie = try await dependencies.tokens.issueSessionCookie(
            from: idToken, project: principal.realm.project, issuedAt: max(now, stored.account.validSince),
            lifetimeSeconds: lifetime)
        try await dependencies.store.audit(
            auditEntry(
                .sessionCookieCreated, .administrator, principal.realm, request.client, call,
                about: principal.accountID))
        return .init(sessionCookie: Secret(cookie))
    }
}
