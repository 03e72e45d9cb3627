package import Vocabulary

extension Notifier {
    /// The purpose of a code. These names are used on the wire and in the history.
    package enum SMSPurpose: String, CaseIterable, Codable, Sendable {
        case phoneSignIn, secondFactorEnrollment, secondFactorSignIn
    }

    /// Accepts an SMS. The reply means that it is stored, not that it was sent. mfa-sms decides whether it may be sent.
    package struct SendSMS: BusRequest, Equatable {
        package static let operation = Notifier.Operation.sendSMS
        package static let retrySemantics = RetrySemantics.deduplicated
        package var realm: Realm
        package var recipient: PhoneNumber
        /// ISO 3166-1 alpha-2, from mfa-sms: it determines providers, routes and prices. Absent: unknown.
        package var region: String?
        package var purpose: SMSPurpose
        package var code: Secret<String>
        /// BCP 47, as the client sent it; then `defaultLocale`, then English.
        package var locale: String?
        package var defaultLocale: String?
        /// The display name of the project.
        package var appName: String
        /// The host that the code is bound to, in the last line of the text (`@example.com #123456`).
        package var originDomain: String?
        /// The project's own text, with `%APP_NAME%` and `%LOGIN_CODE%`. Absent: the built-in, translated text.
        package var template: String?

        package init(
            realm: Realm, recipient: PhoneNumber, region: String? = nil, purpose: SMSPurpose, code: Secret<String>,
            locale: String? = nil, defaultLocale: String? = nil, appName: String, originDomain: String? = nil,
            template: String? = nil
        ) {
            self.realm = realm
            self.recipient = recipient
            self.region = region
            self.purpose = purpose
            self.code = code
            self.locale = locale
            self.defaultLocale = defaultLocale
            self.appName = appName
            self.originDomain = originDomain
            self.template = template
        }

        package typealias Reply = AcceptedMessage
    }
}

extension Notifier.SendSMS {
    private static let maximumTemplateBytes = 1024

    /// What is wrong with the project's own text; nil for one that messages can be built from. Identity asks when the
    /// configuration changes, the notifier before it accepts a message.
    package static func problem(ofTemplate template: String) -> String? {
        if template.utf8.count > maximumTemplateBytes { return "is longer than \(maximumTemplateBytes) bytes" }
        if !template.contains("%LOGIN_CODE%") { return "lacks %LOGIN_CODE%" }
        // Users must not get used to links in SMS messages, because of phishing (security rule SM12).
        return template.contains("://") ? "holds a link" : nil
    }
}
