/// Decides when the components of a process stop. A component is identified by its index. It may depend on components
/// with a lower index, so they stop one by one from the end.
struct Lifecycle: Sendable {
    enum Input: Equatable, Sendable {
        case stopRequested
        /// Only the components that serve other processes go on, until the request to stop.
        case closeRequested
        /// `run()` of the component at this index ended.
        case ended(part: Int)
        /// The time for stopping has passed.
        case graceExpired
    }

    enum Action: Equatable, Sendable {
        case startGrace
        case beginShutdown(part: Int)
        /// Only the components that serve other processes still run.
        case announceClosed
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
    /// The components before this index serve other processes.
    private let servingOthers: Int
    /// They go on until the request to stop.
    private var isClosing = false

    init(parts: Int, servingOthers: Int = 0) {
        running = Set(0..<parts)
        self.servingOthers = servingOthers
    }

    mutating func receive(_ input: Input) -> [Action] {
        guard !isFinished else { return [] }
        switch input {
        case .closeRequested:
            guard !isStopping else { return [] }
            isClosing = true
            return beginStopping()
        case .stopRequested:
            guard isClosing else { return isStopping ? [] : beginStopping() }
            isClosing = false
            // Components that are still closing go on with it.
            return [.startGrace] + (stopping == nil ? stopNext() : [])
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
        // What is only asked to close waits for other processes.
        return (isClosing ? [] : [.startGrace]) + stopNext()
    }

    private mutating func stopNext() -> [Action] {
        stopping = running.max()
        if isClosing, let next = stopping, next < servingOthers {
            stopping = nil
            return [.announceClosed]
        }
        if let stopping { return [.beginShutdown(part: stopping)] }
        isFinished = true
        return [.finish(endedUnasked.map(Outcome.componentEnded) ?? .clean)]
    }
}
