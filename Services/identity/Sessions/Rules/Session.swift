import Contracts
import Crypto
import Vocabulary

/// One sign-in and the state of its refresh-token family.
///
/// Each use of the newest token issues a successor. Until that successor is used, and for `grace` at most, its
/// predecessor stays valid and yields the same successor again: a lost reply, or a second tab, does not end the
/// session. Any other token that was redeemed before is a copy: the session ends (RFC 9700 §4.14.2).
struct Session: Equatable, Sendable {
    static let idleLifetime = Duration.seconds(60 * 24 * 60 * 60)
    static let absoluteLifetime = Duration.seconds(400 * 24 * 60 * 60)
    /// The lifetime of a session of another scope. An enrollment needs a recent sign-in anyway.
    static let enrollmentLifetime = Duration.seconds(60 * 60)
    /// How long a redeemed token stays valid without a setting.
    static let defaultGrace = Duration.seconds(60 * 60)

    var id: SessionID
    var realm: Realm
    var accountID: AccountID
    var authentication: AuthenticationContext
    /// The IP address of the request that opened it; nil for a session of a former version, and after its end.
    var clientAddress: String?
    /// The name of the client that opened it, see `ClientDevice`; nil as `clientAddress`, and for an unknown client.
    var device: String?
    var createdAt: Moment
    var lastUsedAt: Moment
    var endedAt: Moment?

    /// The generation of the newest token, the one whose successor does not exist yet.
    var generation: UInt32
    var currentHash: [UInt8]
    /// The hash of its predecessor; nil until the first rotation.
    var previousHash: [UInt8]?
    /// Turns the predecessor into the newest token.
    var successorSalt: [UInt8]?

    /// Opens a session and gives its first token.
    static func open(
        for accountID: AccountID, in realm: Realm, authentication: AuthenticationContext,
        clientAddress: String? = nil, device: String? = nil, at now: Moment, randomBytes: (_ count: Int) -> [UInt8]
    ) -> (Session, RefreshToken) {
        let id = SessionID(at: now, randomBytes: randomBytes)
        let token = RefreshToken(sessionID: id, generation: 0, secret: randomBytes(RefreshToken.secretBytes))
        let session = Session(
            id: id, realm: realm, accountID: accountID, authentication: authentication,
            clientAddress: clientAddress, device: device, createdAt: now, lastUsedAt: now, endedAt: nil, generation: 0,
            currentHash: token.hash, previousHash: nil, successorSalt: nil)
        return (session, token)
    }

    /// The session of the sign-in that it continues, on the same client; its own ID if it continues none.
    var signInID: SessionID { authentication.signInID ?? id }

    /// Whether its newest refresh token is valid.
    func isActive(at now: Moment) -> Bool {
        let lifetime =
            switch authentication.scope {
            case .full: Self.absoluteLifetime
            case .enrollment, .restoration: Self.enrollmentLifetime
            }
        return endedAt == nil && now < lastUsedAt + Self.idleLifetime && now < createdAt + lifetime
    }

    enum Redemption: Equatable, Sendable {
        /// The session continues with this token. `rotated`: it is new, and the session changed.
        case successor(RefreshToken, rotated: Bool)
        /// A token that was redeemed before: the session has been ended.
        case replayed
        /// The session had ended already.
        case expired
        /// Not a token of this session.
        case unknown
    }

    /// Verifies a presented token and advances the family.
    /// - Parameters:
    ///   - salt: 32 fresh random bytes.
    ///   - grace: how long after its redemption a token remains valid.
    mutating func redeem(
        _ token: RefreshToken, at now: Moment, salt: [UInt8], grace: Duration = defaultGrace
    ) -> Redemption {
        guard isActive(at: now) else { return .expired }
        if token.generation == generation {
            guard constantTimeEquals(token.hash, currentHash) else { return .unknown }
            let successor = token.successor(salt: salt)
            generation = successor.generation
            previousHash = currentHash
            currentHash = successor.hash
            successorSalt = salt
            // Not backwards: while the clock is behind, each refresh would let its session expire when it is right again.
            lastUsedAt = max(lastUsedAt, now)
            return .successor(successor, rotated: true)
        }
        if token.nextGeneration == generation, let previousHash, let successorSalt {
            guard constantTimeEquals(token.hash, previousHash) else { return .unknown }
            // The newest token was issued when this one was redeemed.
            // A time that is further ahead was set by a clock that was ahead, and must not prolong the grace.
            guard now <= lastUsedAt + grace, lastUsedAt <= now + grace else {
                end(at: now)
                return .replayed
            }
            return .successor(token.successor(salt: successorSalt), rotated: false)
        }
        guard token.generation < generation else { return .unknown }
        end(at: now)
        return .replayed
    }

    /// It keeps nothing about the client that nobody needs after its end.
    private mutating func end(at now: Moment) {
        endedAt = now
        clientAddress = nil
        device = nil
    }
}

extension AuthenticationContext.Factor {
    init(_ factor: SecondFactor) {
        self.init(kind: factor.kind.method.rawValue, id: factor.id)
    }
}

/// The authentication context, which every token of its session contains (tokens 2).
struct AuthenticationContext: Codable, Equatable, Sendable {
    /// The time of the sign-in, or of the second factor.
    var authenticatedAt: Timestamp
    /// `password`, `phone`, `anonymous`, `custom`, `passkey`, or a provider's id.
    var signInProvider: String
    var secondFactor: Factor?
    /// JSON text of an object: claims of a custom token, which every token of the session contains.
    var claims: String?
    var scope = SessionScope.full
    /// Whether the passkey of the sign-in verified the user; nil for other sign-ins.
    var isUserVerified: Bool?
    /// JSON text of an object: claims of the provider that signed in (`ProviderIdentity.attributes`).
    var attributes: String?
    /// The first factor of the provider `password` was a link or a code by e-mail; nil for others.
    var isByEmail: Bool?
    /// A remembered device stood in for the second factor, which nobody has shown: the session counts as complete, and permits
    /// nothing that needs the factor itself. Nil for other sign-ins.
    var isDeviceRemembered: Bool?
    /// The session that the sign-in opened, in the context of a session that continues it and of its tokens; nil in that
    /// of the first.
    var signInID: SessionID?

    /// `signInProvider` of a sign-in by passkey.
    static let passkeyProvider = "passkey"
    static let anonymousProvider = "anonymous"
    static let customProvider = "custom"

    struct Factor: Codable, Equatable, Sendable {
        /// `phone`, `totp`, or `recovery_code`, which replaced one of them.
        var kind: String
        /// nil for a recovery code: it is not a factor of the list.
        var id: FactorID?

        static let recoveryCode = Factor(kind: "recovery_code", id: nil)
    }
}

extension AuthenticationContext {
    /// A context that was stored before scopes existed is full.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            authenticatedAt: try members.decode(Timestamp.self, forKey: .authenticatedAt),
            signInProvider: try members.decode(String.self, forKey: .signInProvider),
            secondFactor: try members.decodeIfPresent(Factor.self, forKey: .secondFactor),
            claims: try members.decodeIfPresent(String.self, forKey: .claims),
            scope: try members.decodeIfPresent(SessionScope.self, forKey: .scope) ?? .full,
            isUserVerified: try members.decodeIfPresent(Bool.self, forKey: .isUserVerified),
            attributes: try members.decodeIfPresent(String.self, forKey: .attributes),
            isByEmail: try members.decodeIfPresent(Bool.self, forKey: .isByEmail),
            isDeviceRemembered: try members.decodeIfPresent(Bool.self, forKey: .isDeviceRemembered),
            signInID: try members.decodeIfPresent(SessionID.self, forKey: .signInID))
    }

    /// Two factors were verified: the first and a second one, or a passkey that verified the user (security rule WA12).
    var hasTwoFactors: Bool { secondFactor != nil || isUserVerified == true }
}
