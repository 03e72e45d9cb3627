import Bus
import Contracts
import Crypto
import JOSE
import JSON
import Vocabulary

/// Issues access tokens for signed assertions of service accounts (RFC 7523), and resolves them.
struct AccessTokenHandler: IdentityComponent {
    let context: IdentityContext

    /// RFC 7523 §3: the assertion is signed with a registered key, for this endpoint, and valid for an hour at most.
    func issue(
        _ request: Identity.IssueAccessToken, _ call: BusCall
    ) async throws -> Identity.IssueAccessToken.Reply {
        let text = request.assertion?.reveal() ?? ""
        let verified = try await verified(text, audiences: Set(request.audiences))
        // RFC 7523 §3: the subject is the account that signed the assertion.
        guard verified.claims["sub"] == nil || verified.claims["sub"] == .string(verified.email) else {
            throw ServiceError.invalidAssertion(ServiceAccountTokenVerifier.TokenError.wrongSubject.rawValue)
        }
        let now = now()
        let grant = AccessGrant(
            project: verified.signer.project, serviceAccount: verified.email, keyID: verified.signer.keyID,
            permissions: try AccessGrant.permissions(of: verified.claims["scope"]?.text ?? ""),
            expiresAt: now + .seconds(AccessGrant.lifetimeSeconds))
        let token = AccessToken(secret: randomBytes(AccessToken.secretBytes))
        // One assertion, one token (RFC 7523 §3, 7). An assertion without `jti` is identified by its signed part. The
        // digest is kept until the assertion has expired, with the tolerance for clocks.
        let name =
            verified.claims["jti"]?.text ?? text.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(text[..<$0]) }
        let digest = SHA2.sha256(Array("\(verified.email)\n\(name ?? text)".utf8))
        try await store.addAccessToken(
            token, grant, assertionDigest: digest,
            assertionExpiresAt: Moment(verified.expiresAt + ServiceAccountTokenVerifier.clockToleranceSeconds),
            audit: AuditEntry(
                .accessTokenGranted, .serviceAccount(verified.email), Realm(project: grant.project), request.client,
                call, about: nil, at: now))
        return .init(accessToken: Secret(token.text), expiresInSeconds: Int(AccessGrant.lifetimeSeconds))
    }

    func introspect(
        _ request: Identity.IntrospectAccessToken
    ) async throws -> Identity.IntrospectAccessToken.Reply {
        guard let token = AccessToken(request.accessToken.reveal()),
            let grant = try await store.accessGrant(token),
            grant.expiresAt.endsWindow(ofAtMost: .seconds(AccessGrant.lifetimeSeconds), at: now())
        else { throw ServiceError(.invalidAccessToken) }
        return .init(
            project: grant.project, serviceAccount: grant.serviceAccount,
            permissions: grant.permissions
                + (context.passwordHashReaders.contains(grant.serviceAccount) ? [.readPasswordHashes] : []),
            expiresAt: grant.expiresAt)
    }

    private func verified(_ text: String, audiences: Set<String>) async throws -> ServiceAccountTokenVerifier.Verified {
        do {
            return try await ServiceAccountTokenVerifier(store: store).verify(
                try UnverifiedJWT(text), audiences: audiences, at: now().timestamp)
        } catch is JWTError {
            throw ServiceError.invalidAssertion(ServiceAccountTokenVerifier.TokenError.malformed.rawValue)
        } catch let fault as ServiceAccountTokenVerifier.TokenError {
            throw ServiceError.invalidAssertion(fault.rawValue)
        }
    }
}

extension JSONValue {
    /// A string that is not empty.
    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text.nilIfEmpty
    }
}
