package import Vocabulary

extension Notifier {
    /// The placeholders of a template, written `%APP_NAME%`.
    package enum EmailPlaceholder: String, CaseIterable, Sendable {
        case appName = "APP_NAME"
        case link = "LINK"
        case code = "CODE"
        case email = "EMAIL"
        case newEmail = "NEW_EMAIL"
        case displayName = "DISPLAY_NAME"
        case secondFactor = "SECOND_FACTOR"
        case passkey = "PASSKEY"
        case provider = "PROVIDER"
        case account = "ACCOUNT"
        case signInMethods = "SIGN_IN_METHODS"
        /// Of the branding.
        case supportContact = "SUPPORT_CONTACT"
        case time = "TIME"
        case device = "DEVICE"
        case network = "NETWORK"
    }

    /// A project's own text for one purpose. Absent members use the built-in text.
    package struct EmailTemplate: Codable, Equatable, Sendable {
        package enum BodyFormat: String, CaseIterable, Codable, Sendable {
            case plainText = "PLAIN_TEXT"
            case html = "HTML"
        }

        package var senderDisplayName: String?
        /// Replaces the part before the `@` of the operator's sender address.
        package var senderLocalPart: String?
        package var replyTo: EmailAddress?
        package var subject: String?
        package var body: String?
        /// Absent: plain text.
        package var bodyFormat: BodyFormat?

        package init(
            senderDisplayName: String? = nil, senderLocalPart: String? = nil, replyTo: EmailAddress? = nil,
            subject: String? = nil, body: String? = nil, bodyFormat: BodyFormat? = nil
        ) {
            self.senderDisplayName = senderDisplayName
            self.senderLocalPart = senderLocalPart
            self.replyTo = replyTo
            self.subject = subject
            self.body = body
            self.bodyFormat = bodyFormat
        }
    }
}

extension Notifier.EmailTemplate {
    package static let maximumHeaderBytes = 500
    package static let maximumBodyBytes = 65_536

    /// A template of the project's configuration, without its translations.
    /// - Returns: nil when it does not differ from the built-in text.
    package init?(_ stored: ProjectConfiguration.Notification.Template) throws(EmailTemplateError) {
        var replyTo: EmailAddress?
        if let text = stored.replyTo, !text.isEmpty {
            guard let address = EmailAddress(text) else { throw .malformedReplyTo }
            replyTo = address
        }
        self.init(
            senderDisplayName: stored.senderDisplayName.nilIfEmpty, senderLocalPart: stored.senderLocalPart.nilIfEmpty,
            replyTo: replyTo, subject: stored.subject.nilIfEmpty, body: stored.body.nilIfEmpty,
            bodyFormat: stored.bodyFormat == .html ? .html : nil)
        if self == .init() || self == .init(bodyFormat: .html) { return nil }
    }

    /// Checks whether messages can be built from it. Without I/O: identity calls it when the configuration changes, the
    /// notifier before it accepts a message.
    package func check(for purpose: Notifier.EmailPurpose) throws(EmailTemplateError) {
        for (field, text) in [("senderDisplayName", senderDisplayName), ("subject", subject)] {
            guard let text else { continue }
            guard text.utf8.count <= Self.maximumHeaderBytes else {
                throw .tooLong(field: field, maximumBytes: Self.maximumHeaderBytes)
            }
            guard !text.unicodeScalars.contains(where: \.isControlOfHeaders) else {
                throw .controlCharacter(field: field)
            }
            _ = try EmailTemplateText(text)
        }
        if let senderLocalPart {
            guard senderLocalPart.utf8.allSatisfy({ $0 < 0x80 }), EmailAddress(senderLocalPart + "@example.com") != nil
            else { throw .malformedSenderLocalPart }
        }
        guard let body else { return }
        guard body.utf8.count <= Self.maximumBodyBytes else {
            throw .tooLong(field: "body", maximumBytes: Self.maximumBodyBytes)
        }
        let text = try EmailTemplateText(body)
        if let required = purpose.requiredPlaceholder, !text.placeholders.contains(required) {
            throw .missingPlaceholder(required)
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character could end a header line, or is invisible in it.
    package var isControlOfHeaders: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false  // Unicode's categories are not a closed set of this project: all others are harmless.
        }
    }
}

extension ProjectConfiguration {
    /// The template of a purpose, with its translations.
    package func storedTemplate(for purpose: Notifier.EmailPurpose) -> Notification.Template? {
        let templates = notification?.sendEmail
        return
            switch purpose
        {
        case .verifyEmail: templates?.verifyEmailTemplate
        case .resetPassword: templates?.resetPasswordTemplate
        case .emailChanged: templates?.changeEmailTemplate
        case .secondFactorAdded: templates?.revertSecondFactorAdditionTemplate
        case .emailSignIn, .emailSignInCode, .emailVerificationCode, .verifyAndChangeEmail, .emailRemoved,
            .secondFactorRemoved, .passwordChanged,
            .recoveryCodeUsed, .passkeyAdded, .passkeyRemoved, .providerLinked, .providerRefused, .newSignIn,
            .deletionScheduled:
            nil
        }
    }

    /// The project's own text for a purpose; nil for the built-in text.
    /// - Parameter locale: of the recipient, as in `SendEmail`.
    /// - Throws: for a stored template that was not checked.
    package func emailTemplate(
        for purpose: Notifier.EmailPurpose, locale: String? = nil
    ) throws(EmailTemplateError) -> Notifier.EmailTemplate? {
        guard let stored = storedTemplate(for: purpose) else { return nil }
        let language = Language.find(locale, default: notification?.defaultLocale)
        return try Notifier.EmailTemplate(stored.translated(into: language))
    }
}

/// An error in a template. The description is a sentence for its author.
package enum EmailTemplateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// With its percent signs.
    case unknownPlaceholder(String)
    /// The message requires its link or code, and the body has no place for it.
    case missingPlaceholder(Notifier.EmailPlaceholder)
    case tooLong(field: String, maximumBytes: Int)
    /// A line break or another control character in a header value.
    case controlCharacter(field: String)
    case malformedReplyTo
    case malformedSenderLocalPart

    package var description: String {
        switch self {
        case .unknownPlaceholder(let text):
            "There is no placeholder \(text). There are "
                + Notifier.EmailPlaceholder.allCases.map { "%\($0.rawValue)%" }.joined(separator: ", ") + "."
        case .missingPlaceholder(let placeholder): "The body must hold %\(placeholder.rawValue)%."
        case .tooLong(let field, let maximumBytes): "\(field) is longer than \(maximumBytes) bytes."
        case .controlCharacter(let field): "\(field) holds a line break or another control character."
        case .malformedReplyTo: "replyTo is not an e-mail address."
        case .malformedSenderLocalPart: "senderLocalPart cannot stand before the @ of an address."
        }
    }
}
