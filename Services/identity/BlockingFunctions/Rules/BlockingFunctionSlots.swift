import Vocabulary

/// Bounds the calls of blocking functions that run at the same time. Projects whose functions hang get errors at once, and
/// leave slots to the others.
struct BlockingFunctionSlots: Equatable, Sendable {
    static let maximumRunning = 48

    private var shares = ProjectShares(slots: maximumRunning)

    /// - Returns: whether a call may start. A caller that got a slot releases it.
    mutating func acquire(_ project: ProjectID) -> Bool {
        guard shares.room(for: project) > 0 else { return false }
        shares.acquire(for: project)
        return true
    }

    mutating func release(_ project: ProjectID) {
        shares.release(project)
    }
}
