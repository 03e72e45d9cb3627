import Crypto
import EventLoop
import Synchronization
import Testing

@testable import IdentityService

/// A key takes 0.1 s or more, in which an event loop must serve requests.
struct SigningKeyThreadTests {
    private final class Order: Sendable {
        private let events = Mutex<[String]>([])

        func append(_ event: String) { events.withLock { $0.append(event) } }
        var all: [String] { events.withLock(\.self) }
    }

    @Test func loopRunsOtherTasksWhileKeyIsMade() async throws {
        let loop = try EventLoop(label: "test")
        let order = Order()
        try await withThrowingTaskGroup { group in
            group.addTask(executorPreference: loop) {
                async let request: Void = order.append("request")
                _ = try await SigningKeyRing.makePrivateKey()
                order.append("key")
                await request
            }
            try await group.waitForAll()
        }
        #expect(order.all == ["request", "key"])
    }
}
