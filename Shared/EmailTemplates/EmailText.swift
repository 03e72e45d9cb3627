package import Contracts
internal import Vocabulary

/// The text of one e-mail in one language, with placeholders.
package struct EmailText: Sendable {
    package var subject: String
    /// What happened, or what the user requested.
    package var lead: String
    /// For a notice with a link: what to do if the user did not do this. Empty for a requested message.
    package var securityAdvice: String
    /// The label of the button with the link.
    package var button: String
    /// The last sentence. A notice has it only without a link.
    package var closing: String

    /// A message that the user requested.
    init(subject: String, lead: String, button: String, closing: String) {
        self.init(subject: subject, lead: lead, securityAdvice: "", button: button, closing: closing)
    }

    /// A notice about an event.
    init(subject: String, lead: String, securityAdvice: String, button: String, closing: String) {
        self.subject = subject
        self.lead = lead
        self.securityAdvice = securityAdvice
        self.button = button
        self.closing = closing
    }
}

/// All texts of one language.
package struct EmailLanguage: Sendable {
    /// Primary subtag of BCP 47.
    package var tag: String
    package var isRightToLeft = false
    /// For a recipient with a known name.
    package var greeting: String
    package var genericGreeting: String
    /// Before the full link, for mail clients that show no buttons.
    package var linkHint: String
    package var farewell: String
    /// Replaces `%SECOND_FACTOR%` if the factor has no name.
    package var genericFactorName: String
    package var text: @Sendable (Notifier.EmailPurpose) -> EmailText

    /// The built-in languages. The first one is the default.
    package static let all: [EmailLanguage] = [
        .english, .spanish, .korean, .thai, .german, .french, .japanese, .arabic,
    ]

    /// The first built-in language that matches `requested` or `standard`, from the full tag to its primary subtag;
    /// otherwise English. Both are external input: a text that is not a language tag matches nothing.
    package static func find(_ requested: String?, standard: String?) -> EmailLanguage {
        for wish in [requested, standard] {
            guard let wish, wish.utf8.count <= 100 else { continue }
            // `pt-BR`, then `pt`; some clients write `zh_Hant_TW`. Of lists, as browsers send them, the first.
            let first = wish.prefix { $0 != "," && $0 != ";" }.asciiLowercased
            var subtags = first.split { $0 == "-" || $0 == "_" }[...]
            while !subtags.isEmpty {
                if let found = all.first(where: { $0.tag == subtags.joined(separator: "-") }) { return found }
                subtags = subtags.dropLast()
            }
        }
        return .english
    }
}
