import Contracts
import Delivery
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// The leases of queues of webhooks.
struct WebhookLeaseTests {
    /// The commit of the outcome took effect, and its reply was lost: the process stores it again. Meanwhile the queue went
    /// with its last event, came back with the next one or the same one, and has the next lease.
    @Test(arguments: StoreEngine.allCases, [false, true])
    func outcomeThatIsStoredAgainEndsNoOtherLease(engine: StoreEngine, isReplayed: Bool) async throws {
        let fixture = try await NotifierFixture(engine)
        try await fixture.accept([sampleEvent(1)], for: [sampleTarget()])
        let first = try #require(try await fixture.lease().first)
        try await fixture.end(first, .delivered)
        if isReplayed {
            fixture.clock.advance(by: .milliseconds(1))
            _ = try await fixture.send(
                Notifier.ReplayAccountEvents(
                    project: ProjectID("p"), id: WebhookID("w"), eventIDs: [sampleEvent(1).id]))
        } else {
            try await fixture.accept([sampleEvent(2)])
        }
        let second = try #require(try await fixture.lease().first)
        #expect(try await fixture.end(first, .delivered) == nil)
        #expect(first.lease.number != second.lease.number)
        #expect(try await fixture.lease().isEmpty)
        #expect(try await fixture.end(second, .delivered) != nil)
    }
}
