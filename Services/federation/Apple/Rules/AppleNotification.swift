import Contracts
import FoundationEssentials
import JOSE
import JSON
import Vocabulary

/// A verified notification of Sign in with Apple about a user.
struct AppleNotification: Equatable, Sendable {
    enum Event: Equatable, Sendable {
        /// The user has revoked the consent, or deleted the Apple account.
        case accessEnded(subject: String)
        /// Changes nothing: the relay of an address was switched on or off, or the event is unknown.
        case other
    }

    /// 1 to 255 bytes.
    var id: String
    var event: Event
    /// No later than this does the notification pass again.
    var acceptableUntil: Timestamp
}

/// The rules for one notification, besides its keys. It has neither `sub` nor `exp`, so an ID token is no notification,
/// and a notification is no ID token.
struct AppleNotificationRules: Equatable, Sendable {
    var source: IDTokenSource
    /// The client ID and the bundle IDs of the configuration.
    var audiences: Set<String>

    private static let maximumIDBytes = 255

    /// Verifies a notification.
    /// - Throws: `JWTError.unknownKey` when the keys may be outdated; otherwise `AppleNotificationError`.
    func verify(_ payload: String, with keys: JWKSet, at now: Timestamp) throws -> AppleNotification {
        let token: UnverifiedJWT
        do throws(JWTError) {
            token = try UnverifiedJWT(payload)
            try token.checkSignature(with: keys, algorithms: source.algorithms)
        } catch .unknownKey {
            throw JWTError.unknownKey
        } catch {
            throw AppleNotificationError.invalid(error)
        }
        guard let claims = ProviderClaims(json: token.claims) else { throw AppleNotificationError.invalid(.malformed) }
        return try notification(claims, at: now)
    }

    /// - Parameter claims: of a token whose signature was verified.
    func notification(
        _ claims: ProviderClaims, at now: Timestamp
    ) throws(AppleNotificationError) -> AppleNotification {
        guard case .anyOf(let issuers) = source.issuer, let issuer = claims.text("iss"), issuers.contains(issuer) else {
            throw .invalid(.wrongIssuer)
        }
        guard let audience = claims.text("aud"), audiences.contains(audience) else { throw .invalid(.wrongAudience) }
        guard case .integer(let seconds) = claims.members["iat"], let id = Self.identifier(claims.text("jti")) else {
            throw .invalid(.malformed)
        }
        let issuedAt = Timestamp(seconds: seconds)
        guard issuedAt <= now + IDTokenRules.clockToleranceSeconds else { throw .invalid(.notYetValid) }
        let maximumAgeSeconds = IDTokenRules.maximumAgeSeconds + IDTokenRules.clockToleranceSeconds
        guard issuedAt > now - maximumAgeSeconds else { throw .stale }
        return AppleNotification(
            id: id, event: try Self.event(claims.members["events"]), acceptableUntil: issuedAt + maximumAgeSeconds)
    }

    /// - Parameter value: the claim `events`, an object or its JSON text.
    private static func event(_ value: JSONValue?) throws(AppleNotificationError) -> AppleNotification.Event {
        let event: ProviderClaims?
        switch value {
        case .object(let members): event = ProviderClaims(members)
        case .string(let text): event = ProviderClaims(json: Data(text.utf8))
        case .null, .bool, .integer, .number, .array, nil: event = nil
        }
        guard let event, let type = event.text("type") else { throw .invalid(.malformed) }
        switch type {
        // Apple documents the last two names in different places.
        case "consent-revoked", "account-delete", "account-deleted":
            guard let subject = identifier(event.text("sub")) else { throw .invalid(.invalidSubject) }
            return .accessEnded(subject: subject)
        default: return .other
        }
    }

    private static func identifier(_ text: String?) -> String? {
        text.flatMap { (1...maximumIDBytes).contains($0.utf8.count) ? $0 : nil }
    }
}

/// Why a notification is rejected.
enum AppleNotificationError: Error, Equatable {
    case invalid(JWTError)
    /// Issued too long ago.
    case stale

    /// The error for callers. It shows no value of the notification.
    var serviceError: ServiceError {
        switch self {
        case .invalid:
            ServiceError(.invalidProviderResponse, "The payload is not a notification of Apple for this configuration.")
        case .stale: ServiceError(.invalidProviderResponse, "The notification was issued too long ago.")
        }
    }
}
