package import Contracts
package import Vocabulary

/// The text of one e-mail in one language, with placeholders.
package struct EmailText: Sendable {
    package var subject: String
    /// What happened, or what the user requested.
    package var lead: String
    /// For a notice with a link: what to do if the user did not do this. Empty for a requested message.
    package var securityAdvice: String
    /// The label of the button with the link. Empty for a message with a code.
    package var button: String
    /// The last sentence. A notice has it only without a link.
    package var closing: String
}

extension EmailText {
    /// A message that the user requested.
    init(subject: String, lead: String, button: String, closing: String) {
        self.init(subject: subject, lead: lead, securityAdvice: "", button: button, closing: closing)
    }

    /// A message with a code that the user requested.
    init(subject: String, lead: String, closing: String) {
        self.init(subject: subject, lead: lead, securityAdvice: "", button: "", closing: closing)
    }
}

/// All texts of one language.
package struct EmailLanguage: Sendable {
    package var language: Language
    /// To a user whose name is known.
    package var greeting: String
    package var genericGreeting: String
    /// Before the full link, for mail clients that show no buttons.
    package var linkHint: String
    package var farewell: String
    /// Before the farewell, if the project names a contact.
    package var support: String
    /// Replaces `%SECOND_FACTOR%` if the factor has no name.
    package var genericFactorName: String
    /// Replaces `%PASSKEY%` if the recipient must not see the name.
    package var hiddenPasskeyName: String
    /// Replaces `%DEVICE%` and `%NETWORK%` of an unknown client.
    package var unknownClient: String
    /// The words for the sign-in methods of an account.
    package var methods: Methods
    package var text: @Sendable (Notifier.EmailPurpose) -> EmailText

    package struct Methods: Sendable {
        package var password: String
        package var emailLink: String
        package var phoneNumber: String
        package var passkey: String
        /// The account has no method, or it is unknown.
        package var none: String
        package var separator: String
    }
}

extension EmailLanguage {
    /// The built-in texts of a language.
    package init(_ language: Language) {
        self =
            switch language {
            case .english: .english
            case .spanish: .spanish
            case .korean: .korean
            case .thai: .thai
            case .german: .german
            case .french: .french
            case .japanese: .japanese
            case .arabic: .arabic
            }
    }
}
