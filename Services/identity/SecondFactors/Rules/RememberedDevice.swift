import Contracts
import Vocabulary

/// A device of an account that the hosted sign-in does not ask for a second factor. Whoever has its secret has shown a second
/// factor of the account on it, or has copied the secret from it (security rule MP9).
struct RememberedDevice: Equatable, Sendable {
    /// The devices of one account; the least recently used one is forgotten.
    static let maximumPerAccount = 20

    var secretHash: [UInt8]
    /// As of sessions.
    var device: String?
    /// The last sign-in with the secret: the device is forgotten when somebody else ends the session.
    var signInID: SessionID
    var createdAt: Moment
    var lastUsedAt: Moment
    var expiresAt: Moment

    /// - Parameter days: at least 1, as the project sets it.
    init(_ secret: DeviceSecret, days: Int, device: String?, signInID: SessionID, at now: Moment) {
        self.init(
            secretHash: secret.hash, device: device, signInID: signInID, createdAt: now, lastUsedAt: now,
            expiresAt: now + Self.lifetime(days: days))
    }

    init(
        secretHash: [UInt8], device: String?, signInID: SessionID, createdAt: Moment, lastUsedAt: Moment,
        expiresAt: Moment
    ) {
        self.secretHash = secretHash
        self.device = device
        self.signInID = signInID
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    static func lifetime(days: Int) -> Duration { .seconds(days.multipliedSaturated(by: 86_400)) }

    /// Whether the secret stands in for a second factor. The user was promised the end, and a project that sets fewer days
    /// shortens it.
    func isValid(days: Int, at now: Moment) -> Bool {
        now < expiresAt && createdAt.beginsWindow(of: Self.lifetime(days: days), containing: now)
    }
}

/// What a browser keeps of a remembered device.
struct DeviceSecret: OpaqueCredential {
    static let version: UInt8 = 5

    var secret: [UInt8]

    init(secret: [UInt8]) { self.secret = secret }

    /// The well-formed ones among the first of a request.
    static func read(_ texts: [Secret<String>]) -> [DeviceSecret] {
        texts.prefix(Identity.RememberDevice.maximumSecrets).compactMap { DeviceSecret($0.reveal()) }
    }
}
