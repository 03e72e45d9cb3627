/// Decides when a process walks through its sealed records: after the master key changed, until a walk that began when
/// everybody knew of the change found nothing left to do.
package struct ResealingSchedule: Sendable {
    private var changedAt: ContinuousClock.Instant
    private var nextScan: ContinuousClock.Instant?

    /// By then every process seals under the new key, and whatever was sealed before is committed.
    package static let propagationTime = Duration.seconds(5)

    /// - Parameter isSettled: a walk before this start ended it for the present key.
    package init(isSettled: Bool, at now: ContinuousClock.Instant) {
        changedAt = now
        nextScan = isSettled ? nil : now
    }

    package mutating func ringChanged(at now: ContinuousClock.Instant) {
        changedAt = now
        nextScan = now
    }

    package func isScanDue(at now: ContinuousClock.Instant) -> Bool { nextScan.map { $0 <= now } ?? false }

    /// - Parameters:
    ///   - start: when the walk began.
    ///   - isComplete: it found nothing to seal anew.
    /// - Returns: whether that was the last one.
    package mutating func scanFinished(since start: ContinuousClock.Instant, isComplete: Bool) -> Bool {
        let settlesAt = changedAt + Self.propagationTime
        guard isComplete, start >= settlesAt else {
            nextScan = isComplete ? settlesAt : start
            return false
        }
        nextScan = nil
        return true
    }
}
