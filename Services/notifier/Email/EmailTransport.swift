import Contracts
import EmailTemplates
package import SMTPClient
package import Vocabulary

/// The transports of e-mails: a mail server, or the dev inbox.
package enum EmailTransport {
    /// The sender of the messages.
    package struct Sender: Equatable, Sendable {
        package var name: String?
        package var address: EmailAddress

        /// - Parameter text: `noreply@example.com` or `Example <noreply@example.com>`; the name may be quoted.
        /// - Returns: nil for any other format, and for a non-ASCII local part, which some servers reject.
        package init?(_ text: String) {
            var name = ""
            var address = text[...]
            if let (before, behind) = text.lastHalves(at: "<"), behind.utf8.last == UInt8(ascii: ">") {
                address = Substring(behind.utf8.dropLast())
                let quote = UInt8(ascii: "\"")
                var words = Substring(before).utf8.drop { $0 == 0x20 || $0 == 0x09 }
                while words.last == 0x20 || words.last == 0x09 { words.removeLast() }
                if words.count >= 2, words.first == quote, words.last == quote { words = words.dropFirst().dropLast() }
                name = String(Substring(words))
            }
            guard let address = EmailAddress(String(address)), address.localPart.utf8.allSatisfy({ $0 < 0x80 }),
                name.utf8.count <= 200, !name.unicodeScalars.contains(where: \.isControlOfHeaders), !name.contains("<")
            else { return nil }
            self.name = name.isEmpty ? nil : name
            self.address = address
        }

        /// The sender of one message: the project may have its own name and local part; the operator sets the domain.
        func mailbox(for request: Notifier.SendEmail, _ email: RenderedEmail) -> SMTPMessage.Mailbox {
            let own = request.template?.senderLocalPart.flatMap {
                EmailAddress("\($0)@\(address.domain)")
            }
            return .init(name: email.senderName ?? name ?? request.appName, address: own ?? address)
        }
    }

}

extension Transport {
    /// E-mails through a mail server.
    package static func smtp(
        _ client: SMTPClient, _ limits: SMTPClient.Limits, from sender: EmailTransport.Sender
    ) -> Transport {
        smtp(limits, from: sender, send: client.send, abort: client.abort)
    }

    /// - Parameters:
    ///   - send: as `SMTPClient.send`.
    ///   - abort: as `SMTPClient.abort`.
    static func smtp(
        _ limits: SMTPClient.Limits, from sender: EmailTransport.Sender,
        send: @escaping @Sendable (SMTPMessage) async throws(SMTPError) -> Void, abort: @escaping @Sendable () -> Void
    ) -> Transport {
        Transport(
            channel: .email,
            deliver: { leased in
                guard case .email(let request) = leased.content else { return .rejected(DeliveryFailure(.unsendable)) }
                return await withTaskCancellationHandler {
                    do {
                        try await send(SMTPMessage(leased.message, request, from: sender))
                        return .delivered
                    } catch let failure as SMTPError {
                        return DeliveryOutcome(failure)
                    } catch {
                        // The template was checked when the message was accepted.
                        return .rejected(DeliveryFailure(.unsendable))
                    }
                } onCancel: {
                    // The process is about to stop.
                    abort()
                }
            }, concurrency: limits.connections, attemptTimeout: limits.totalTime)
    }

    /// Delivers e-mails to the dev inbox.
    package static func emailInbox(_ store: NotifierStore, from sender: EmailTransport.Sender) -> Transport {
        inbox(.email, store) { leased in
            guard case .email(let request) = leased.content else { return nil }
            return try Notifier.InboxMessage(leased.message, request, from: sender)
        }
    }
}

extension SMTPMessage {
    /// Builds the message; equal for each attempt.
    init(
        _ message: OutboxMessage, _ request: Notifier.SendEmail, from sender: EmailTransport.Sender
    ) throws(EmailTemplateError) {
        let email = try EmailRenderer.render(request)
        self.init(
            id: message.id.rawValue, date: message.acceptedAt, returnPath: sender.address,
            from: sender.mailbox(for: request, email), replyTo: request.template?.replyTo,
            recipient: request.recipient, subject: email.subject, language: email.language, text: email.text,
            html: email.html)
    }
}

extension Notifier.InboxMessage {
    init(
        _ message: OutboxMessage, _ request: Notifier.SendEmail, from sender: EmailTransport.Sender
    ) throws(EmailTemplateError) {
        let email = try EmailRenderer.render(request)
        let from = sender.mailbox(for: request, email)
        self.init(
            id: message.id, realm: request.realm, channel: .email, purpose: request.purpose.rawValue,
            receivedAt: message.acceptedAt, sender: "\(from.name ?? "") <\(from.address.rawValue)>",
            recipient: request.recipient.rawValue, subject: email.subject, text: email.text, html: email.html,
            link: request.link)
    }
}

extension DeliveryOutcome {
    /// The delivery outcome of an SMTP error.
    init(_ failure: SMTPError) {
        self =
            switch failure {
            case .refused(let stage, let code): Self.outcome(at: stage, code: code)
            case .cannotResolve, .cannotConnect: .transportUnavailable(DeliveryFailure(.unreachable))
            case .timedOut(let stage):
                stage < .sender
                    ? .transportUnavailable(DeliveryFailure(.noAnswer)) : .deferred(DeliveryFailure(.timedOut))
            case .connectionLost(let stage):
                stage < .sender
                    ? .transportUnavailable(DeliveryFailure(.noAnswer)) : .deferred(DeliveryFailure(.connectionLost))
            case .noTLS, .tls: .transportUnavailable(DeliveryFailure(.tls))
            case .authentication: .transportUnavailable(DeliveryFailure(.authentication))
            case .noInternationalAddresses: .rejected(DeliveryFailure(.internationalAddress))
            case .invalidDomain: .rejected(DeliveryFailure(.invalidDomain))
            case .aborted: .interrupted
            case .overloaded: .deferred(DeliveryFailure(.interrupted))
            case .other(let code): .deferred(DeliveryFailure(.other, code: code))
            }
    }

    private static func outcome(at stage: SMTPStage, code: Int) -> DeliveryOutcome {
        switch (stage, code) {
        // RFC 4954 §6: "authentication required" may occur at any stage.
        case (_, 530), (_, 534), (_, 535), (_, 538), (.authentication, _):
            .transportUnavailable(DeliveryFailure(.authentication, code: code))
        // RFC 5321 §3.8: the server is about to close the connection.
        case (_, 421), (.connect, _), (.greeting, _): .transportUnavailable(DeliveryFailure(.serverRefused, code: code))
        case (.startTLS, _): .transportUnavailable(DeliveryFailure(.tls, code: code))
        case (_, ..<500): .deferred(DeliveryFailure(.deferred, code: code))
        // The sender is the same for all messages.
        case (.sender, _): .transportUnavailable(DeliveryFailure(.senderRefused, code: code))
        case (.recipient, _): .rejected(DeliveryFailure(.recipientRefused, code: code))
        case (.content, _): .rejected(DeliveryFailure(.contentRefused, code: code))
        }
    }
}
