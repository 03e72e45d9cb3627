import Bus
import Contracts
import Vocabulary

extension Project {
    /// An e-mail about an account of this project or of one of its tenants, without the name of its owner.
    func email(
        _ purpose: Notifier.EmailPurpose, to recipient: EmailAddress, in realm: Realm, newEmail: EmailAddress? = nil,
        secondFactor: String? = nil, passkey: String? = nil, provider: String? = nil, link: String? = nil,
        code: Secret<String>? = nil,
        locale: String?,
        template: Notifier.EmailTemplate?
    ) -> Notifier.SendEmail {
        Notifier.SendEmail(
            realm: realm, recipient: recipient, purpose: purpose, locale: locale,
            defaultLocale: configuration.notification?.defaultLocale, appName: id.rawValue, link: link,
            code: code, newEmail: newEmail, secondFactor: secondFactor, passkey: passkey, provider: provider,
            template: template)
    }
}

extension PendingEmail {
    /// The idempotency key of a new e-mail.
    static func newID() -> String { RequestID.random().description }
}
