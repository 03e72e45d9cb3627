import Contracts
import HTTPClient
import ServiceRuntime
import Vocabulary

/// Counts and measures calls of blocking functions. The log has the reasons of failures.
package struct BlockingFunctionMetrics: Sendable {
    enum Result: String, Sendable {
        case accepted
        /// The function has disabled the account.
        case disabled
        /// The function has refused the sign-in.
        case refused
        /// Another status than 200, or no response.
        case failed, invalid, overloaded
    }

    let metrics: Metrics
    let log: Log

    private static let secondBounds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 7]

    func count(_ event: BlockingFunctionEvent, _ result: Result, took time: Duration) {
        metrics.counter(
            "latchkey_identity_blocking_function_calls_total", ["event": event.rawValue, "result": result.rawValue]
        ).increment()
        metrics.histogram(
            "latchkey_identity_blocking_function_duration_seconds", ["event": event.rawValue],
            bounds: Self.secondBounds
        ).observe(time / .seconds(1))
    }

    /// A function that refuses does what it is for.
    func logRefusal(
        _ event: BlockingFunctionEvent, of project: ProjectID, host: String, status: Int, trace: TraceContext
    ) {
        log.info(
            .blockingFunctionRefused,
            [
                "project": .public(project.rawValue), "event": .public(event.rawValue), "host": .public(host),
                "status": .public(status),
            ], trace: trace)
    }

    /// - Parameter reason: without content of the request or of the response.
    func logFailure(
        _ event: BlockingFunctionEvent, of project: ProjectID, host: String, reason: String, trace: TraceContext
    ) {
        log.errorOnceAMinute(
            .blockingFunctionFailed, about: "\(project) \(event) \(reason)",
            [
                "project": .public(project.rawValue), "event": .public(event.rawValue), "host": .public(host),
                "reason": .public(reason),
            ], trace: trace)
    }
}
