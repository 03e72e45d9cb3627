import Contracts
import EmailTemplates
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// The texts of e-mails and pages, and how they look.
extension ConsolePages {
    static let mailRoutes: [ConsoleRoute] = [
        .get(projectPattern("settings/mail"), .project) { visit in
            guard case .mail(let template, let language)? = visit.item("area").flatMap(SettingSubject.init) else {
                throw ConsoleRefusal.notFound
            }
            let stored = try await StoredSettings(of: visit.realm, visit.call)
            let mail = MailPreview(template, language ?? visit.language, of: stored.document, stored.realm)
            guard let html = try mail.rendered()?.html else { throw ConsoleRefusal.notFound }
            return HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/html; charset=utf-8"),
                    // The text of a project, with styles of its own and nothing that runs or leads elsewhere.
                    (
                        "Content-Security-Policy",
                        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
                            + " frame-ancestors 'none'; sandbox"
                    ),
                ], body: Data(html.utf8))
        }
    ]
}

/// An e-mail of a template to nobody, as a project sends it.
struct MailPreview {
    let template: SettingSubject.MailTemplate
    let language: Language
    let document: JSONValue
    let realm: Realm

    init(
        _ template: SettingSubject.MailTemplate, _ language: Language, of document: JSONValue, _ realm: Realm
    ) {
        self.template = template
        self.language = language
        self.document = document
        self.realm = realm
    }

    /// - Returns: nil for a document that is none of a project.
    /// - Throws: `EmailTemplateError` for a text that cannot be sent.
    func rendered() throws -> RenderedEmail? {
        guard realm.tenant == nil else { return nil }
        let configuration = try WireJSON.decode(ProjectConfiguration.self, from: WireJSON.encode(document))
        let own = try configuration.emailTemplate(for: template.purpose, locale: language.rawValue)
        var mail = EmailTemplateCheck.example(template.purpose, in: language, own)
        mail.appName = configuration.applicationName(of: realm.project)
        mail.branding = configuration.branding
        return try EmailRenderer.render(mail)
    }
}

// MARK: - HTML

extension ConsoleView {
    /// Below the form of a subject.
    func addition(to subject: SettingSubject, _ stored: StoredSettings, _ document: JSONValue) -> HTML? {
        switch subject {
        case .area(.mails): stored.owner == .project ? mailList(stored) : nil
        case .area(.branding):
            """
            \(contrasts(of: document, isSaved: document == stored.document))
            \(document == stored.document ? logoForm(stored) : nil)
            \(pageTextList(stored))
            """
        case .area: nil
        case .mail(let template, let language):
            preview(template, language, stored, document, isSaved: document == stored.document)
        case .pageTexts: nil
        }
    }

    private func languageLink(
        _ subject: SettingSubject, _ label: String, _ stored: StoredSettings
    ) -> HTML {
        let address = ConsoleVisit.address(visit.settingsPath, visit.settingsItems(subject))
        let isOwn = subject.fields(of: stored.owner).contains { field in
            field.text(in: stored.document, of: stored.owner) != SettingField.unset
        }
        let mark: HTML? = isOwn ? " \(HTML.badge(settingTexts.ownText))" : nil
        return "<li><a href=\"\(address)\"><bdi>\(label)</bdi></a>\(mark)</li>"
    }

    private func mailList(_ stored: StoredSettings) -> HTML {
        let rows = SettingSubject.MailTemplate.allCases.map { template -> HTML in
            let links = ([nil] + Language.allCases).map { language in
                languageLink(
                    .mail(template, language), language?.ownName ?? settingTexts.everyLanguage, stored)
            }
            return "<h3>\(template.texts(settingTexts))</h3><ul>\(links)</ul>"
        }
        return "<h2>\(settingTexts.mailTexts)</h2>\(rows)"
    }

    private func pageTextList(_ stored: StoredSettings) -> HTML {
        let links = Language.allCases.map { languageLink(.pageTexts($0), $0.ownName, stored) }
        return "<h2>\(settingTexts.pageTexts.label)</h2><ul>\(links)</ul>"
    }

    /// The e-mail with the text of a document, to be read before it is saved.
    private func preview(
        _ template: SettingSubject.MailTemplate, _ language: Language?, _ stored: StoredSettings, _ document: JSONValue,
        isSaved: Bool
    ) -> HTML {
        let preview = MailPreview(template, language ?? visit.language, of: document, stored.realm)
        let content: HTML
        do {
            guard let mail = try preview.rendered() else { return "" }
            content = """
                <p><strong><bdi>\(mail.subject)</bdi></strong></p>
                <pre lang="\(mail.language)" dir="\(preview.language.direction)">\(mail.text)</pre>
                """
        } catch {
            content = HTML.note(.bad, "<p>\("\(error)")</p>")
        }
        let address = ConsoleVisit.address(
            "\(visit.settingsPath)/mail", visit.settingsItems(.mail(template, language)))
        let link: HTML? = isSaved ? "<p>\(HTML.buttonLink(to: address, settingTexts.openMail, .quiet))</p>" : nil
        return "<h2>\(settingTexts.preview)</h2>\(content)\(link)"
    }
}
