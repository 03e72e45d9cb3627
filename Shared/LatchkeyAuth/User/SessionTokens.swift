import Foundation

/// The tokens of a session.
struct SessionTokens: Codable, Equatable, Sendable {
    /// A token is renewed this long before it expires, so that it does not expire on its way to a backend.
    static let renewalMargin: TimeInterval = 300
    /// No token counts as fresh for longer.
    static let maximumLifetime: TimeInterval = 86_400

    var idToken: String
    var refreshToken: String
    /// By the clock of the device, so that its difference from the server's clock does no harm.
    var receivedAt: Date
    /// By the clock of the device.
    var expiresAt: Date

    /// Whether the ID token need not be renewed. A clock that was set back says nothing about its age.
    func isFresh(at now: Date) -> Bool {
        receivedAt <= now && now.addingTimeInterval(Self.renewalMargin) < expiresAt
    }

    /// - Parameter expiresIn: seconds as text; otherwise the lifetime is that of the token.
    init?(idToken: String?, refreshToken: String?, expiresIn: String?, at now: Date) {
        guard let idToken, !idToken.isEmpty, let refreshToken, !refreshToken.isEmpty else { return nil }
        self.idToken = idToken
        self.refreshToken = refreshToken
        receivedAt = now
        let stated = expiresIn.flatMap { Int($0) }.map(TimeInterval.init)
        // `try?`: a token without a readable lifetime is renewed at its first use.
        let lifetime = stated ?? (try? IDTokenPayload(idToken))?.lifetime ?? 0
        expiresAt = now.addingTimeInterval(min(max(lifetime, 0), Self.maximumLifetime))
    }
}

extension SignInResponse {
    /// The tokens; nil if the sign-in is not complete.
    func tokens(at now: Date) -> SessionTokens? {
        SessionTokens(idToken: idToken, refreshToken: refreshToken, expiresIn: expiresIn, at: now)
    }
}
