package import Vocabulary

/// A notification for caches that something changed. Events can be lost, so no durable information travels as an event.
package enum BusEvent: Codable, Equatable, Sendable {
    /// The configuration of a project, or of one tenant, has a new revision.
    case configurationChanged(Realm)
    /// Sessions that started before now are void: a password change, a disabled or deleted account, a revocation. Without
    /// an account: those of several accounts of the realm. A call publishes one event at most.
    case sessionsRevoked(Realm, AccountID?)
    /// The published signing keys changed.
    case signingKeysChanged
    /// The outbox holds messages of a channel for a notifier with free capacity.
    case messagesQueued(Notifier.Channel)
}
