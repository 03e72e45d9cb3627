import Crypto
import JOSE
import JSON
import Synchronization
import Vocabulary

/// The key of a developer team that signs provider tokens: Apple's `AuthKey_….p8`.
struct APNsSigningKey: Sendable {
    private let key: PrivateKey
    private let keyID: String
    private let teamID: String

    /// - Parameter pem: an unencrypted P-256 key, PKCS #8.
    /// - Throws: `CryptoError.malformedKey`, or `unsupportedKey` for a key that does not support ES256.
    init(pem: String, keyID: String, teamID: String) throws(CryptoError) {
        key = try PrivateKey(pem: pem)
        guard key.algorithm == .es256 else { throw .unsupportedKey }
        self.keyID = keyID
        self.teamID = teamID
    }

    /// - Parameter key: P-256.
    init(_ key: PrivateKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// A provider token: a JWT with `kid` in its header, and issuer and issue time as claims.
    func sign(at now: Moment) throws -> String {
        struct Claims: Encodable {
            var iss: String
            var iat: Int64
        }
        let claims = try WireJSON.encode(Claims(iss: teamID, iat: now.timestamp.seconds))
        return try JWT.sign(claims: claims, keyID: keyID, with: key, includesType: false)
    }
}

/// The provider token of a key. Apple accepts a token for an hour, and rejects a new one within twenty minutes of
/// the previous one, so a token per push would be rejected.
final class APNsTokenCache: Sendable {
    struct Token: Equatable, Sendable {
        var text: Secret<String>
        var issuedAt: Moment
    }

    /// Between Apple's two bounds.
    static let lifetime = Duration.seconds(40 * 60)
    static let shortestLifetime = Duration.seconds(20 * 60)

    private struct State {
        var token: Token?
        /// The same by the steady clock.
        var issuedAt: ContinuousClock.Instant?
        /// The time of the last early renewal.
        var renewedAt: ContinuousClock.Instant?
    }

    private let key: APNsSigningKey
    private let state = Mutex(State())

    init(_ key: APNsSigningKey) {
        self.key = key
    }

    /// - Parameters:
    ///   - now: the time of day, which the token states.
    ///   - instant: the time of the steady clock.
    func current(at now: Moment, _ instant: ContinuousClock.Instant) throws -> Token {
        try state.withLock { state in
            // Apple compares the stated time with its own clock: after a step of this one it may be from the future, or
            // too old.
            if let token = state.token, token.issuedAt <= now, now < token.issuedAt + Self.lifetime,
                let issuedAt = state.issuedAt, instant < issuedAt + Self.lifetime
            {
                return token
            }
            return try sign(&state, at: now, instant)
        }
    }

    /// The token to use after APNs rejected `rejected` as expired.
    /// - Returns: nil after a recent renewal: then the token is not the cause, and another renewal would exceed the
    ///   limit.
    func successor(of refused: Token, at now: Moment, _ instant: ContinuousClock.Instant) throws -> Token? {
        try state.withLock { state in
            // Concurrent pushes get the same rejection. The first one signs.
            if let token = state.token, token != refused { return token }
            if let last = state.renewedAt, instant < last + Self.shortestLifetime { return nil }
            state.renewedAt = instant
            return try sign(&state, at: now, instant)
        }
    }

    private func sign(_ state: inout State, at now: Moment, _ instant: ContinuousClock.Instant) throws -> Token {
        let token = Token(text: Secret(try key.sign(at: now)), issuedAt: now)
        (state.token, state.issuedAt) = (token, instant)
        return token
    }
}
