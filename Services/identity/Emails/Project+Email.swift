import Bus
import Contracts
import Vocabulary

extension Project {
    /// An e-mail about an account of this project or of one of its tenants, without the name of its owner.
    /// - Parameter pages: a page at the origin that also serves the logo.
    func email(
        _ purpose: Notifier.EmailPurpose, to recipient: EmailAddress, in realm: Realm, newEmail: EmailAddress? = nil,
        secondFactor: String? = nil, passkey: String? = nil, provider: String? = nil, link: String? = nil,
        code: Secret<String>? = nil,
        locale: String?,
        template: Notifier.EmailTemplate?, pages: WebURL
    ) -> Notifier.SendEmail {
        Notifier.SendEmail(
            realm: realm, recipient: recipient, purpose: purpose, locale: locale,
            defaultLocale: configuration.notification?.defaultLocale, appName: configuration.applicationName(of: id),
            link: link, code: code, newEmail: newEmail, secondFactor: secondFactor, passkey: passkey,
            provider: provider, template: template, branding: configuration.branding,
            logoURL: configuration.branding?.logo?.path.map { pages.origin + $0 })
    }
}

extension PendingEmail {
    /// The idempotency key of a new e-mail.
    static func newID() -> String { RequestID.random().description }
}
