import Contracts
import Vocabulary

/// An e-mail that identity has committed, and that the notifier has not accepted yet.
struct PendingEmail: Equatable, Sendable {
    /// 32 hexadecimal digits: the idempotency key under which the notifier accepts the e-mail once.
    var id: String
    var content: Content
    var createdAt: Moment
    /// After this time its link has expired.
    var expiresAt: Moment

    /// The sealed content of the row.
    struct Content: Codable, Equatable, Sendable {
        var email: Notifier.SendEmail
        /// The trace of the request that caused the e-mail.
        var trace: TraceContext
        /// For an address without an account. It is stored and deleted like any other e-mail, so that neither the time
        /// nor the tables reveal which addresses have an account. It is never sent.
        var isDecoy = false
    }

    var realm: Realm { content.email.realm }
}

extension PendingEmail {
    /// - Parameter code: carried by the link of the e-mail.
    init(
        id: String, _ email: Notifier.SendEmail, code: ActionCode?, isDecoy: Bool = false, trace: TraceContext,
        at now: Moment
    ) {
        self.id = id
        content = Content(email: email, trace: trace, isDecoy: isDecoy)
        createdAt = now
        expiresAt = code?.expiresAt ?? now + email.purpose.lifetime
    }
}
