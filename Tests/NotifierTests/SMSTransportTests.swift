import Contracts
import Delivery
import HTTPClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import NotifierService

/// Outbox, delivery worker, failover and provider together, against failing servers.
@Suite struct SMSTransportTests {
    private func twilio(
        _ name: String, _ url: String, _ service: TwilioProvider.Service = .sms, callTime: Duration = .seconds(30)
    ) -> SMSProvider {
        var limits = HTTPClient.Limits()
        limits.connectTime = min(.seconds(5), callTime)
        limits.totalTime = callTime
        let provider = TwilioProvider(
            settings: .init(baseURL: url, accountSID: "AC1", authToken: Secret("t"), from: "+15005550006"),
            service: service, callback: { _ in nil }, client: HTTPClient(limits), callTimeout: callTime
        ).provider
        return SMSProvider(name: name, callTimeout: callTime, isIdempotent: true, send: provider.send)
    }

    private func transport(
        _ providers: [SMSProvider], alternative: SMSTransport.RegionalProvider? = nil, prices: SMSPrices = SMSPrices(),
        _ fixture: NotifierFixture
    ) -> Transport {
        SMSTransport(
            providers, alternative: alternative, prices: prices, counters: fixture.counters,
            instant: { fixture.clock.instant }, jitter: { 0 }
        ).transport(concurrency: 4)
    }

    private func untilEmpty(_ fixture: NotifierFixture, advancing: Duration = .milliseconds(250)) async throws {
        try await eventually("the outbox was empty") {
            try await fixture.advanceBetweenAttempts(by: advancing)
            return try await fixture.store.queueDepth(.sms).count == 0
        }
    }

    @Test func messageIsSentAndPriceRecorded() async throws {
        try await FakeProvider.running { fake, url in
            let fixture = try await NotifierFixture()
            let prices = SMSPrices(table: MessagePrices(byRegion: ["US": 7900]))
            let worker = fixture.worker("n", transport([twilio("twilio", url)], prices: prices, fixture))
            let id = try await fixture.send(sampleSMS()).messageID
            try await fixture.running([worker]) { try await untilEmpty(fixture) }
            #expect(fake.taken.map(\.id) == [id.rawValue])
            #expect(fake.taken.first?.form["Body"] == "Demo: 123456 is your code. Do not share it.")
            let record = try #require(try await fixture.deliveries().first)
            #expect((record.state, record.channel, record.provider) == (.sent, .sms, "twilio"))
            #expect((record.priceMicros, record.currency, record.maskedRecipient) == (7900, "USD", "•••0010"))
        }
    }

    @Test(
        arguments: [
            .responds(503, "down"), .responds(500, ""), .responds(401, #"{"code":20003}"#), .responds(429, ""),
            .responds(400, #"{"code":21408}"#),
        ] as [FakeProvider.Behavior])
    func nextProviderSendsWhenFirstFails(behavior: FakeProvider.Behavior) async throws {
        try await FakeProvider.running { first, firstURL in
            try await FakeProvider.running { second, secondURL in
                first.setBehavior(behavior)
                let fixture = try await NotifierFixture()
                let way = transport([twilio("first", firstURL), twilio("second", secondURL)], fixture)
                for _ in 0..<10 { _ = try await fixture.send(sampleSMS()) }
                try await fixture.running([fixture.worker("n", way)]) { try await untilEmpty(fixture) }
                #expect(first.taken.isEmpty)
                #expect(second.taken.count == 10 && second.calls.count == 10)
                #expect(try await fixture.deliveries().allSatisfy { $0.provider == "second" && $0.attempts == 1 })
            }
        }
    }

    @Test func openBreakerSkipsFirstProviderUntilRecovery() async throws {
        try await FakeProvider.running { first, firstURL in
            try await FakeProvider.running { second, secondURL in
                first.setBehavior(.responds(503, ""))
                let fixture = try await NotifierFixture()
                let way = transport([twilio("first", firstURL), twilio("second", secondURL)], fixture)
                try await fixture.running([fixture.worker("n", way)]) {
                    for number in 1...20 {
                        _ = try await fixture.send(sampleSMS())
                        try await eventually("it was sent") { second.taken.count == number }
                    }
                    #expect(first.calls.count == CircuitBreaker.threshold)
                    #expect(fixture.value("latchkey_notifier_provider_circuit_open", "first") == 1)
                    first.setBehavior(.takes)
                    fixture.clock.advance(by: .seconds(5))
                    _ = try await fixture.send(sampleSMS())
                    try await eventually("the first took it") { first.taken.count == 1 }
                }
                #expect(fixture.value("latchkey_notifier_provider_circuit_open", "first") == 0)
            }
        }
    }

    /// A failed TLS handshake counts as an unreachable server.
    @Test func tlsFailureCausesFailover() async throws {
        try await FakeProvider.running { fake, url in
            let fixture = try await NotifierFixture()
            let broken = twilio("broken", url.replacing("http://", with: "https://"))
            _ = try await fixture.send(sampleSMS())
            try await fixture.running([fixture.worker("n", transport([broken, twilio("good", url)], fixture))]) {
                try await untilEmpty(fixture)
            }
            #expect(fake.taken.count == 1)
            #expect(try await fixture.deliveries().first?.provider == "good")
        }
    }

    /// A missing or invalid response leaves the outcome uncertain. No other provider gets the message; the same
    /// provider is called with the same ID until it reports the outcome.
    @Test(arguments: [.hangs, .garbage, .responds(504, "")] as [FakeProvider.Behavior])
    func uncertainMessageIsSentOnce(behavior: FakeProvider.Behavior) async throws {
        try await FakeProvider.running { first, firstURL in
            try await FakeProvider.running { second, secondURL in
                first.setBehavior(behavior)
                let fixture = try await NotifierFixture()
                let hanging = twilio("first", firstURL, callTime: .milliseconds(300))
                let worker = fixture.worker("n", transport([hanging, twilio("second", secondURL)], fixture))
                let id = try await fixture.send(sampleSMS()).messageID
                try await fixture.running([worker]) {
                    try await eventually("it was called three times") {
                        try await fixture.advanceBetweenAttempts(by: .milliseconds(100))
                        return first.calls.count >= 3
                    }
                    #expect(second.calls.isEmpty)
                    first.setBehavior(.takes)
                    try await untilEmpty(fixture)
                }
                #expect(Set(first.calls.map(\.id)) == [id.rawValue])
                #expect(first.taken.count == 1 && second.taken.isEmpty)
                let record = try #require(try await fixture.deliveries().first)
                #expect(record.state == .sent && record.provider == "first" && record.problem == nil)
            }
        }
    }

    /// While one provider hangs, later messages go through another one.
    @Test func hangingProviderDoesNotBlockOtherMessages() async throws {
        try await FakeProvider.running { first, firstURL in
            try await FakeProvider.running { second, secondURL in
                first.setBehavior(.hangs)
                let fixture = try await NotifierFixture()
                let hanging = twilio("first", firstURL, callTime: .milliseconds(300))
                let worker = fixture.worker("n", transport([hanging, twilio("second", secondURL)], fixture))
                try await fixture.running([worker]) {
                    for _ in 0..<4 { _ = try await fixture.send(sampleSMS()) }
                    try await eventually("the first was given up for now") {
                        try await fixture.advanceBetweenAttempts(by: .milliseconds(10))
                        return fixture.value("latchkey_notifier_provider_circuit_open", "first") == 1
                    }
                    for _ in 0..<20 { _ = try await fixture.send(sampleSMS()) }
                    try await eventually("the second took over") {
                        try await fixture.advanceBetweenAttempts(by: .milliseconds(50))
                        return second.taken.count >= 20
                    }
                    first.setBehavior(.takes)
                    try await untilEmpty(fixture)
                }
                let all = first.taken.map(\.id) + second.taken.map(\.id)
                #expect(all.count == 24 && Set(all).count == 24, "nothing lost, nothing twice")
            }
        }
    }

    /// An uncertain message does not call its provider while the breaker is open, and it occupies no slot.
    @Test func uncertainMessageWaitsForItsProvider() async throws {
        try await FakeProvider.running { first, firstURL in
            try await FakeProvider.running { second, secondURL in
                first.setBehavior(.garbage)
                let fixture = try await NotifierFixture()
                let way = transport([twilio("first", firstURL), twilio("second", secondURL)], fixture)
                try await fixture.running([fixture.worker("n", way)]) {
                    for number in 1...CircuitBreaker.threshold {
                        _ = try await fixture.send(sampleSMS())
                        try await eventually("the first was called") { first.calls.count >= number }
                    }
                    // The next attempt is due by the time at which an outcome is stored: all are before the clock moves.
                    try await eventually("the first is passed over, and every outcome is stored") {
                        guard fixture.value("latchkey_notifier_provider_circuit_open", "first") == 1 else {
                            return false
                        }
                        return try await fixture.leaseCount() == 0
                    }
                    let requests = first.calls.count
                    // Due again, long before the breaker allows a call to the first provider.
                    fixture.clock.advance(by: .seconds(2))
                    try await eventually("they were looked at") {
                        try await fixture.deliveries().allSatisfy { $0.attempts >= 2 }
                    }
                    #expect(first.calls.count == requests && second.calls.isEmpty)
                    #expect(fixture.outages == [])
                    first.setBehavior(.takes)
                    try await untilEmpty(fixture)
                }
                #expect(first.taken.count == CircuitBreaker.threshold && second.taken.isEmpty)
            }
        }
    }

    @Test func outboxDrainsAfterRecovery() async throws {
        try await FakeProvider.running { fake, url in
            fake.setBehavior(.responds(503, ""))
            let fixture = try await NotifierFixture()
            for _ in 0..<40 { _ = try await fixture.send(sampleSMS()) }
            try await fixture.running([fixture.worker("n", transport([twilio("twilio", url)], fixture))]) {
                try await eventually("it was in trouble") { fixture.outages == ["serverRefused 503"] }
                let calls = fake.calls.count
                #expect(calls <= 4, "one at a time from then on")
                fake.setBehavior(.takes)
                try await untilEmpty(fixture)
            }
            #expect(fake.taken.count == 40)
            #expect(fixture.outages == [])
        }
    }

    @Test func refusedNumberFailsMessage() async throws {
        try await FakeProvider.running { first, firstURL in
            try await FakeProvider.running { second, secondURL in
                first.setBehavior(
                    .responds(400, #"{"code":21211,"message":"The 'To' number +15005550010 is not valid"}"#))
                let fixture = try await NotifierFixture()
                _ = try await fixture.send(sampleSMS())
                let way = transport([twilio("first", firstURL), twilio("second", secondURL)], fixture)
                try await fixture.running([fixture.worker("n", way)]) { try await untilEmpty(fixture) }
                #expect(second.calls.isEmpty)
                let record = try #require(try await fixture.deliveries().first)
                #expect((record.state, record.problem) == (.failed, "recipientRefused 21211"))
            }
        }
    }

    /// A code is valid for five minutes and is not sent later.
    @Test func expiredMessageFails() async throws {
        try await FakeProvider.running { fake, url in
            fake.setBehavior(.responds(429, ""))
            let fixture = try await NotifierFixture()
            _ = try await fixture.send(sampleSMS())
            try await fixture.running([fixture.worker("n", transport([twilio("twilio", url)], fixture))]) {
                try await untilEmpty(fixture, advancing: .seconds(10))
            }
            let record = try #require(try await fixture.deliveries().first)
            #expect((record.state, record.problem) == (.failed, "deferred 429"))
            #expect(fake.calls.count > 3)
        }
    }

    @Test func whatsAppIsTriedFirstInConfiguredRegions() async throws {
        try await FakeProvider.running { fake, url in
            let fixture = try await NotifierFixture()
            let whatsApp = SMSTransport.RegionalProvider(
                provider: twilio("whatsapp", url, .whatsApp(from: "+14155238886")), regions: ["BR"])
            let way = transport([twilio("twilio", url)], alternative: whatsApp, fixture)
            _ = try await fixture.send(sampleSMS(to: "+5511961234567", region: "BR"))
            _ = try await fixture.send(sampleSMS(region: "US"))
            _ = try await fixture.send(sampleSMS(region: nil))
            try await fixture.running([fixture.worker("n", way)]) { try await untilEmpty(fixture) }
            #expect(
                Set(fake.taken.map { $0.form["To"] }) == ["whatsapp:+5511961234567", "+15005550010"])
            let records = try await fixture.deliveries()
            #expect(records.map(\.provider).filter { $0 == "whatsapp" }.count == 1)
        }
    }

    /// A process stops within five seconds; a provider call can take longer.
    @Test func shutdownAbortsHangingProviderCall() async throws {
        try await FakeProvider.running { fake, url in
            fake.setBehavior(.hangs)
            let fixture = try await NotifierFixture()
            _ = try await fixture.send(sampleSMS())
            let worker = fixture.worker("n", transport([twilio("twilio", url)], fixture))
            let running = Task { try await worker.run() }
            try await eventually("it was called") { fake.calls.count == 1 }
            await worker.beginShutdown()
            try await running.value
            let record = try #require(try await fixture.deliveries().first)
            #expect((record.state, record.provider) == (.pending, "twilio"))
        }
    }

    @Test(
        arguments: [
            ([.unroutable(DeliveryFailure(.unroutable))], .rejected(DeliveryFailure(.unroutable))),
            ([.throttled(DeliveryFailure(.deferred))], .deferred(DeliveryFailure(.deferred))),
            ([.unavailable(DeliveryFailure(.tls))], .transportUnavailable(DeliveryFailure(.tls))),
            (
                [.unavailable(DeliveryFailure(.tls)), .unroutable(DeliveryFailure(.unroutable))],
                .deferred(DeliveryFailure(.tls))
            ),
            (
                [.unavailable(DeliveryFailure(.tls)), .throttled(DeliveryFailure(.deferred))],
                .deferred(DeliveryFailure(.deferred))
            ),
            (
                [.unavailable(DeliveryFailure(.tls)), .unavailable(DeliveryFailure(.noAnswer))],
                .transportUnavailable(DeliveryFailure(.tls))
            ), ([], .rejected(DeliveryFailure(.unroutable))),
        ] as [([SMSProviderOutcome], DeliveryOutcome)])
    func providerOutcomesCombineIntoOneOutcome(outcomes: [SMSProviderOutcome], sum: DeliveryOutcome) {
        #expect(SMSTransport.combine(outcomes) == sum)
    }

    @Test func devModeDeliversToInbox() async throws {
        let fixture = try await NotifierFixture()
        _ = try await fixture.send(sampleSMS())
        try await fixture.running([fixture.worker("n", .smsInbox(fixture.store))]) { try await untilEmpty(fixture) }
        let message = try #require(
            try await fixture.send(Notifier.ListInboxMessages(recipient: "+15005550010")).messages.first)
        #expect((message.channel, message.recipient, message.html) == (.sms, "+15005550010", ""))
        #expect(message.text == "Demo: 123456 is your code. Do not share it.")
        #expect(try await fixture.send(Notifier.ListInboxMessages(recipient: "+15005550011")).messages == [])
    }
}

extension NotifierFixture {
    func value(_ name: String, _ provider: String) -> Double? {
        metrics.snapshot().first { $0.name == name && $0.labels["provider"] == provider }?.value
    }
}
