import Contracts
import Delivery
import ServiceRuntime
import Vocabulary

/// Where the pushes of applications go whose project has no key for them.
package enum DefaultPush: Sendable {
    /// To Apple, with the key or certificate of the settings.
    case apns(APNsTransport)
    /// Dev mode, where developers read receipt and secret.
    case inbox
    /// Nowhere.
    case none
}

extension Transport {
    /// Sends pushes through APNs: each with the key of its project and application, and the others as the settings say.
    static func push(
        _ store: NotifierStore, keys: APNsKeyTransports, default defaultPush: DefaultPush, connections: Int,
        timeout: Duration, counters: DeliveryMetrics, log: Log,
        instant: @escaping @Sendable () -> ContinuousClock.Instant, jitter: @escaping @Sendable () -> Double
    ) -> Transport {
        let sendWithoutKey: @Sendable (LeasedMessage, PushMessage) async -> DeliveryOutcome
        switch defaultPush {
        case .apns(let apns):
            let installation = InstallationPush(
                apns, connections: connections, counters: counters, log: log, instant: instant, jitter: jitter)
            sendWithoutKey = { await installation.deliver($1) }
        case .inbox:
            let inbox = pushInbox(store)
            sendWithoutKey = { leased, _ in await inbox.deliver(leased) }
        // Its key was removed after it was accepted.
        case .none: sendWithoutKey = { _, _ in .rejected(DeliveryFailure(.unsendable)) }
        }
        return Transport(
            channel: .push,
            deliver: { leased in
                guard case .push(let request) = leased.content else { return .rejected(DeliveryFailure(.unsendable)) }
                let push = PushMessage(
                    id: leased.message.id, request: request, expiresAt: leased.message.expiresAt)
                do {
                    guard let key = try await store.apnsKey(for: request) else {
                        return await sendWithoutKey(leased, push)
                    }
                    let transport = try keys.transport(of: key)
                    return await resultUnlessCancelled { await transport.deliver(push) } ?? .interrupted
                } catch {
                    return .deferred(DeliveryFailure(.other))
                }
            }, concurrency: connections,
            // An attempt may include one token renewal.
            attemptTimeout: timeout * 2)
    }

    /// Delivers pushes to the dev inbox, where developers read receipt and secret.
    static func pushInbox(_ store: NotifierStore) -> Transport {
        inbox(.push, store) { leased in
            guard case .push(let request) = leased.content else { return nil }
            return try Notifier.InboxMessage(leased.message, request)
        }
    }
}

extension Notifier.InboxMessage {
    init(_ message: OutboxMessage, _ request: Notifier.SendPush) throws {
        self.init(
            id: message.id, realm: message.realm, channel: .push, purpose: message.purpose,
            receivedAt: message.acceptedAt, sender: request.isSandbox ? "APNs (sandbox)" : "APNs",
            recipient: request.deviceToken.reveal(), subject: "Silent push to \(request.bundleID)",
            text: String(decoding: try APNsTransport.payload(of: request), as: UTF8.self), html: "", link: nil)
    }
}
