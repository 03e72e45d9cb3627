import Contracts
import Delivery
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// The loop, with a real endpoint on loopback.
@Suite(.serialized, .timeLimit(.minutes(2))) struct WebhookOutboxTests {
    private static let secret = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="

    private func withWorker(
        _ fixture: NotifierFixture, isDev: Bool = true, privateHosts: Set<String> = [],
        _ body: (DeliveryLoop<WebhookOutbox>) async throws -> Void
    ) async throws {
        let log = Log(instance: "notifier.1", write: { _ in })
        let worker = WebhookOutbox(
            store: fixture.store,
            transport: WebhookTransport(
                .init(isDev: isDev, privateHosts: privateHosts), now: { [clock = fixture.clock] in clock.now }),
            holder: LeaseHolder(text: "h"), metrics: WebhookMetrics(fixture.metrics), log: log
        ).loop(
            DeliveryEnvironment(
                now: { [clock = fixture.clock] in clock.now }, instant: { [clock = fixture.clock] in clock.instant },
                jitter: { 1 }, hasEnded: { _ in false }, log: log))
        async let running: Void = worker.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(worker))
        } catch {
            result = .failure(error)
        }
        await worker.beginShutdown()
        try await running
        try result.get()
    }

    @Test func eventsArriveInOrderWithTheirSignatures() async throws {
        try await WebhookReceiver.running { receiver, url in
            receiver.setSecrets([Self.secret])
            let fixture = try await NotifierFixture()
            try await fixture.accept(
                (1...20).flatMap { [sampleEvent($0), sampleEvent($0, of: "b")] }, for: [sampleTarget(url: url)])
            try await withWorker(fixture) { _ in
                try await eventually("every event arrived") { receiver.events.count == 40 }
                try await eventually("every outcome is stored") { try await fixture.status().pendingEvents == 0 }
            }
            for account in ["a", "b"] {
                #expect(receiver.events(of: account).compactMap(\.sequence) == Array(1...20))
            }
            #expect(receiver.requests == 40)
        }
    }

    /// A dead endpoint gets one probe at a time. When it works again, every event follows in order.
    @Test func eventsFollowAnOutageInOrder() async throws {
        try await WebhookReceiver.running { receiver, url in
            receiver.setSecrets([Self.secret])
            receiver.setBehavior(.responds(503))
            let fixture = try await NotifierFixture()
            try await fixture.accept(
                (1...5).flatMap { [sampleEvent($0), sampleEvent($0, of: "b")] }, for: [sampleTarget(url: url)])
            try await withWorker(fixture) { worker in
                try await eventually("the outage is stored") { try await fixture.status().failingSince != nil }
                // The clock advances while the probes run: each delay begins when the worker has seen the failure.
                @Sendable func advance() async throws {
                    try await fixture.advanceBetweenAttempts(by: .seconds(1))
                    worker.wake()
                }
                try await eventually("some probes arrived") {
                    try await advance()
                    return receiver.requests >= 5
                }
                #expect(receiver.events.isEmpty)
                receiver.setBehavior(.accepts)
                try await eventually("every event arrived") {
                    try await advance()
                    return Set(receiver.events.map(\.id)).count == 10
                }
                try await eventually("the end of the outage is stored") {
                    try await fixture.status().failingSince == nil
                }
            }
            for account in ["a", "b"] { #expect(receiver.events(of: account).compactMap(\.sequence) == Array(1...5)) }
            #expect(try await fixture.status().droppedEvents == 0)
        }
    }

    @Test func oneFailingEndpointDelaysNoOther() async throws {
        try await WebhookReceiver.running { failing, failingURL in
            try await WebhookReceiver.running { working, workingURL in
                failing.setBehavior(.hangs)
                working.setSecrets([Self.secret])
                let fixture = try await NotifierFixture()
                try await fixture.accept(
                    (1...50).map { sampleEvent(1, of: "\($0)") },
                    for: [sampleTarget("w", url: failingURL), sampleTarget("x", url: workingURL)], to: ["w", "x"])
                try await withWorker(fixture) { _ in
                    try await eventually("every event arrived at the other") { working.events.count == 50 }
                }
                #expect(failing.requests == 1)
            }
        }
    }

    /// Outside dev mode neither plain HTTP nor a private address gets a request.
    @Test func forbiddenAddressesGetNoRequest() async throws {
        try await WebhookReceiver.running { receiver, url in
            let fixture = try await NotifierFixture()
            try await fixture.accept(
                [sampleEvent()],
                for: [sampleTarget("w", url: url), sampleTarget("x", url: "https://127.0.0.1:1/")], to: ["w", "x"])
            try await withWorker(fixture, isDev: false) { _ in
                for id in ["w", "x"] {
                    try await eventually("the attempt of \(id) is stored") {
                        try await fixture.status(id).deliveries.first?.problem == "addressRefused"
                    }
                }
            }
            #expect(receiver.requests == 0)
        }
    }

    /// A host that the operator allows is contacted; nothing listens there.
    @Test func allowedPrivateHostIsContacted() async throws {
        let fixture = try await NotifierFixture()
        try await fixture.accept([sampleEvent()], for: [sampleTarget(url: "https://localhost:1/")])
        try await withWorker(fixture, isDev: false, privateHosts: ["localhost"]) { _ in
            try await eventually("the attempt is stored") {
                try await fixture.status().deliveries.first?.problem == "unreachable"
            }
        }
    }
}
