import Contracts
import Delivery
import FoundationEssentials
import HTTPClient
package import Vocabulary

/// Sends events to the endpoints of webhooks. Redirects are not followed, and the body of a response is not used.
package struct WebhookTransport: Sendable {
    /// Where requests may go.
    package struct Policy: Equatable, Sendable {
        /// Allows plain HTTP and private addresses.
        package var isDev: Bool
        /// Hosts in lower case that may have private addresses.
        package var privateHosts: Set<String> = []
    }

    /// The time for one attempt (Standard Webhooks: 15 to 30 seconds).
    static let timeout = Duration.seconds(15)

    private let policy: Policy
    private let now: @Sendable () -> Moment
    private let send: HTTPSend
    /// To the hosts that may have private addresses.
    private let sendToPrivateHost: HTTPSend

    init(
        _ policy: Policy, now: @escaping @Sendable () -> Moment, send: @escaping HTTPSend,
        sendToPrivateHost: @escaping HTTPSend
    ) {
        self.policy = policy
        self.now = now
        self.send = send
        self.sendToPrivateHost = sendToPrivateHost
    }

    package init(_ policy: Policy, now: @escaping @Sendable () -> Moment) {
        var limits = HTTPClient.Limits()
        limits.connectTime = .seconds(5)
        limits.totalTime = Self.timeout
        // The body is discarded; a longer one ends the attempt.
        limits.bodyBytes = 64 << 10
        limits.threads = WebhookOutbox.limits.attempts
        self.init(
            policy, now: now, send: HTTPClient(limits, addresses: policy.isDev ? .all : .publicOnly).send,
            sendToPrivateHost: HTTPClient(limits, addresses: .all).send)
    }

    func deliver(_ leased: LeasedEvent) async -> WebhookOutcome {
        let event = leased.event.event
        guard let url = WebURL(leased.url), url.isSecure || policy.isDev else {
            return .unavailable(DeliveryFailure(.addressRefused), retryAfter: nil)
        }
        do {
            let body = try WebhookBody(event).bytes
            let headers = WebhookSignatures.headers(id: event.id, body: body, secrets: leased.secrets, at: now())
            let send = policy.privateHosts.contains(url.host) ? sendToPrivateHost : send
            let response = try await send(
                HTTPClientRequest(
                    .post, url.text,
                    headers: headers + [("Content-Type", "application/json"), ("User-Agent", "Latchkey-Webhooks")],
                    body: body))
            return WebhookOutcome(response)
        } catch let error as HTTPClientError {
            return WebhookOutcome(error)
        } catch {
            // The event cannot be encoded.
            return .refused(DeliveryFailure(.unsendable))
        }
    }
}

extension WebhookOutcome {
    init(_ response: HTTPClientResponse) {
        switch response.status {
        case 200..<300: self = .delivered
        case 410: self = .gone
        case 429, 502, 503, 504:
            self = .unavailable(
                DeliveryFailure(.serverRefused, code: response.status),
                retryAfter: response.header("retry-after").flatMap(Self.duration))
        default: self = .refused(DeliveryFailure(.serverRefused, code: response.status))
        }
    }

    init(_ error: HTTPClientError) {
        self =
            switch error {
            case .invalidRequest, .addressRefused: .unavailable(DeliveryFailure(.addressRefused), retryAfter: nil)
            case .cannotResolve, .cannotConnect: .unavailable(DeliveryFailure(.unreachable), retryAfter: nil)
            case .tls, .noHTTP2: .unavailable(DeliveryFailure(.tls), retryAfter: nil)
            case .timedOut: .unavailable(DeliveryFailure(.timedOut), retryAfter: nil)
            // The response began: its status is unknown here, but the endpoint works.
            case .tooLarge: .refused(DeliveryFailure(.other))
            case .overloaded, .cancelled: .interrupted
            case .other(let code, _): .unavailable(DeliveryFailure(.connectionLost, code: code), retryAfter: nil)
            }
    }

    /// - Parameter text: whole seconds; a date is ignored (RFC 9110 section 10.2.3).
    private static func duration(_ text: String) -> Duration? {
        guard text.utf8.count <= 9, text.isASCIIDigits, let seconds = Int64(text) else { return nil }
        return min(.seconds(seconds), longestRetryAfter)
    }
}
