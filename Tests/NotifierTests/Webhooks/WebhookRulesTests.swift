import Contracts
import Foundation
import HTTPClient
import Testing
import Vocabulary

@testable import NotifierService

@Suite struct WebhookSignaturesTests {
    /// The published vector of Standard Webhooks 1.0.0 (`test_sign_function` of its library).
    private static let secret = Array(Data(base64Encoded: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? Data())
    private static let id = AccountEventID("msg_p5jXN8AQM9LWM0D4loKWxJek")
    private static let body = Data(#"{"test": 2432232314}"#.utf8)
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    private static let sentAt = Moment(Timestamp(seconds: 1_614_265_330))

    @Test func signatureMatchesPublishedVector() {
        #expect(
            WebhookSignatures.sign(id: Self.id, seconds: 1_614_265_330, body: Self.body, secret: Self.secret)
                == Self.signature)
    }

    @Test func eachPartIsSigned() {
        var body = Self.body
        body[0] ^= 1
        var secret = Self.secret
        secret[0] ^= 1
        let others = [
            WebhookSignatures.sign(id: Self.id, seconds: 1_614_265_330, body: body, secret: Self.secret),
            WebhookSignatures.sign(id: Self.id, seconds: 1_614_265_330, body: Self.body, secret: secret),
            WebhookSignatures.sign(id: Self.id, seconds: 1_614_265_331, body: Self.body, secret: Self.secret),
            WebhookSignatures.sign(
                id: AccountEventID("msg_p5jXN8AQM9LWM0D4loKWxJel"), seconds: 1_614_265_330, body: Self.body,
                secret: Self.secret),
        ]
        #expect(!others.contains(Self.signature) && Set(others).count == others.count)
    }

    @Test func expiredSecretSignsNothing() {
        func headers(at now: Moment) -> [String: String] {
            let former = Notifier.WebhookTarget.SigningSecret(
                bytes: Secret(OctetString([1])), expiresAt: Self.sentAt + .seconds(1))
            let current = Notifier.WebhookTarget.SigningSecret(
                bytes: Secret(OctetString(Self.secret)), expiresAt: nil)
            return Dictionary(
                WebhookSignatures.headers(id: Self.id, body: Self.body, secrets: [current, former], at: now)
                    .map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }
        let first = headers(at: Self.sentAt)
        #expect(first["webhook-id"] == Self.id.rawValue && first["webhook-timestamp"] == "1614265330")
        #expect(first["webhook-signature"]?.hasPrefix(Self.signature + " v1,") == true)
        #expect(headers(at: Self.sentAt + .seconds(1))["webhook-signature"]?.split(separator: " ").count == 1)
    }
}

@Suite struct WebhookRetryTests {
    @Test func delaysFollowStandardWebhooks() {
        let hours = (1...12).map { WebhookRetry.delay(afterRefusals: $0, jitter: 1).components.seconds }
        #expect(
            hours == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, 86_400, 86_400, 86_400])
        #expect(WebhookRetry.delay(afterRefusals: 2, jitter: 0) == .seconds(270))
        #expect(WebhookRetry.delay(afterRefusals: 0, jitter: 1) == .seconds(5))
    }

    /// An event that is always refused gets ten attempts in about three days.
    @Test func refusedEventEndsAfterItsLifetime() {
        let start = Moment(milliseconds: 1_700_000_000_000)
        var event = QueuedEvent.accepted(sampleEvent(), for: WebhookID("w"), at: 1, start)
        var now = start
        var attempts = 0
        while event.progress == .pending, attempts < 100 {
            now = event.recordOutcome(.refused(DeliveryFailure(.serverRefused, code: 500)), at: now, jitter: 1)
            attempts += 1
        }
        #expect(event.progress == .failed && attempts == 10 && event.problem?.text == "serverRefused 500")
        #expect(event.finishedAt.map { $0 < start + .seconds(76 * 3600) } == true)
    }

    /// An outage of any length costs an event no delay of its own.
    @Test func outageDoesNotIncreaseTheDelay() {
        let now = Moment(milliseconds: 1_700_000_000_000)
        var event = QueuedEvent.accepted(sampleEvent(), for: WebhookID("w"), at: 1, now)
        for _ in 0..<100 {
            #expect(
                event.recordOutcome(
                    .unavailable(DeliveryFailure(.unreachable), retryAfter: nil), at: now, jitter: 0.5) == now)
        }
        #expect(event.progress == .pending && event.attempts == 100 && event.refusals == 0)
        #expect(event.recordOutcome(.interrupted, at: now, jitter: 0.5) == now)
        #expect(event.attempts == 100)
        let late = now + WebhookRetry.lifetime
        _ = event.recordOutcome(.unavailable(DeliveryFailure(.unreachable), retryAfter: nil), at: late, jitter: 0.5)
        #expect(event.progress == .failed && event.problem?.text == "unreachable")
        event.replay(at: late)
        #expect(event.progress == .pending && event.expiresAt == late + WebhookRetry.lifetime)
    }
}

@Suite struct WebhookOutcomeTests {
    @Test(arguments: [
        (200, WebhookOutcome.delivered), (204, .delivered), (299, .delivered), (410, .gone),
        (301, .refused(.init(.serverRefused, code: 301))), (400, .refused(.init(.serverRefused, code: 400))),
        (404, .refused(.init(.serverRefused, code: 404))), (500, .refused(.init(.serverRefused, code: 500))),
        (429, .unavailable(.init(.serverRefused, code: 429), retryAfter: nil)),
        (502, .unavailable(.init(.serverRefused, code: 502), retryAfter: nil)),
        (503, .unavailable(.init(.serverRefused, code: 503), retryAfter: nil)),
        (504, .unavailable(.init(.serverRefused, code: 504), retryAfter: nil)),
    ])
    func statusHasItsOutcome(status: Int, outcome: WebhookOutcome) {
        #expect(WebhookOutcome(HTTPClientResponse(status: status)) == outcome)
    }

    @Test(
        arguments: [
            ("120", Duration.seconds(120)), ("999999999", .seconds(3600)), ("0", .zero), ("", nil), ("-1", nil),
            ("Fri, 31 Dec 1999 23:59:59 GMT", nil), ("99999999999999999999", nil),
        ] as [(String, Duration?)])
    func retryAfterIsBounded(text: String, expected: Duration?) {
        #expect(
            WebhookOutcome(HTTPClientResponse(status: 503, headers: [("Retry-After", text)]))
                == .unavailable(.init(.serverRefused, code: 503), retryAfter: expected))
    }

    @Test func errorsOfTheConnectionAreOutages() {
        func isOutage(_ error: HTTPClientError) -> Bool {
            if case .unavailable = WebhookOutcome(error) { true } else { false }
        }
        for error in [
            HTTPClientError.cannotResolve, .cannotConnect, .timedOut, .tls("x"), .addressRefused, .invalidRequest,
            .other(code: 56, "x"),
        ] { #expect(isOutage(error)) }
        #expect(WebhookOutcome(HTTPClientError.overloaded) == .interrupted)
        #expect(WebhookOutcome(HTTPClientError.tooLarge) == .refused(.init(.other)))
    }
}
