package import Contracts
internal import Vocabulary

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
    /// Primary subtag of BCP 47.
    package var tag: String
    package var isRightToLeft = false
    /// To somebody whose name is known.
    package var greeting: String
    package var genericGreeting: String
    /// Before the link in full, for readers that show no buttons.
    package var linkHint: String
    package var farewell: String
    /// In place of `%SECOND_FACTOR%` when the factor has no name.
    package var genericFactorName: String
    package var text: @Sendable (Notifier.EmailPurpose) -> EmailText

    /// What is shipped. The first is the one that stands in for languages that are missing.
    package static let all: [EmailLanguage] = [
        .english, .spanish, .korean, .thai, .german, .french, .japanese, .arabic,
    ]

    /// The first language that stands on the way from `requested` or from `standard` to a primary subtag, else English.
    /// Both are text from outside: what is no language tag matches nothing.
    package static func find(_ requested: String?, standard: String?) -> EmailLanguage {
        for wish in [requested, standard] {
            guard let wish, wish.utf8.count <= 100 else { continue }
            // `pt-BR`, then `pt`; `zh_Hant_TW` as some clients write it. Of lists, as browsers send them, the first.
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
