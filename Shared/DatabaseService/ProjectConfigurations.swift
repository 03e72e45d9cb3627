package import Bus
package import Contracts
package import Vocabulary

/// The effective configurations of realms, which identity has. Every other service reads them here.
///
/// A change takes effect with the event `configurationChanged`, which the owner passes to `receive`, or after
/// `RealmCache.timeToLive`.
package actor ProjectConfigurations {
    private let peers: any BusRequestSending
    /// The steady clock.
    private let instant: @Sendable () -> ContinuousClock.Instant
    private var cache = RealmCache<Identity.ResolveConfiguration.Reply>()

    package init(
        _ peers: any BusRequestSending, instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.peers = peers
        self.instant = instant
    }

    /// The configuration of a realm, also of a tenant that permits no sign-in.
    /// - Throws: those of `Identity.ResolveConfiguration`.
    package func resolve(
        _ realm: Realm, _ options: CallOptions
    ) async throws(ServiceError) -> Identity.ResolveConfiguration.Reply {
        if let reply = cache.value(of: realm, at: instant()) { return reply }
        let read = cache.startRead(at: instant())
        let reply = try await peers.send(Identity.ResolveConfiguration(realm: realm), options)
        cache.insert(reply, of: realm, from: read)
        return reply
    }

    /// The configuration of a realm for a sign-in.
    /// - Throws: `projectDisabled` for a tenant that permits none, and those of `resolve`.
    package func configuration(
        forSignInTo realm: Realm, _ options: CallOptions
    ) async throws(ServiceError) -> ProjectConfiguration {
        let reply = try await resolve(realm, options)
        guard !reply.isDisabled else { throw ServiceError(.projectDisabled) }
        return reply.configuration
    }

    /// Forgets what an event of another process has changed.
    package func receive(_ event: BusEvent) {
        switch event {
        case .configurationChanged(let realm): cache.invalidate(realm.project)
        case .sessionsRevoked, .signingKeysChanged, .messagesQueued: break
        }
    }
}
