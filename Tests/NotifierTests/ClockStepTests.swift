import Contracts
import Crypto
import Delivery
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// The time of day may be set at any time, either way: no pause lasts as long as the step.
@Suite(.serialized) struct ClockStepTests {
    static let steps: [Duration] = [.seconds(-365 * 86_400), .seconds(-600), .seconds(-30), .seconds(600)]
    private static let unreachable = DeliveryFailure(.unreachable)

    /// "ReceiverState.Outage.retryAt", "outbox.paused_at": the message is sent when the pause is over by the steady
    /// clock.
    @Test(arguments: steps) func outageOfAServerEndsInTime(step: Duration) async throws {
        let fixture = try await NotifierFixture()
        fixture.sent.outcomes.withLock { $0 = [.transportUnavailable(Self.unreachable)] }
        _ = try await fixture.send(sampleEmail())
        try await fixture.running([fixture.worker("a", fixture.transport())]) {
            try await eventually("the first attempt failed") {
                guard !fixture.sent.ids.isEmpty else { return false }
                return try await fixture.leaseCount() == 0
            }
            fixture.clock.setWall(fixture.clock.now + step)
            let start = fixture.clock.instant
            try await eventually("the message was sent") {
                if fixture.clock.instant - start < .seconds(10) {
                    try await fixture.advanceBetweenAttempts(by: .milliseconds(250))
                }
                return try await fixture.store.queueDepth(.email).count == 0
            }
        }
        #expect(fixture.sent.ids.count == 2)
    }

    /// "outbox.paused_at": on every engine, as rows.
    @Test(arguments: StoreEngine.allCases, steps) func pauseOfAMessageEndsInTime(engine: StoreEngine, step: Duration)
        async throws
    {
        let fixture = try await NotifierFixture(engine)
        _ = try await fixture.send(sampleEmail())
        func lease() async throws -> [LeasedMessage] {
            guard try await fixture.store.hasDueMessages(.email, at: fixture.clock.now) else { return [] }
            return try await fixture.store.acquireLeases(
                .email, upTo: 1, to: "a", for: .seconds(90), after: nil, at: fixture.clock.now
            ).leased
        }
        let first = try #require(try await lease().first)
        _ = try await fixture.store.recordOutcome(
            first.message, .deferred(Self.unreachable), at: fixture.clock.now, jitter: 1)
        #expect(try await lease().isEmpty)
        fixture.clock.setWall(fixture.clock.now + step)
        #expect(try await lease().count == 1)
        // A lease is not taken over: its holder may be at work.
        fixture.clock.setWall(fixture.clock.now + .seconds(-365 * 86_400))
        #expect(try await lease().isEmpty)
    }

    /// "webhook_queues.paused_at"
    @Test(arguments: StoreEngine.allCases, steps) func pauseOfAQueueEndsInTime(engine: StoreEngine, step: Duration)
        async throws
    {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept([sampleEvent()], for: [sampleTarget()])
        let refusal = WebhookOutcome.refused(DeliveryFailure(.serverRefused, code: 500))
        try await fixture.end(try #require(try await fixture.lease().first), refusal)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).isEmpty)
        fixture.clock.setWall(fixture.clock.now + step)
        #expect(try await fixture.store.dueWebhooks(at: fixture.clock.now).map(\.id) == [WebhookID("w")])
        #expect(try await fixture.lease().count == 1)
        fixture.clock.setWall(fixture.clock.now + .seconds(-365 * 86_400))
        #expect(try await fixture.lease().isEmpty)
    }

    /// "APNsTokenCache.State.renewedAt": however the time of day changes, Apple gets one renewal in twenty minutes.
    @Test(arguments: steps) func renewalsOfTokensKeepTheirDistance(step: Duration) throws {
        let clock = ManualClock()
        let tokens = APNsTokenCache(try sampleAPNsKey().key)
        let first = try tokens.current(at: clock.now, clock.instant)
        let second = try #require(try tokens.successor(of: first, at: clock.now, clock.instant))
        clock.setWall(clock.now + step)
        #expect(try tokens.successor(of: second, at: clock.now, clock.instant) == nil)
        clock.advance(by: .seconds(20 * 60))
        #expect(try tokens.successor(of: second, at: clock.now, clock.instant) != nil)
        // The token in use states the time of this clock.
        let current = try tokens.current(at: clock.now, clock.instant)
        #expect(current.issuedAt <= clock.now && clock.now < current.issuedAt + APNsTokenCache.lifetime)
    }
}
