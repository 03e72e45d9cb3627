import Contracts
import Delivery
import Vocabulary

extension Transport {
    /// Sends pushes through APNs.
    package static func apns(_ apns: APNsTransport, _ settings: APNsSettings) -> Transport {
        Transport(
            channel: .push,
            deliver: { leased in
                guard case .push(let request) = leased.content else { return .rejected(DeliveryFailure(.unsendable)) }
                let push = PushMessage(
                    id: leased.message.id, request: request, expiresAt: leased.message.expiresAt)
                return await resultUnlessCancelled { await apns.deliver(push) } ?? .interrupted
            }, concurrency: settings.connections,
            // An attempt may include one token renewal.
            attemptTimeout: settings.timeout * 2)
    }

    /// Delivers pushes to the dev inbox, where developers read receipt and secret.
    package static func pushInbox(_ store: NotifierStore) -> Transport {
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
