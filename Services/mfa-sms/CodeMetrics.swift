import Contracts
package import ServiceRuntime

/// What mfa-sms measures of codes: what came back of them. `SendingMetrics` measures what goes out.
package struct CodeMetrics: Sendable {
    enum Result: String, CaseIterable {
        /// A test number: nothing was sent.
        case test
        /// The notifier did not take it.
        case undelivered
        // What came back.
        case verified, invalid, expired
        /// Not looked at, after too many wrong ones.
        case locked
    }

    private let metrics: Metrics

    package init(_ metrics: Metrics) {
        self.metrics = metrics
        for purpose in SendAttempt.Purpose.allCases {
            for result in Result.allCases { counter(result, purpose).increment(by: 0) }
        }
    }

    func count(_ result: Result, _ purpose: SendAttempt.Purpose) {
        counter(result, purpose).increment()
    }

    private func counter(_ result: Result, _ purpose: SendAttempt.Purpose) -> Metrics.Counter {
        metrics.counter("latchkey_sms_codes_total", ["purpose": purpose.rawValue, "result": result.rawValue])
    }
}
