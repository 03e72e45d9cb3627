import Contracts
import HTTPServer
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// The e-mails and SMS messages of a project or a tenant, for tests (REST 6). Dev mode only.
    static let emulatorMessages: [Route] = [
        Route(
            .get,
            .local(
                "/emulator/v1/projects/{project}/messages",
                "/emulator/v1/projects/{project}/tenants/{tenant}/messages"), .v1, .developer
        ) { call in
            let realm = try call.realm()
            let messages = try await DevInbox.messages(to: call.request.queryItem("to").nilIfEmpty, call)
            return .json(MessagesReply(messages.filter { $0.realm == realm }))
        }
    ]
}

/// The latest first.
private struct MessagesReply: Encodable {
    struct Message: Encodable {
        var purpose: String
        var recipient: String
        var sender: String
        var subject: String
        var text: String
        var html: String
        var link: String?
        var receivedAt: String
    }
    var messages: [Message]

    init(_ messages: [Notifier.InboxMessage]) {
        self.messages = messages.map { message in
            Message(
                purpose: message.purpose, recipient: message.recipient, sender: message.sender,
                subject: message.subject, text: message.text, html: message.html, link: message.link,
                receivedAt: message.receivedAt.text)
        }
    }
}
