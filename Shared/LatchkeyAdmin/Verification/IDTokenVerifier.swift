public import Foundation
import LatchkeyAuth

/// Verifies ID tokens in a backend, without a request per token.
///
/// ```swift
/// let verifier = IDTokenVerifier(projectID: "shop", serverURL: URL(string: "https://auth.example.org")!)
/// let token = try await verifier.verify(bearerToken)
/// print(token.uid)
/// ```
///
/// Keep one verifier for the life of the process: it keeps the keys of the server for as long as the server says
/// (`Cache-Control`, at most a day), and fetches them again before that time is over. A key that it does not know causes
/// one fetch in ten seconds at most. While the server cannot be reached, the last keys serve for a further day.
///
/// Only RS256 is accepted (RFC 8725 section 3.1), also in dev mode: a backend that accepted unsigned tokens would
/// authenticate nobody.
public struct IDTokenVerifier: Sendable {
    private let verifier: TokenVerifier

    /// A verifier with the keys that a server publishes.
    /// - Parameters:
    ///   - projectID: the ID of the project, not its number.
    ///   - serverURL: the URL of the public listener or of the admin listener.
    ///   - clockToleranceSeconds: the accepted difference between the clocks of server and backend; 0 to 300.
    public init(projectID: String, serverURL: URL, clockToleranceSeconds: Int = 60) {
        verifier = TokenVerifier(
            .idToken, projectID, serverURL: serverURL, clockToleranceSeconds: clockToleranceSeconds)
    }

    /// A verifier with keys that the application supplies and replaces, such as those of a file.
    /// - Parameters:
    ///   - projectID: the ID of the project, not its number.
    ///   - jwkSet: the JWK set of the server (RFC 7517 section 5).
    ///   - clockToleranceSeconds: the accepted difference between the clocks of server and backend; 0 to 300.
    /// - Throws: `IDTokenVerificationError.keysUnavailable` if it contains no usable key, more than 64 keys, or more than
    ///   256 KiB.
    public init(projectID: String, jwkSet: Data, clockToleranceSeconds: Int = 60) throws(IDTokenVerificationError) {
        verifier = try TokenVerifier(.idToken, projectID, jwkSet: jwkSet, clockToleranceSeconds: clockToleranceSeconds)
    }

    init(projectID: String, keys: TokenVerifier.KeySource, clockToleranceSeconds: Int, clock: AuthClock) {
        let rules = TokenRules(kind: .idToken, projectID: projectID, clockToleranceSeconds: clockToleranceSeconds)
        verifier = TokenVerifier(rules, keys: keys, clock: clock)
    }

    /// Verifies a token: signature, issuer, audience, account ID, times and tenant.
    ///
    /// A token of a session that has ended stays valid until it expires, within an hour. ``AdminAuth`` can check with the
    /// server.
    /// - Parameters:
    ///   - token: the ID token, as the application sent it.
    ///   - tenant: the tenant of the accounts that the backend serves.
    /// - Throws: ``IDTokenVerificationError``; `CancellationError`.
    public func verify(_ token: String, tenant: ExpectedTenant = .absent) async throws -> VerifiedIDToken {
        try await verifier.verify(token, tenant: tenant)
    }
}

/// Verifies session cookies in a backend, as ``IDTokenVerifier`` verifies ID tokens.
public struct SessionCookieVerifier: Sendable {
    private let verifier: TokenVerifier

    /// A verifier with the keys that a server publishes.
    /// - Parameters:
    ///   - projectID: the ID of the project, not its number.
    ///   - serverURL: the URL of the public listener or of the admin listener.
    ///   - clockToleranceSeconds: the accepted difference between the clocks of server and backend; 0 to 300.
    public init(projectID: String, serverURL: URL, clockToleranceSeconds: Int = 60) {
        verifier = TokenVerifier(
            .sessionCookie, projectID, serverURL: serverURL, clockToleranceSeconds: clockToleranceSeconds)
    }

    /// A verifier with keys that the application supplies and replaces, such as those of a file.
    /// - Parameters:
    ///   - projectID: the ID of the project, not its number.
    ///   - jwkSet: the JWK set of the server for session cookies (RFC 7517 section 5).
    ///   - clockToleranceSeconds: the accepted difference between the clocks of server and backend; 0 to 300.
    /// - Throws: `IDTokenVerificationError.keysUnavailable` if it contains no usable key, more than 64 keys, or more than
    ///   256 KiB.
    public init(projectID: String, jwkSet: Data, clockToleranceSeconds: Int = 60) throws(IDTokenVerificationError) {
        verifier = try TokenVerifier(
            .sessionCookie, projectID, jwkSet: jwkSet, clockToleranceSeconds: clockToleranceSeconds)
    }

    init(projectID: String, keys: TokenVerifier.KeySource, clockToleranceSeconds: Int, clock: AuthClock) {
        let rules = TokenRules(kind: .sessionCookie, projectID: projectID, clockToleranceSeconds: clockToleranceSeconds)
        verifier = TokenVerifier(rules, keys: keys, clock: clock)
    }

    /// Verifies a cookie: signature, issuer, audience, account ID, times and tenant.
    ///
    /// A cookie of a session that has ended stays valid until it expires. ``AdminAuth`` can check with the server.
    /// - Parameters:
    ///   - cookie: the session cookie, as the browser sent it.
    ///   - tenant: the tenant of the accounts that the backend serves.
    /// - Throws: ``IDTokenVerificationError``; `CancellationError`.
    public func verify(_ cookie: String, tenant: ExpectedTenant = .absent) async throws -> VerifiedIDToken {
        try await verifier.verify(cookie, tenant: tenant)
    }
}
