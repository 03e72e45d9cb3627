/// Decides when a process scans its sealed records. It scans after the master key changed, until a scan finds nothing
/// left to do. That scan must have begun when all processes knew the change.
package struct ResealingSchedule: Sendable {
    private var changedAt: ContinuousClock.Instant
    private var nextScan: ContinuousClock.Instant?

    /// After this time every process seals under the new key, and every record that was sealed before is committed.
    package static let propagationTime = Duration.seconds(5)

    /// - Parameter isResealed: whether an earlier scan completed the rotation to the current key.
    package init(isResealed: Bool, at now: ContinuousClock.Instant) {
        changedAt = now
        nextScan = isResealed ? nil : now
    }

    package mutating func ringChanged(at now: ContinuousClock.Instant) {
        changedAt = now
        nextScan = now
    }

    package func isScanDue(at now: ContinuousClock.Instant) -> Bool { nextScan.map { $0 <= now } ?? false }

    /// - Parameters:
    ///   - start: when the scan began.
    ///   - isComplete: whether it found nothing to reseal.
    /// - Returns: whether it was the last scan.
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
