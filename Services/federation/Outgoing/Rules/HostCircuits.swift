import PublicSuffixes
import Vocabulary

/// The circuit breakers of all servers. The hosts of one domain share a breaker: otherwise the owner of a domain could use
/// any number of them, each with connections of its own. A breaker without calls and failures is forgotten.
struct HostCircuits: Equatable, Sendable {
    static let maximumDomains = 1000

    private struct Entry: Equatable, Sendable {
        var circuit = HostCircuit()
        var lastUse: UInt64 = 0
    }
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    /// Acquires permission for a call. A caller with permission reports the outcome.
    mutating func acquirePermission(for url: WebURL, at now: ContinuousClock.Instant) -> Bool {
        let domain = Self.domain(of: url)
        if entries[domain] == nil, entries.count >= Self.maximumDomains, !forgetOne() { return false }
        uses += 1
        entries[domain, default: Entry()].lastUse = uses
        return entries[domain]?.circuit.acquirePermission(at: now) ?? false
    }

    mutating func record(_ outcome: HostCircuit.Outcome, of url: WebURL, at now: ContinuousClock.Instant) {
        let domain = Self.domain(of: url)
        guard var entry = entries[domain] else { return }
        entry.circuit.record(outcome, at: now)
        entries[domain] = entry.circuit.isIdle ? nil : entry
    }

    var count: Int { entries.count }

    /// Forgets the failures of the domain that was not used for the longest time.
    /// - Returns: false if all have running calls.
    private mutating func forgetOne() -> Bool {
        let unused = entries.filter { $0.value.circuit.running == 0 }
        guard let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
        entries[oldest.key] = nil
        return true
    }

    /// The registrable domain of a public name, otherwise the host with its port: at an address or on this machine, another
    /// port is another server.
    static func domain(of url: WebURL) -> String {
        guard !url.isLoopback, url.host.utf8.contains(where: { (0x61...0x7a).contains($0 | 0x20) }),
            !url.host.utf8.contains(0x3a)
        else {
            return String(url.authority)
        }
        return PublicSuffixes.registrableDomain(of: url.host) ?? String(url.authority)
    }
}
