import Delivery
import TestSupport
import Testing

@Suite struct BackoffTests {
    private let backoff = Backoff(first: .seconds(5), longest: .seconds(600))

    @Test(arguments: [
        (1, 0.0, Duration.milliseconds(2500)), (1, 1.0, .seconds(5)), (2, 1.0, .seconds(10)), (3, 0.0, .seconds(10)),
        (8, 1.0, .seconds(600)), (1_000_000, 1.0, .seconds(600)), (0, 1.0, .seconds(5)), (1, 7.0, .seconds(5)),
        (1, -7.0, .milliseconds(2500)), (.min, 1.0, .seconds(5)), (.max, 1.0, .seconds(600)),
    ])
    func delayDoublesUpToMaximum(count: Int, jitter: Double, delay: Duration) {
        #expect(backoff.delay(forAttempt: count, jitter: jitter) == delay)
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func delayLiesBetweenHalfAndFullValue(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for count in 1...40 {
            let delay = backoff.delay(forAttempt: count, jitter: Double.random(in: 0..<1, using: &random))
            let whole = backoff.delay(forAttempt: count, jitter: 1)
            #expect(delay >= whole / 2 && delay <= whole && whole <= .seconds(600))
        }
    }
}
