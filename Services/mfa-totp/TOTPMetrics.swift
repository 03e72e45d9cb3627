import Contracts
package import ServiceRuntime
import Synchronization
import Vocabulary

/// Counts the results of codes, and measures a clock that was set back.
package final class TOTPMetrics: Sendable {
    /// A clock that is further behind is logged (security rule TO12).
    private static let tolerance = Duration.seconds(90)
    /// The minimum time between two lines of the log.
    private static let alarmInterval = Duration.seconds(60)

    private enum Result: String, CaseIterable { case accepted, invalid, locked }

    private let metrics: Metrics
    private let log: Log
    private let clockBehind: Metrics.Gauge
    private let lastAlarm = Mutex<ContinuousClock.Instant?>(nil)

    package init(_ metrics: Metrics, log: Log) {
        self.metrics = metrics
        self.log = log
        clockBehind = metrics.gauge("latchkey_totp_clock_skew_seconds")
        for result in Result.allCases { counter(result).increment(by: 0) }
    }

    private func counter(_ result: Result) -> Metrics.Counter {
        metrics.counter("latchkey_totp_codes_total", ["result": result.rawValue])
    }

    /// Counts a code of a sign-in.
    func count(_ result: TOTPFactor.VerificationResult, of id: FactorID, clockSkew: Duration, trace: TraceContext) {
        switch result {
        case .accepted: counter(.accepted).increment()
        case .refused(let error) where error.code == .quotaExceeded:
            counter(.locked).increment()
            log.info(.totpFactorLocked, ["factor": .public(id)], trace: trace)
        case .refused: counter(.invalid).increment()
        }
        clockBehind.set(Double(clockSkew.components.seconds))
        guard clockSkew > Self.tolerance else { return }
        let isDue = lastAlarm.withLock { last in
            let now = ContinuousClock.now
            if let last, now < last + Self.alarmInterval { return false }
            last = now
            return true
        }
        // Codes of used steps stay refused until the clock has caught up.
        if isDue { log.error(.totpClockSkewDetected, ["by": .public(clockSkew)], trace: trace) }
    }
}
