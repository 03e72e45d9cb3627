import Bus
package import Contracts
import Crypto
import JOSE
import JSON
import ServiceRuntime
import Settings
import Vocabulary

// MARK: Registration

extension IdentityService {
    func addServiceAccountKey(_ request: Identity.AddServiceAccountKey, _ call: BusCall) async throws -> EmptyReply {
        try await register(request.key, traceID: call.trace.traceID)
        return EmptyReply()
    }

    /// Registers a key: on the operator's word, or at the start in dev mode.
    package func register(_ key: Identity.ServiceAccountKey, traceID: String) async throws {
        let der = try key.checkedKey()
        _ = try await dependencies.projects.project(key.project, traceID: traceID)
        try await dependencies.store.addServiceAccountKey(
            key, der: der, at: dependencies.now(),
            audit: AuditEntry(
                at: dependencies.now(), realm: Realm(project: key.project), action: .serviceAccountKeyAdded,
                actor: .system, traceID: traceID))
    }

    /// Registers the keys that development settings name.
    /// - Throws: `SettingsError` for one that cannot be.
    package func registerForDevelopment(_ keys: [Identity.ServiceAccountKey], traceID: String) async throws {
        for key in keys {
            do {
                try await register(key, traceID: traceID)
            } catch is IdentityError {
                throw SettingsError([
                    .init(
                        .devServiceAccounts,
                        "names \(key.email), whose account or key is registered otherwise already",
                        remedy: "Remove it with `latchkey service-account remove`, or leave the file away")
                ])
            }
        }
    }

    func listServiceAccountKeys(
        _ request: Identity.ListServiceAccountKeys
    ) async throws -> Identity.ListServiceAccountKeys.Reply {
        .init(keys: try await dependencies.store.serviceAccountKeys(of: request.project))
    }

    func removeServiceAccountKeys(
        _ request: Identity.RemoveServiceAccountKeys, _ call: BusCall
    ) async throws -> Identity.RemoveServiceAccountKeys.Reply {
        let now = dependencies.now()
        let projects = Set(try await dependencies.store.verificationKeys(of: request.email).map(\.project))
        let reply = try await dependencies.store.removeServiceAccountKeys(
            request.email, keyID: request.keyID, once: idempotentCall(for: call)
        ) { project in
            AuditEntry(
                at: now, realm: Realm(project: project), action: .serviceAccountKeyRemoved, actor: .system,
                traceID: call.trace.traceID)
        }
        // Gateways forget the access tokens that they know.
        for project in projects { dependencies.publish(.configurationChanged(Realm(project: project))) }
        return reply
    }
}

// MARK: - Access tokens

extension IdentityService {
    /// RFC 7523 §3: the assertion is signed by a registered key, for this endpoint, and lives for an hour at most.
    func issueAccessToken(
        _ request: Identity.IssueAccessToken, _ call: BusCall
    ) async throws -> Identity.IssueAccessToken.Reply {
        let text = request.assertion?.reveal() ?? ""
        let verified = try await verified(text, audiences: Set(request.audiences))
        // RFC 7523 §3: it speaks for the account that signed it, and for nobody else.
        guard verified.claims["sub"] == nil || verified.claims["sub"] == .string(verified.email) else {
            throw IdentityError.invalidAssertion(ServiceAccountTokenVerifier.TokenError.wrongSubject.rawValue)
        }
        let now = dependencies.now()
        let grant = AccessGrant(
            project: verified.signer.project, serviceAccount: verified.email, keyID: verified.signer.keyID,
            rights: try AccessGrant.rights(of: verified.claims["scope"]?.text ?? ""),
            expiresAt: now + .seconds(AccessGrant.lifetimeSeconds))
        let token = AccessToken(secret: dependencies.randomBytes(AccessToken.secretBytes))
        // One assertion, one token, also without `jti` (RFC 7523 §3, 7): then it is known by what was signed, which
        // nobody else can spell differently. Kept until the assertion is dead, with the tolerance it is judged with.
        let name =
            verified.claims["jti"]?.text ?? text.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(text[..<$0]) }
        let digest = SHA2.sha256(Array("\(verified.email)\n\(name ?? text)".utf8))
        try await dependencies.store.addAccessToken(
            token, grant, assertionDigest: digest,
            assertionExpiresAt: Moment(verified.expiresAt + ServiceAccountTokenVerifier.clockToleranceSeconds),
            audit: auditEntry(
                .accessTokenGranted, .serviceAccount(verified.email), Realm(project: grant.project), request.client,
                call, about: nil))
        return .init(accessToken: Secret(token.text), expiresInSeconds: Int(AccessGrant.lifetimeSeconds))
    }

    func introspectAccessToken(
        _ request: Identity.IntrospectAccessToken
    ) async throws -> Identity.IntrospectAccessToken.Reply {
        guard let token = AccessToken(request.accessToken.reveal()),
            let grant = try await dependencies.store.accessGrant(token), dependencies.now() < grant.expiresAt
        else { throw IdentityError.invalidAccessToken }
        return .init(
            project: grant.project, serviceAccount: grant.serviceAccount, rights: grant.rights,
            expiresAt: grant.expiresAt)
    }

    private func verified(_ text: String, audiences: Set<String>) async throws -> ServiceAccountTokenVerifier.Verified {
        do {
            return try await ServiceAccountTokenVerifier(store: dependencies.store).verify(
                try UnverifiedJWT(text), audiences: audiences, at: dependencies.now().timestamp)
        } catch is JWTError {
            throw IdentityError.invalidAssertion(ServiceAccountTokenVerifier.TokenError.malformed.rawValue)
        } catch let fault as ServiceAccountTokenVerifier.TokenError {
            throw IdentityError.invalidAssertion(fault.rawValue)
        }
    }
}

extension JSONValue {
    /// Of a string that is not empty.
    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text.nilIfEmpty
    }
}
