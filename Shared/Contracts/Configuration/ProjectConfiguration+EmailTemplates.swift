package import Vocabulary

extension ProjectConfiguration.Notification.Template {
    /// The text in one language. Absent members: those of the template, or of Latchkey.
    package struct Translation: DocumentMessage {
        package var subject: String?
        package var body: String?
        package var bodyFormat: BodyFormat?

        package init() {}
    }

    /// The template for a reader of a language.
    package func translated(into language: Language) -> Self {
        var template = self
        template.translations = nil
        guard let translation = translations?[language.rawValue] else { return template }
        template.subject = translation.subject.nilIfEmpty ?? subject
        if let body = translation.body.nilIfEmpty {
            template.body = body
            template.bodyFormat = translation.bodyFormat
        }
        return template
    }
}
