internal import Foundation

/// The tokens of a session.
struct SessionTokens: Codable, Equatable, Sendable {
    /// A token is renewed this long before it expires, so that it does not expire on its way to a backend.
    static let renewalMargin: TimeInterval = 300

    var idToken: String
    var refreshToken: String
    /// By the clock of the device, so that its difference from the server's clock does no harm.
    var expiresAt: Date

    func isFresh(at now: Date) -> Bool { now.addingTimeInterval(Self.renewalMargin) < expiresAt }

    /// - Parameter expiresIn: seconds as text; nil takes the lifetime from the token.
    init?(idToken: String?, refreshToken: String?, expiresIn: String?, at now: Date) {
        guard let idToken, !idToken.isEmpty, let refreshToken, !refreshToken.isEmpty else { return nil }
        // `try?`: a token without a readable lifetime is renewed at its first use.
        let lifetime = expiresIn.flatMap(TimeInterval.init) ?? (try? IDTokenPayload(idToken))?.lifetime ?? 0
        self.idToken = idToken
        self.refreshToken = refreshToken
        expiresAt = now.addingTimeInterval(min(max(lifetime, 0), 86_400))
    }
}

extension SignInResponse {
    /// The tokens; nil if the sign-in is not complete.
    func tokens(at now: Date) -> SessionTokens? {
        SessionTokens(idToken: idToken, refreshToken: refreshToken, expiresIn: expiresIn, at: now)
    }
}
