/// Requests that wait for few slots. The keys take turns, so that many requests of one key delay one of another key by
/// a single request. The work that waits is bounded by its time.
struct FairQueue<Key: Hashable & Sendable>: Sendable {
    /// What becomes of a new request.
    enum Entry: Equatable, Sendable {
        case runs
        /// Until `leave` returns the ticket.
        case waits(ticket: Int)
        case refused
    }

    private let slots: Int
    /// The limit of all requests that run or wait.
    private let maximumWork: Duration
    /// The limit of the requests of one key.
    private let maximumWorkPerKey: Duration

    private var running = 0
    private var work = Duration.zero
    private var workByKey: [Key: Duration] = [:]
    /// The tickets, the first one first.
    private var waiting: [Key: [Int]] = [:]
    /// The keys with waiting requests, the next one first.
    private var turns: [Key] = []
    private var lastTicket = 0

    /// - Parameter workPerSlot: how long requests may wait for a slot, all keys together. A key has half of it.
    init(slots: Int, workPerSlot: Duration) {
        precondition(slots > 0, "a queue without a slot never ends")
        self.slots = slots
        maximumWork = workPerSlot * slots
        maximumWorkPerKey = maximumWork / 2
    }

    /// - Parameter needed: the expected time of the request in its slot. One that is alone is never refused.
    mutating func enter(_ key: Key, cost needed: Duration) -> Entry {
        let ofKey = workByKey[key] ?? .zero
        guard work == .zero || work + needed <= maximumWork, ofKey == .zero || ofKey + needed <= maximumWorkPerKey
        else { return .refused }
        work += needed
        workByKey[key] = ofKey + needed
        guard running == slots else {
            running += 1
            return .runs
        }
        lastTicket += 1
        if waiting[key] == nil { turns.append(key) }
        waiting[key, default: []].append(lastTicket)
        return .waits(ticket: lastTicket)
    }

    /// A request leaves its slot.
    /// - Returns: the ticket of the request that gets the slot.
    mutating func leave(_ key: Key, cost needed: Duration) -> Int? {
        work -= needed
        let ofKey = (workByKey[key] ?? .zero) - needed
        workByKey[key] = ofKey > .zero ? ofKey : nil
        guard !turns.isEmpty else {
            running -= 1
            return nil
        }
        let next = turns.removeFirst()
        guard var requests = waiting.removeValue(forKey: next) else { preconditionFailure("a turn without a request") }
        let first = requests.removeFirst()
        if !requests.isEmpty {
            waiting[next] = requests
            turns.append(next)
        }
        return first
    }
}
