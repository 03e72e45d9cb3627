/// Decides when the parts of a process stop. Parts are known by their place in the list; what stands later may lean on
/// what stands earlier, so they stop one by one from the end.
struct Lifecycle: Sendable {
    enum Input: Equatable, Sendable {
        case stopRequested
        /// `run()` of the part at this place ended.
        case ended(part: Int)
        /// The time for stopping is over.
        case graceExpired
    }

    enum Action: Equatable, Sendable {
        case startGrace
        case beginShutdown(part: Int)
        case finish(Outcome)
    }

    enum Outcome: Equatable, Sendable {
        /// Everything ended after it was asked to.
        case clean
        /// This part ended first, unasked.
        case componentEnded(Int)
        /// Some part did not end in time.
        case timedOut(running: [Int])
    }

    private var running: Set<Int>
    private var stopping: Int?
    private var endedUnasked: Int?
    private var isStopping = false
    private var isFinished = false

    init(parts: Int) {
        running = Set(0..<parts)
    }

    mutating func receive(_ input: Input) -> [Action] {
        guard !isFinished else { return [] }
        switch input {
        case .stopRequested:
            return isStopping ? [] : beginStopping()
        case .ended(let part):
            running.remove(part)
            if !isStopping {
                endedUnasked = part
                return beginStopping()
            }
            // A part that falls while others are being stopped needs no shutdown of its own.
            return part == stopping ? stopNext() : []
        case .graceExpired:
            isFinished = true
            return [.finish(.timedOut(running: running.sorted()))]
        }
    }

    private mutating func beginStopping() -> [Action] {
        isStopping = true
        return [.startGrace] + stopNext()
    }

    private mutating func stopNext() -> [Action] {
        stopping = running.max()
        if let stopping { return [.beginShutdown(part: stopping)] }
        isFinished = true
        return [.finish(endedUnasked.map(Outcome.componentEnded) ?? .clean)]
    }
}
