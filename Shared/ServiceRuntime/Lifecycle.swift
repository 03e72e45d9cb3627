/// Decides when the components of a process stop. A component is identified by its index. It may depend on components
/// with a lower index, so they stop one by one from the end.
struct Lifecycle: Sendable {
    enum Input: Equatable, Sendable {
        case stopRequested
        /// `run()` of the component at this index ended.
        case ended(part: Int)
        /// The time for stopping has passed.
        case graceExpired
    }

    enum Action: Equatable, Sendable {
        case startGrace
        case beginShutdown(part: Int)
        case finish(Outcome)
    }

    enum Outcome: Equatable, Sendable {
        /// All components ended after the shutdown was requested.
        case clean
        /// This component ended first, without a shutdown request.
        case componentEnded(Int)
        /// Some components did not end in time.
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
            // A component that ends while others are being stopped needs no shutdown itself.
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
