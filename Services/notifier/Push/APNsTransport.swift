import Contracts
import FoundationEssentials
import HTTPClient
import JSON
import Vocabulary

/// A push to send.
struct PushMessage: Sendable {
    var id: MessageID
    var request: Notifier.SendPush
    var expiresAt: Moment
}

/// Sends pushes to Apple's devices with one key or certificate: APNs over HTTP/2.
package struct APNsTransport: Sendable {
    /// Apple's limit for a payload.
    static let maximumPayloadBytes = 4096

    private static let production = "https://api.push.apple.com"
    private static let sandbox = "https://api.sandbox.push.apple.com"

    private let baseURL: String?
    private let topic: String?
    /// Nil with certificate authentication.
    private let tokens: APNsTokenCache?
    private let isOfProject: Bool
    private let send: HTTPSend
    private let now: @Sendable () -> Moment
    private let instant: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - baseURL: replaces both of Apple's hosts, without a trailing slash.
    ///   - topic: replaces the bundle ids of requests.
    ///   - key: nil with certificate authentication.
    ///   - isOfProject: the key is of a project: that Apple refuses it must not delay the pushes of others.
    init(
        baseURL: String? = nil, topic: String? = nil, key: APNsSigningKey?, isOfProject: Bool = false,
        now: @escaping @Sendable () -> Moment,
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        send: @escaping HTTPSend
    ) {
        self.baseURL = baseURL
        self.topic = topic
        tokens = key.map(APNsTokenCache.init)
        self.isOfProject = isOfProject
        self.now = now
        self.instant = instant
        self.send = send
    }

    /// Sends one push.
    func deliver(_ push: PushMessage) async -> DeliveryOutcome {
        do {
            let token = try tokens?.current(at: now(), instant())
            let (outcome, reason) = try await attempt(push, token)
            guard reason == .expiredProviderToken, let token,
                let successor = try tokens?.successor(of: token, at: now(), instant())
            else { return outcome }
            return try await attempt(push, successor).outcome
        } catch let error as HTTPClientError {
            return DeliveryOutcome(apns: error)
        } catch {
            // The payload cannot be encoded, or the signature fails: a retry would not help.
            return .rejected(DeliveryFailure(.unsendable))
        }
    }

    /// Why Apple did not accept the key or the certificate; nil for any other outcome. Apple refuses a certificate also by
    /// ending the handshake.
    func refusal(of outcome: DeliveryOutcome) -> DeliveryFailure? {
        guard case .transportUnavailable(let problem) = outcome else { return nil }
        return switch problem.kind {
        case .authentication, .deferred: problem
        case .tls: tokens == nil ? problem : nil
        case .unreachable, .noAnswer, .senderRefused, .serverRefused, .recipientRefused, .unroutable, .contentRefused,
            .timedOut, .connectionLost, .internationalAddress, .invalidDomain, .unsendable, .other, .deviceGone,
            .addressRefused, .expired, .recipientLimit, .projectLimit, .interrupted:
            nil
        }
    }

    private func attempt(
        _ push: PushMessage, _ token: APNsTokenCache.Token?
    ) async throws -> (outcome: DeliveryOutcome, reason: APNsReason?) {
        let payload = try Self.payload(of: push.request)
        guard payload.count <= Self.maximumPayloadBytes else {
            return (.rejected(DeliveryFailure(.unsendable)), nil)
        }
        let host = baseURL ?? (push.request.isSandbox ? Self.sandbox : Self.production)
        var headers = [
            (name: "apns-id", value: push.id.uuid),
            (name: "apns-topic", value: topic ?? push.request.bundleID),
            // A background push, which the device processes when its energy policy allows.
            (name: "apns-push-type", value: "background"),
            (name: "apns-priority", value: "5"),
            (name: "apns-expiration", value: "\(push.expiresAt.timestamp.seconds)"),
            (name: "content-type", value: "application/json"),
        ]
        if let token { headers.append((name: "authorization", value: "bearer \(token.text.reveal())")) }
        let response = try await send(
            HTTPClientRequest(
                .post, "\(host)/3/device/\(push.request.deviceToken.reveal())", headers: headers, body: payload,
                version: .http2))
        let reason = APNsReason(response.body)
        return (DeliveryOutcome(apnsStatus: response.status, reason, isOfProject: isOfProject), reason)
    }

    /// In the format that client libraries expect.
    static func payload(of request: Notifier.SendPush) throws -> Data {
        struct Payload: Encodable {
            struct APS: Encodable {
                enum CodingKeys: String, CodingKey { case isContentAvailable = "content-available" }
                var isContentAvailable = 1
            }
            struct Check: Encodable {
                var receipt: String
                var secret: String
            }
            enum CodingKeys: String, CodingKey {
                case aps
                case check = "com.google.firebase.auth"
            }
            var aps = APS()
            var check: Check
        }
        return try WireJSON.encode(Payload(check: .init(receipt: request.receipt, secret: request.secret.reveal())))
    }
}

extension MessageID {
    /// The APNs format of a message id, which has 32 hexadecimal digits.
    var uuid: String { RandomUUID.grouped(rawValue) }
}

extension DeliveryOutcome {
    /// The delivery outcome of a failed request.
    init(apns error: HTTPClientError) {
        self =
            switch error {
            case .cannotResolve, .addressRefused, .cannotConnect:
                .transportUnavailable(DeliveryFailure(.unreachable))
            case .timedOut: .transportUnavailable(DeliveryFailure(.noAnswer))
            case .tls, .noHTTP2: .transportUnavailable(DeliveryFailure(.tls))
            case .invalidRequest: .rejected(DeliveryFailure(.unsendable))
            case .overloaded, .tooLarge: .deferred(DeliveryFailure(.other))
            case .cancelled: .interrupted
            case .other(let code, _): .deferred(DeliveryFailure(.connectionLost, code: code))
            }
    }
}
