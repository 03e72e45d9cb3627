import Vocabulary

/// Bounds the calls of blocking functions that run at the same time. A project whose function hangs gets errors at once,
/// and leaves slots to the other projects.
struct BlockingFunctionSlots: Equatable, Sendable {
    static let maximumRunning = 48
    static let maximumRunningPerProject = 24

    private var running: [ProjectID: Int] = [:]
    private var total = 0

    /// - Returns: whether a call may start. A caller that got a slot releases it.
    mutating func acquire(_ project: ProjectID) -> Bool {
        let ofProject = running[project, default: 0]
        guard total < Self.maximumRunning, ofProject < Self.maximumRunningPerProject else { return false }
        total += 1
        running[project] = ofProject + 1
        return true
    }

    mutating func release(_ project: ProjectID) {
        guard let ofProject = running[project] else { preconditionFailure("released without a slot") }
        total -= 1
        running[project] = ofProject == 1 ? nil : ofProject - 1
    }
}
