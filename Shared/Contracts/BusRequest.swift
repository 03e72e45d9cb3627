package import Vocabulary

/// What the mesh may do with a request whose worker was lost before it answered.
package enum RetrySemantics: Sendable {
    /// Changes nothing, or changes the same thing the same way: the broker may hand it to another worker.
    case idempotent
    /// Must take effect once: it carries an idempotency key, the caller may send it again under the same key, and the
    /// owner answers the second time with the reply it recorded the first time.
    case deduplicated
    /// Is not sent again by anybody but the user.
    case atMostOnce
}

/// The operations one service offers: a closed set, named on the wire by their raw values.
package protocol ServiceOperation: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    static var service: ServiceName { get }
    var delivery: RetrySemantics { get }
}

/// One request over the bus, tied to its reply so that a caller cannot expect the wrong answer. Both are flat JSON
/// objects. New fields are optional and meanings never change; `ContractsTests` holds the JSON of every one.
package protocol BusRequest: Codable, Sendable {
    associatedtype Operation: ServiceOperation
    associatedtype Reply: Codable & Sendable
    static var operation: Operation { get }
}

/// The reply of an operation that has nothing to say but "done".
package struct EmptyReply: Codable, Equatable, Sendable {
    package init() {}
}

/// A hint that something changed, for caches. Lossy by design: whatever must not be lost does not travel this way.
package enum BusEvent: Codable, Equatable, Sendable {
    /// The configuration of a project, or of one tenant, has a new revision.
    case configurationChanged(Realm)
    /// Sessions that began before now are void: a password change, a disabled or deleted account, a revocation.
    case sessionsRevoked(Realm, AccountID)
    /// The published signing keys changed.
    case signingKeysChanged
    /// Messages of a channel wait in the outbox for a notifier with room.
    case messagesQueued(Notifier.Channel)
    /// What one process measured of itself, every few seconds.
    case processReport(ProcessReport)
}
