package import Vocabulary

/// One message to one person, in plain text and in HTML (RFC 5322, RFC 2046 §5.1.4).
package struct SMTPMessage: Equatable, Sendable {
    /// An address with the name of its owner.
    package struct Mailbox: Equatable, Sendable {
        /// Any text: it is encoded for its header.
        package var name: String?
        package var address: EmailAddress

        package init(name: String? = nil, address: EmailAddress) {
            self.name = name
            self.address = address
        }
    }

    /// Unique for ever, letters and digits. The same when the same message is sent again, so that servers and readers
    /// can tell; the domain of `from` completes it.
    package var id: String
    package var date: Moment
    /// Who hears of what cannot be delivered (the envelope's sender).
    package var returnPath: EmailAddress
    package var from: Mailbox
    package var replyTo: EmailAddress?
    package var recipient: EmailAddress
    package var subject: String
    /// BCP 47.
    package var language: String
    package var text: String
    package var html: String

    package init(
        id: String, date: Moment, returnPath: EmailAddress, from: Mailbox, replyTo: EmailAddress? = nil,
        recipient: EmailAddress, subject: String, language: String, text: String, html: String
    ) {
        self.id = id
        self.date = date
        self.returnPath = returnPath
        self.from = from
        self.replyTo = replyTo
        self.recipient = recipient
        self.subject = subject
        self.language = language
        self.text = text
        self.html = html
    }
}
