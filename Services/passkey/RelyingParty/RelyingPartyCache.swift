import Bus
import Contracts
import Vocabulary

/// The relying parties of requests, cached for `timeToLive`.
///
/// A change of the configuration takes effect with its event, or after `timeToLive`.
package actor RelyingPartyCache {
    static let timeToLive = Duration.seconds(1)
    static let maximumEntries = 1000

    private struct Entry {
        var configuration: ProjectConfiguration.Passkeys?
        var readAt: ContinuousClock.Instant
    }

    private let peers: any BusRequestSending
    private let defaults: RelyingPartyDefaults
    private let now: @Sendable () -> Moment
    /// The steady clock.
    private let instant: @Sendable () -> ContinuousClock.Instant
    private var entries: [Realm: Entry] = [:]
    /// Incremented by every invalidation: a reply to a request that was sent before it is not cached.
    private var invalidationCount = 0

    init(
        _ peers: any BusRequestSending, defaults: RelyingPartyDefaults,
        now: @escaping @Sendable () -> Moment, instant: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.peers = peers
        self.defaults = defaults
        self.now = now
        self.instant = instant
    }

    /// - Throws: `passkeysNotEnabled`, `projectDisabled` for a tenant without sign-ins, and those of
    ///   `Identity.ResolveConfiguration`.
    func relyingParty(of realm: Realm, _ call: BusCall) async throws -> EffectiveRelyingParty {
        try EffectiveRelyingParty(try await configuration(of: realm, call), defaults: defaults)
    }

    private func configuration(of realm: Realm, _ call: BusCall) async throws -> ProjectConfiguration.Passkeys? {
        let readAt = instant()
        if let entry = entries[realm], readAt < entry.readAt + Self.timeToLive { return entry.configuration }
        let countBefore = invalidationCount
        let reply = try await peers.send(Identity.ResolveConfiguration(realm: realm), call.options(at: now()))
        guard !reply.isDisabled else { throw ServiceError(.projectDisabled) }
        if countBefore == invalidationCount {
            // Unauthenticated callers name realms: the cache does not grow without bound.
            if entries.count >= Self.maximumEntries { entries.removeAll() }
            entries[realm] = Entry(configuration: reply.configuration.passkeyConfig, readAt: readAt)
        }
        return reply.configuration.passkeyConfig
    }

    /// Tenants inherit from their project, so a change of a project concerns its tenants too.
    func invalidate(_ project: ProjectID) {
        entries = entries.filter { $0.key.project != project }
        invalidationCount += 1
    }
}
