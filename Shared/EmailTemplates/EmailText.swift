package import Contracts
package import Vocabulary

/// What one e-mail says in one language, with placeholders.
package struct EmailText: Sendable {
    package var subject: String
    /// What happened, or what is asked.
    package var lead: String
    /// Of a notice that has a link: what to do if it was not you. Empty for a message that was asked for.
    package var securityAdvice: String
    /// On the button that is the link.
    package var button: String
    /// The last words: of a notice, only when it has no link.
    package var closing: String

    /// A message somebody asked for.
    init(subject: String, lead: String, button: String, closing: String) {
        self.init(subject: subject, lead: lead, securityAdvice: "", button: button, closing: closing)
    }

    /// A notice of what has happened.
    init(subject: String, lead: String, securityAdvice: String, button: String, closing: String) {
        self.subject = subject
        self.lead = lead
        self.securityAdvice = securityAdvice
        self.button = button
        self.closing = closing
    }
}

/// Everything that is written in one language.
package struct EmailLanguage: Sendable {
    package var language: Language
    /// To somebody whose name is known.
    package var greeting: String
    package var genericGreeting: String
    /// Before the link in full, for readers that show no buttons.
    package var linkHint: String
    package var farewell: String
    /// In place of `%SECOND_FACTOR%` when the factor has no name.
    package var genericFactorName: String
    package var text: @Sendable (Notifier.EmailPurpose) -> EmailText
}

extension EmailLanguage {
    /// The texts that are shipped in a language.
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
