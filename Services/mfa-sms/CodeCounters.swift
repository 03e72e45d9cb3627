import Contracts
package import ServiceRuntime

/// What mfa-sms measures of codes: how many went out, and what came back.
package struct CodeCounters: Sendable {
    enum Result: String, CaseIterable {
        /// The notifier has it.
        case sent
        /// A test number: nothing was sent.
        case test
        /// Must not be sent.
        case refused
        /// The notifier did not take it.
        case undelivered
        // What came back.
        case verified, wrong, expired
        /// Not looked at, after too many wrong ones.
        case locked
    }

    private let metrics: Metrics

    package init(_ metrics: Metrics) {
        self.metrics = metrics
        for purpose in ProposedSend.Purpose.allCases {
            for result in Result.allCases { counter(result, purpose).increment(by: 0) }
        }
    }

    func count(_ result: Result, _ purpose: ProposedSend.Purpose) {
        counter(result, purpose).increment()
    }

    private func counter(_ result: Result, _ purpose: ProposedSend.Purpose) -> Metrics.Counter {
        metrics.counter("latchkey_sms_codes_total", ["purpose": purpose.rawValue, "result": result.rawValue])
    }
}
