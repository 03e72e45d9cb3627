package import Vocabulary

/// One message to one recipient, in plain text and in HTML (RFC 5322, RFC 2046 §5.1.4).
package struct SMTPMessage: Equatable, Sendable {
    /// An address with a display name.
    package struct Mailbox: Equatable, Sendable {
        /// Any text: it is encoded for its header.
        package var name: String?
        package var address: EmailAddress

        package init(name: String? = nil, address: EmailAddress) {
            self.name = name
            self.address = address
        }
    }

    /// Globally unique letters and digits, completed by the domain of `from`. A message that is sent again has the same
    /// id, so that servers and mail clients detect the duplicate.
    package var id: String
    package var date: Moment
    /// The envelope sender, which receives bounces.
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
