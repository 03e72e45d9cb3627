import Contracts
import Delivery
import Testing

@Suite struct HandoverOutcomeTests {
    @Test(arguments: WireError.Code.allCases) func onlyDefiniteReplyEndsRows(code: WireError.Code) {
        switch HandoverOutcome(ServiceError(code)) {
        case .accepted: #expect(code == .idempotencyKeyReused)
        case .rejected: #expect([.invalidRequest, .invalidEmailTemplate].contains(code))
        case .unavailable:
            #expect([.unavailable, .overloaded, .deadlineExceeded, .unknownOperation].contains(code))
        case .failed: break
        case .interrupted: Issue.record("\(code) is a reply")
        }
    }

    /// The first rows would be sent again at once.
    @Test func failureDelaysRowsWithoutADelayOfTheirOwn() {
        let failure = HandoverOutcome.failed(.internal)
        #expect(failure.report == .works)
        #expect(failure.reportOfFirstRows == .unavailable(reason: WireError.Code.internal.rawValue))
        for outcome in [HandoverOutcome.accepted, .interrupted, .unavailable(.overloaded)] {
            #expect(outcome.report == outcome.reportOfFirstRows)
        }
    }

    @Test func requestOfAStoppingProcessIsInterrupted() async {
        func outcome() async -> HandoverOutcome {
            await HandoverOutcome.of { throw ServiceError(.unavailable) }.outcome
        }
        #expect(await outcome() == .unavailable(.unavailable))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome()
        }
        #expect(await task.value == .interrupted)
    }

    @Test func outageOfAServiceIsProbedWithGrowingDelay() {
        let limits = DeliveryLimits.service(attempts: 16)
        let delays = (1...7).map { limits.backoff.delay(forAttempt: $0, jitter: 1) }
        #expect(delays == [250, 500, 1000, 2000, 4000, 5000, 5000].map { .milliseconds($0) })
    }
}
