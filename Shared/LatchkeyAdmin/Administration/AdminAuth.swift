public import Foundation
import LatchkeyAuth

/// Administers the accounts of a project, or of one of its tenants, from a backend.
///
/// ```swift
/// let admin = AdminAuth(projectID: "shop", serverURL: adminURL, credential: credential)
/// let user = try await admin.createUser(NewUser(email: "ada@example.org", password: password))
/// try await admin.setCustomUserClaims(["role": "editor"], forUID: user.uid)
/// ```
///
/// Keep one value for the life of the process: its copies share access tokens and keys. A call throws ``AdminError``,
/// an error of the application's ``AdminCredential``, or `CancellationError`.
public struct AdminAuth: Sendable {
    /// The tenant whose accounts are administered; nil for those of the project itself.
    public let tenantID: String?
    let server: AdminServer
    private let credential: AdminCredential
    private let idTokens: IDTokenVerifier
    private let sessionCookies: SessionCookieVerifier

    /// - Parameters:
    ///   - projectID: the ID of the project, not its number.
    ///   - serverURL: the URL of the admin listener, in dev mode that of the only listener.
    ///   - credential: what the server accepts as an administrator of the project.
    public init(projectID: String, serverURL: URL, credential: AdminCredential) {
        self.init(
            projectID: projectID, serverURL: serverURL, credential: credential, transport: .urlSession(),
            clock: .system)
    }

    init(
        projectID: String, serverURL: URL, credential: AdminCredential, transport: HTTPTransport, clock: AuthClock
    ) {
        let retrying = RetryingTransport(transport: transport, clock: clock)
        self.init(
            tenantID: nil,
            AdminServer(
                projectID: projectID, serverURL: serverURL, transport: retrying,
                accessTokens: AccessTokenSource(credential, transport: retrying)),
            credential,
            IDTokenVerifier(
                projectID: projectID, keys: .server(serverURL, transport), clockToleranceSeconds: 60, clock: clock),
            SessionCookieVerifier(
                projectID: projectID, keys: .server(serverURL, transport), clockToleranceSeconds: 60, clock: clock))
    }

    private init(
        tenantID: String?, _ server: AdminServer, _ credential: AdminCredential, _ idTokens: IDTokenVerifier,
        _ sessionCookies: SessionCookieVerifier
    ) {
        self.tenantID = tenantID
        self.server = server
        self.credential = credential
        self.idTokens = idTokens
        self.sessionCookies = sessionCookies
    }

    /// The administration of the accounts of a tenant.
    public func auth(forTenantID tenantID: String) -> AdminAuth {
        AdminAuth(tenantID: tenantID, server, credential, idTokens, sessionCookies)
    }

    /// The configuration of the project.
    public func projectConfigManager() -> ProjectConfigManager { ProjectConfigManager(server: server) }

    /// The tenants of the project.
    public func tenantManager() -> TenantManager { TenantManager(server: server) }

    // MARK: - Tokens

    /// Verifies an ID token of an account of this project or tenant.
    /// - Parameters:
    ///   - token: the ID token, as the application sent it.
    ///   - checkRevoked: also requires with a request to the server that the account exists, is enabled, and has signed
    ///     in after the last revocation.
    /// - Throws: ``IDTokenVerificationError``; with `checkRevoked` also `userNotFound`.
    public func verifyIDToken(_ token: String, checkRevoked: Bool = false) async throws -> VerifiedIDToken {
        let verified = try await idTokens.verify(token, tenant: expectedTenant)
        if checkRevoked { try await requireCurrentSession(verified) }
        return verified
    }

    /// Verifies a session cookie of an account of this project or tenant.
    /// - Parameters:
    ///   - cookie: the session cookie, as the browser sent it.
    ///   - checkRevoked: as in ``verifyIDToken(_:checkRevoked:)``.
    /// - Throws: as ``verifyIDToken(_:checkRevoked:)``.
    public func verifySessionCookie(_ cookie: String, checkRevoked: Bool = false) async throws -> VerifiedIDToken {
        let verified = try await sessionCookies.verify(cookie, tenant: expectedTenant)
        if checkRevoked { try await requireCurrentSession(verified) }
        return verified
    }

    /// Makes a session cookie from an ID token of a sign-in in the last five minutes.
    /// - Parameters:
    ///   - idToken: the ID token, as the application sent it.
    ///   - expiresIn: seconds, 300 to 1,209,600 (14 days).
    /// - Throws: `invalidSessionCookieDuration`, `invalidIDToken`, `idTokenExpired`, `recentSignInRequired`,
    ///   `userDisabled`, `userNotFound`.
    public func createSessionCookie(idToken: String, expiresIn: TimeInterval) async throws -> String {
        guard (300...1_209_600).contains(expiresIn) else {
            throw AdminError(.invalidSessionCookieDuration, "A session cookie is valid for 5 minutes to 14 days.")
        }
        struct Request: Encodable { var idToken, validDuration: String }
        struct Response: Decodable { var sessionCookie: String }
        return try await server.send(
            .post, "v1", realmPath, verb: ":createSessionCookie",
            body: Request(idToken: idToken, validDuration: String(Int(expiresIn))), repetition: .always,
            as: Response.self
        ).sessionCookie
    }

    /// Makes a token with which a client signs in: `Auth.signIn(withCustomToken:)`. It is valid for an hour.
    /// - Parameters:
    ///   - uid: the ID of the account, 1 to 128 characters. The sign-in creates an account that does not exist.
    ///   - claims: claims of the session, at most 1,000 bytes of JSON; none of the names that tokens use themselves.
    /// - Throws: `invalidUID`, `invalidClaims`; `invalidCredential` if the credential is an access token: only a service
    ///   account signs. In dev mode the token is not signed.
    public func createCustomToken(uid: String, claims: [String: any Sendable] = [:]) async throws -> String {
        guard (1...128).contains(uid.unicodeScalars.count) else {
            throw AdminError(.invalidUID, "The ID of an account has 1 to 128 characters.")
        }
        let claims = claims.isEmpty ? nil : try CustomClaims(claims)
        let issuedAt = Int(server.transport.clock.now().timeIntervalSince1970)
        let token = { (account: String) in
            CustomToken(
                iss: account, sub: account, uid: uid, tenantID: tenantID, claims: claims, iat: issuedAt,
                exp: issuedAt + 3600)
        }
        switch credential.content {
        case .serviceAccount(let account, let sign):
            return try await account.token(token(account.clientEmail), sign: sign)
        case .emulator:
            let payload = try JSONEncoder().encode(token("firebase-auth-emulator@example.com"))
            return Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64URLText + "." + payload.base64URLText + "."
        case .accessToken:
            throw AdminError(.invalidCredential, "Only a service account signs custom tokens.")
        }
    }

    /// REST 2.6, with the names of the claims.
    private struct CustomToken: Encodable {
        var iss, sub: String
        var aud = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
        var uid: String
        var tenantID: String?
        var claims: CustomClaims?
        var iat, exp: Int

        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, uid, claims, iat, exp
            case tenantID = "tenant_id"
        }
    }

    private func requireCurrentSession(_ token: VerifiedIDToken) async throws {
        let user = try await getUser(token.uid)
        guard !user.isDisabled else { throw IDTokenVerificationError.userDisabled }
        guard user.tokensValidAfter.map({ token.authTime >= $0 }) ?? true else {
            throw IDTokenVerificationError.revoked
        }
    }

    private var expectedTenant: ExpectedTenant { tenantID.map(ExpectedTenant.id) ?? .absent }

    /// The path of the project or of the tenant, below that of the project.
    var realmPath: [String] { tenantID.map { ["tenants", $0] } ?? [] }
}
