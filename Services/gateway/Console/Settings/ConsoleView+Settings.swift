import Contracts
import HTTPServer
import JSON
import Pages
import Vocabulary

extension ConsoleView {
    var settingTexts: PageTexts.Settings { visit.language.settingTexts }

    func settingAreasPage(_ stored: StoredSettings, _ tenants: Identity.ListTenants.Reply?) -> HTTPResponse {
        let rows = SettingArea.allCases.filter { !$0.fields(of: stored.owner).isEmpty }.map { area -> HTML in
            let texts = area.texts(settingTexts)
            let address = ConsoleVisit.address(visit.settingsPath, visit.settingsItems(area))
            return .row(
                nil, "<a href=\"\(address)\">\(texts.label)</a>", about: texts.hint.map { "\($0)" })
        }
        let history = ConsoleVisit.address(
            visit.project.map { ConsolePages.path($0, "audit") } ?? ConsolePages.auditPath,
            [("action", stored.owner == .project ? "configuration.changed" : "tenant.changed")])
        return respond(
            texts.settings, at: visit.settingsPath,
            """
            \(HTML.panel(title(of: stored), rows))
            \(tenants.map(tenantList))
            <p>\(HTML.buttonLink(to: history, texts.changeHistory, .quiet))</p>
            \(backToProject(stored))
            """)
    }

    private func title(of stored: StoredSettings) -> String {
        stored.realm.tenant.map { settingTexts.settingsOfTenant($0.rawValue) } ?? settingTexts.settingsOfProject
    }

    private func backToProject(_ stored: StoredSettings) -> HTML? {
        stored.realm.tenant.map { _ in
            "<p>\(HTML.buttonLink(to: visit.settingsPath, settingTexts.settingsOfProject, .quiet))</p>"
        }
    }

    private func tenantList(_ reply: Identity.ListTenants.Reply) -> HTML {
        let rows = reply.tenants.map { tenant -> HTML in
            let address = ConsoleVisit.address(visit.settingsPath, [("tenant", tenant.id.rawValue)])
            return .row(
                nil, "<a href=\"\(address)\"><bdi>\(tenant.id.rawValue)</bdi></a>",
                about: tenant.configuration.displayName.map { "<bdi>\($0)</bdi>" })
        }
        let next =
            reply.hasMore
            ? reply.tenants.last.map { ConsoleVisit.address(visit.settingsPath, [("after", $0.id.rawValue)]) } : nil
        return """
            \(HTML.panel(settingTexts.tenantsOfProject, rows))
            \(next.map { "<p>\(HTML.buttonLink(to: $0, texts.nextPage, .plain))</p>" as HTML })
            """
    }

    // MARK: An area

    func settingsPage(_ form: SettingsForm, refusal: String? = nil, at invalid: String? = nil) -> HTTPResponse {
        let about = form.area.texts(settingTexts)
        let fields = form.fields.map { input(for: $0, in: form, error: $0.id == invalid ? refusal : nil) }
        let content: HTML =
            visit.role >= .administrator
            ? settingsForm("review", form, [], "\(fields)<p>\(HTML.button(texts.review))</p>")
            : facts(
                form.fields.map { field in
                    fact(field.texts(settingTexts).label, lines(shown(form.text(of: field), field, in: form)))
                })
        return respond(
            about.label, at: visit.settingsPath, status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: invalid) })
            <p>\(about.hint ?? "")</p>
            \(form.stored.realm.tenant.map { "<p><strong>\(settingTexts.settingsOfTenant($0.rawValue))</strong></p>" as HTML })
            \(content)
            <p>\(HTML.buttonLink(
                to: ConsoleVisit.address(visit.settingsPath, visit.settingsItems(nil)), texts.settings, .quiet))</p>
            """)
    }

    private func settingsForm(
        _ step: String, _ form: SettingsForm, _ items: [(name: String, value: String?)], _ content: HTML
    ) -> HTML {
        self.form(
            "\(visit.settingsPath)/\(step)",
            visit.settingsItems(form.area) + [("revision", String(form.stored.revision))] + items, content)
    }

    func reviewPage(_ form: SettingsForm, changed document: JSONValue) -> HTTPResponse {
        let stored = form.stored
        let changes = stored.owner.changes(from: stored.document, to: document)
        let kept = form.changed.map { (name: $0.id, value: Optional(form.text(of: $0))) }
        let save = settingsForm("save", form, kept, "<p>\(HTML.button(visit.language.accountTexts.save))</p>")
        let content: HTML =
            changes.isEmpty
            ? "<p>\(texts.noChanges)</p>" : "\(changesTable(changes, in: form.stored))\(save)"
        let back = ConsoleVisit.address(visit.settingsPath, visit.settingsItems(form.area))
        return respond(
            texts.review, at: visit.settingsPath,
            """
            \(content)
            <p>\(HTML.buttonLink(to: back, visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }

    func changesTable(_ changes: [SettingChange], in stored: StoredSettings) -> HTML {
        table(
            texts.review, [texts.setting, texts.before, texts.after],
            changes.map { change in
                func text(_ value: String) -> HTML {
                    lines(change.field.map { shown(value, $0, of: stored) } ?? (value.isEmpty ? "–" : value))
                }
                let label: HTML =
                    change.field.map { "\($0.texts(settingTexts).label)" } ?? "<bdi>\(change.path)</bdi>"
                return [label, text(change.before), text(change.after)]
            })
    }

    func lines(_ text: String) -> HTML {
        "\(text.pieces(at: "\n").map { "<bdi>\(String($0))</bdi><br />" as HTML })"
    }

    // MARK: Words

    private func label(of word: SettingField.Word) -> String {
        let account = visit.language.accountTexts
        return switch word {
        case .on: account.on
        case .off: account.off
        case .optional: settingTexts.optional
        case .mandatory: settingTexts.mandatory
        case .light: settingTexts.light
        case .dark: settingTexts.dark
        case .both: settingTexts.both
        }
    }

    private func shown(_ text: String, _ field: SettingField, in form: SettingsForm) -> String {
        shown(text, field, of: form.stored)
    }

    /// The text of a form as a reader sees it.
    private func shown(_ text: String, _ field: SettingField, of stored: StoredSettings) -> String {
        guard text != SettingField.unset else { return standard(of: field, stored) ?? "–" }
        switch field.kind {
        case .choice, .messageFactor: return SettingField.Word(rawValue: text).map(label) ?? text
        case .number, .text, .longText, .lines, .pairs: return text
        }
    }

    /// What holds without the setting, in words.
    private func standard(of field: SettingField, _ stored: StoredSettings) -> String? {
        if stored.owner == .tenant, field.isInherited(in: stored.document) {
            return settingTexts.standard(settingTexts.fromProject)
        }
        switch field.standard {
        case .word(let word): return settingTexts.standard(label(of: word))
        case .number(let number): return settingTexts.standard(String(number))
        case .none: return nil
        }
    }

    // MARK: Fields

    private func input(for field: SettingField, in form: SettingsForm, error: String?) -> HTML {
        let texts = field.texts(settingTexts)
        let text = form.text(of: field)
        let standard = standard(of: field, form.stored)
        switch field.kind {
        case .choice(let options):
            let all = [(SettingField.unset, standard ?? settingTexts.unset)] + options.map { named($0.word) }
            return control(field.id, texts.label, hint: texts.hint, error, choiceControl(all, selected: text))
        case .messageFactor:
            let all = SettingField.factorStates.map { named($0.word) }
            return control(field.id, texts.label, hint: texts.hint, error, choiceControl(all, selected: text))
        case .number, .text:
            let isNumber = if case .number = field.kind { true } else { false }
            let hint = [texts.hint, standard].compactMap(\.self).joined(separator: " ")
            return PageField(id: field.id, label: texts.label) { item in
                item.inputMode = isNumber ? "numeric" : nil
                item.maximumLength = isNumber ? 5 : 2000
                item.value = text
                item.hint = hint.isEmpty ? nil : "\(hint)"
                item.error = error
                item.isVerbatim = true
            }.html
        case .longText, .lines, .pairs:
            let isList = if case .longText = field.kind { false } else { true }
            return control(field.id, texts.label, hint: texts.hint, error, areaControl(text, isCode: isList))
        }
    }

    private func named(_ word: SettingField.Word) -> (String, String) { (word.rawValue, label(of: word)) }

    /// A control with its label above it, and its error and its hint below it.
    func control(
        _ id: String, _ label: String, hint: String?, _ error: String?, _ content: (_ attributes: HTML) -> HTML
    ) -> HTML {
        let described = (error == nil ? [] : ["\(id)-error"]) + (hint == nil ? [] : ["\(id)-hint"])
        let description: HTML? =
            described.isEmpty ? nil : #" aria-describedby="\#(described.joined(separator: " "))""#
        let mark: HTML? = error.map { _ in #" aria-invalid="true""# }
        return """
            <div class="field"><label for="\(id)">\(label)</label>\
            \(content(#" id="\#(id)" name="\#(id)"\#(description)\#(mark)"#))\
            \(error.map { #"<p class="error" id="\#(id)-error">\#($0)</p>"# as HTML })\
            \(hint.map { #"<p class="hint" id="\#(id)-hint">\#($0)</p>"# as HTML })</div>
            """
    }

    private func choiceControl(_ options: [(String, String)], selected: String) -> (HTML) -> HTML {
        let rows = options.map { value, label -> HTML in
            let mark: HTML = value == selected ? #" selected="selected""# : ""
            return #"<option value="\#(value)"\#(mark)>\#(label)</option>"#
        }
        return { attributes in "<select\(attributes)>\(rows)</select>" }
    }

    /// - Parameter isCode: of values that have one direction in every language.
    func areaControl(_ text: String, isCode: Bool) -> (HTML) -> HTML {
        let direction: HTML = isCode ? #" dir="ltr""# : #" dir="auto""#
        // The first line break behind the tag is not part of the text.
        return { attributes in "<textarea\(attributes) spellcheck=\"false\"\(direction)>\n\(text)</textarea>" }
    }
}
