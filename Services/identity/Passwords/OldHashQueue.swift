import Contracts
import Vocabulary

/// Admits the comparisons with hashes of other systems. An answer that only waits as long as one would take holds a
/// slot as well: otherwise the addresses that came from another system would show as soon as many guesses are made at
/// once.
actor OldHashQueue {
    /// How long requests may wait for each slot. Beyond it, waiting in a client would end first.
    static let workPerSlot = Duration.seconds(5)

    private var queue: FairQueue<ClientNetwork?>
    private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]

    init(slots: Int) {
        queue = FairQueue(slots: slots, workPerSlot: Self.workPerSlot)
    }

    /// Runs `body` with a slot.
    /// - Parameter cost: the expected time of `body`.
    /// - Throws: `ServiceError.overloaded` at once when too much waits; what `body` throws.
    func withSlot<Result: Sendable>(
        for network: ClientNetwork?, cost: Duration, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        switch queue.enter(network, cost: cost) {
        case .runs: break
        case .waits(let ticket): await withCheckedContinuation { waiting[ticket] = $0 }
        case .refused: throw ServiceError.overloaded
        }
        defer { leave(network, cost: cost) }
        return try await body()
    }

    private func leave(_ network: ClientNetwork?, cost: Duration) {
        guard let ticket = queue.leave(network, cost: cost) else { return }
        guard let next = waiting.removeValue(forKey: ticket) else { preconditionFailure("a ticket without a request") }
        next.resume()
    }
}

/// What every refusal of a realm takes beyond a new hash.
struct OldHashTime: Equatable, Sendable {
    /// Zero: the realm has no hashes of other systems.
    var duration: Duration
    /// The network of the client.
    var network: ClientNetwork?

    static let none = OldHashTime(duration: .zero, network: nil)

    /// The cost of a comparison that was not measured yet.
    static let unmeasured = Duration.milliseconds(250)

    /// No accepted hash takes longer, unless the machine was busy while it was measured.
    private static let maximumMilliseconds: Int64 = 4000

    /// Measured times are those of an idle machine. With the margin a comparison rarely takes longer than the refusals
    /// that wait.
    init(slowestMilliseconds: Int64?, network: ClientNetwork?) {
        let slowest = min(slowestMilliseconds ?? 0, Self.maximumMilliseconds)
        self.init(duration: .milliseconds(slowest * 3 / 2), network: network)
    }

    init(duration: Duration, network: ClientNetwork?) {
        self.duration = duration
        self.network = network
    }
}
