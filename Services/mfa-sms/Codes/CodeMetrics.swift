import Contracts
package import ServiceRuntime

/// Counts the results of codes. `SendingMetrics` counts the messages.
package struct CodeMetrics: Sendable {
    enum Result: String, CaseIterable {
        /// A test number: no SMS was sent.
        case test
        /// The notifier did not accept the message.
        case undelivered
        // Verifications.
        case verified, invalid, expired
        /// Not verified, after too many wrong codes.
        case locked
    }

    private let metrics: Metrics

    package init(_ metrics: Metrics) {
        self.metrics = metrics
        for purpose in CountedSend.Purpose.allCases {
            for result in Result.allCases { counter(result, purpose).increment(by: 0) }
        }
    }

    func count(_ result: Result, _ purpose: CountedSend.Purpose) {
        counter(result, purpose).increment()
    }

    private func counter(_ result: Result, _ purpose: CountedSend.Purpose) -> Metrics.Counter {
        metrics.counter("latchkey_sms_codes_total", ["purpose": purpose.rawValue, "result": result.rawValue])
    }
}
