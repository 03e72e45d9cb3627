import Contracts
import Delivery
import SMTPClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

@Suite struct MessageOutboxTests {
    @Test func acceptedMessageIsSent() async throws {
        let fixture = try await NotifierFixture()
        let id = try await fixture.send(sampleEmail()).messageID
        try await fixture.running([fixture.worker("n", fixture.transport())]) {
            try await eventually("it was sent") { try await fixture.deliveries().first?.state == .sent }
        }
        #expect(fixture.sent.ids == [id])
    }

    /// The clocks of these tests: a message never expires before a worker has seen it, nor a lease during its attempt.
    @Test func clockWaitsForDueAndLeasedMessages() async throws {
        let fixture = try await NotifierFixture()
        let id = try await fixture.send(sampleSMS()).messageID
        let (start, steadyStart) = (fixture.clock.now, fixture.clock.instant)
        try await fixture.advanceBetweenAttempts(by: .seconds(600))
        #expect(fixture.clock.now == start && fixture.clock.instant == steadyStart + .seconds(600))
        let leased = try await fixture.store.acquireLeases(
            .sms, upTo: 1, to: "a", for: .seconds(60), after: nil, at: fixture.clock.now
        ).leased
        #expect(leased.map(\.message.id) == [id])
        try await fixture.advanceBetweenAttempts(by: .seconds(600))
        #expect(fixture.clock.now == start && fixture.clock.instant == steadyStart + .seconds(600))
        _ = try await fixture.store.recordOutcome(
            try #require(leased.first).message, .deferred(DeliveryFailure(.deferred)), at: fixture.clock.now, jitter: 0)
        try await fixture.advanceBetweenAttempts(by: .milliseconds(400))
        #expect(fixture.clock.now == start + .milliseconds(400))
    }

    @Test func outageIsProbedWithBackoffAndLosesNothing() async throws {
        let fixture = try await NotifierFixture()
        for _ in 0..<10 { _ = try await fixture.send(sampleEmail(.verifyEmail)) }
        let outage = DeliveryOutcome.transportUnavailable(DeliveryFailure(.authentication, code: 535))
        fixture.sent.outcomes.withLock { $0 = Array(repeating: outage, count: 6) }
        try await fixture.running([fixture.worker("n", fixture.transport())]) {
            try await eventually("the first four failed") {
                fixture.sent.ids.count == 4 && fixture.outages == ["authentication 535"]
            }
            // One probe at a time with growing delays: after 0.5 s, after 1 s, and no further one yet.
            try await eventually("two more failed") {
                try await fixture.advanceBetweenAttempts(by: .milliseconds(500))
                return fixture.sent.outcomes.withLock { $0.isEmpty }
            }
            #expect(fixture.sent.ids.count == 6)
            #expect(fixture.outages == ["authentication 535"])
            try await eventually("all were sent") {
                try await fixture.advanceBetweenAttempts(by: .seconds(1))
                return try await fixture.store.queueDepth(.email).count == 0
            }
        }
        #expect(fixture.outages == [])
        #expect(try await fixture.deliveries().allSatisfy { $0.state == .sent })
    }

    @Test func rejectedMessageFailsWithRecordedReason() async throws {
        let fixture = try await NotifierFixture()
        _ = try await fixture.send(sampleEmail())
        fixture.sent.outcomes.withLock { $0 = [.rejected(DeliveryFailure(.recipientRefused, code: 550))] }
        try await fixture.running([fixture.worker("n", fixture.transport())]) {
            try await eventually("it was given up") { try await fixture.deliveries().first?.state == .failed }
        }
        #expect(try await fixture.deliveries().first?.problem == "recipientRefused 550")
        #expect(fixture.counted("failed") == 1)
        #expect(fixture.activity.take().map(\.counter) == ["message.email.failed"])
    }

    @Test(
        arguments: [
            (SMTPError.refused(.recipient, code: 550), "rejected recipientRefused 550"),
            (.refused(.recipient, code: 450), "deferred deferred 450"),
            (.refused(.content, code: 554), "rejected contentRefused 554"),
            (.refused(.content, code: 451), "deferred deferred 451"),
            (.refused(.sender, code: 550), "unavailable senderRefused 550"),
            (.refused(.sender, code: 451), "deferred deferred 451"),
            (.refused(.sender, code: 530), "unavailable authentication 530"),
            (.refused(.recipient, code: 421), "unavailable serverRefused 421"),
            (.refused(.connect, code: 554), "unavailable serverRefused 554"),
            (.refused(.greeting, code: 502), "unavailable serverRefused 502"),
            (.refused(.startTLS, code: 454), "unavailable tls 454"),
            (.refused(.authentication, code: 454), "unavailable authentication 454"),
            (.cannotResolve, "unavailable unreachable"), (.cannotConnect, "unavailable unreachable"),
            (.timedOut(.connect), "unavailable noAnswer"), (.timedOut(.authentication), "unavailable noAnswer"),
            (.timedOut(.sender), "deferred timedOut"), (.timedOut(.content), "deferred timedOut"),
            (.connectionLost(.greeting), "unavailable noAnswer"),
            (.connectionLost(.content), "deferred connectionLost"),
            (.noTLS, "unavailable tls"), (.tls("x"), "unavailable tls"),
            (.authentication, "unavailable authentication"),
            (.noInternationalAddresses, "rejected internationalAddress"), (.invalidDomain, "rejected invalidDomain"),
            (.aborted, "interrupted"), (.overloaded, "deferred interrupted"), (.other(code: 7), "deferred other 7"),
        ] as [(SMTPError, String)])
    func serverErrorDeterminesOutcome(failure: SMTPError, meaning: String) {
        let words =
            switch DeliveryOutcome(failure) {
            case .sent: "delivered"
            case .uncertain(let uncertain): "uncertain \(uncertain.problem.text)"
            case .deferred(let problem): "deferred \(problem.text)"
            case .rejected(let problem): "rejected \(problem.text)"
            case .transportUnavailable(let problem): "unavailable \(problem.text)"
            case .interrupted: "interrupted"
            }
        #expect(words == meaning)
    }
}

extension NotifierFixture {
    /// The outages that `/readyz` shows.
    var outages: [String] {
        metrics.snapshot().filter { $0.name == ProcessReport.Metric.outageName }.compactMap { $0.labels["reason"] }
    }

    fileprivate func counted(_ result: String) -> Double {
        metrics.snapshot().filter { $0.labels["result"] == result }.reduce(0) { $0 + $1.value }
    }
}
