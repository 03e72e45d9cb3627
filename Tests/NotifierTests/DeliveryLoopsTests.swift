import Contracts
import DatabaseService
import Delivery
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// How processes wake each other's delivery workers.
@Suite struct DeliveryLoopsTests {
    private final class PublishedNotifications: Sendable {
        let all = Mutex<[BusEvent]>([])
        var count: Int { all.withLock { $0.count } }
    }

    /// One process accepts and another one sends, on one outbox: delivery does not wait for a poll.
    @Test(arguments: StoreEngine.shared)
    func acceptingProcessNotifiesSendingProcess(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let other = try await fixture.other()
        let sender = DeliveryLoops(
            [fixture.worker("n2", fixture.transport(.sms), on: other, interval: .seconds(600))], publish: { _ in })
        let hints = PublishedNotifications()
        let acceptor = DeliveryLoops([]) { event in
            hints.all.withLock { $0.append(event) }
            sender.receive(event)
        }
        let service = fixture.service(wakeDelivery: acceptor.wake)
        let parts = sender.components
        let running = Task {
            try await withThrowingTaskGroup { group in
                for part in parts { group.addTask { try await part.run() } }
                try await group.waitForAll()
            }
        }
        let id = try await fixture.send(sampleSMS(), of: service).messageID
        try await eventually("it was sent") { fixture.sent.ids == [id] }
        #expect(hints.all.withLock { $0 }.first == .messagesQueued(.sms))
        for part in parts { await part.beginShutdown() }
        try await running.value
        await other.close()
    }

    @Test func processWithFreeWorkerSendsNoEvent() async throws {
        let fixture = try await NotifierFixture()
        let hints = PublishedNotifications()
        let workers = DeliveryLoops([fixture.worker("n", fixture.transport(.sms))]) { event in
            hints.all.withLock { $0.append(event) }
        }
        workers.wake(.sms)
        #expect(hints.count == 0)
        workers.wake(.email)
        #expect(hints.all.withLock { $0 } == [.messagesQueued(.email)])
    }

    /// A burst publishes few events, and one of them follows its last message.
    @Test func burstPublishesFewEvents() async throws {
        let hints = PublishedNotifications()
        let workers = DeliveryLoops([]) { event in hints.all.withLock { $0.append(event) } }
        for _ in 0..<1000 { workers.wake(.sms) }
        try await eventually("the end of the burst was told") { hints.count >= 2 }
        #expect(hints.count < 100)
    }

    @Test func processWithoutChannelLeavesItsMessagesQueued() async throws {
        let fixture = try await NotifierFixture()
        let sms = try await fixture.send(sampleSMS()).messageID
        let email = try await fixture.send(sampleEmail()).messageID
        try await fixture.running([fixture.worker("n", fixture.transport(.sms))]) {
            try await eventually("it was sent") { fixture.sent.ids == [sms] }
        }
        #expect(try await fixture.store.queueDepth(.sms).count == 0)
        #expect(try await fixture.store.queueDepth(.email).count == 1)
        try await fixture.running([fixture.worker("n", fixture.transport(.email))]) {
            try await eventually("it was sent") { fixture.sent.ids == [sms, email] }
        }
    }

    /// Sealed content opens as the content that was sealed.
    @Test(arguments: StoreEngine.allCases)
    func eachChannelReadsItsOwnContent(engine: StoreEngine) async throws {
        let fixture = try await NotifierFixture(engine)
        let push = Notifier.SendPush(
            project: ProjectID("p"), deviceToken: Secret("0011223344556677"), isSandbox: true, bundleID: "a.b",
            receipt: "r", secret: Secret("s"))
        _ = try await fixture.send(sampleSMS())
        _ = try await fixture.send(push)
        _ = try await fixture.send(sampleEmail())
        for (channel, content) in [
            (Channel.sms, OutgoingMessage.sms(try sampleSMS())), (.push, .push(push)),
            (.email, .email(try sampleEmail())),
        ] {
            let leased = try await fixture.store.acquireLeases(
                channel, upTo: 5, to: "n", for: .seconds(60), after: nil, at: fixture.clock.now
            ).leased
            #expect(leased.map(\.content) == [content])
            #expect(leased.first?.message.expiresAt == fixture.clock.now + content.lifetime)
        }
    }
}
