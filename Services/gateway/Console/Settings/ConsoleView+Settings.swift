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
            let address = ConsoleVisit.address(visit.settingsPath, visit.settingsItems(.area(area)))
            return .row(
                nil, "<a href=\"\(address)\">\(texts.label)</a>", about: texts.hint.map { "\($0)" })
        }
        let providers = ConsoleVisit.address("\(visit.settingsPath)/providers", visit.settingsItems(nil))
        let others: HTML = .row(
            nil, "<a href=\"\(providers)\">\(settingTexts.providers.label)</a>",
            about: settingTexts.providers.hint.map { "\($0)" })
        return respond(
            texts.settings, at: visit.settingsPath,
            """
            \(HTML.panel(title(of: stored), rows + [others]))
            \(tenants.map(tenantList))
            <p>\(HTML.buttonLink(to: historyAddress, texts.changeHistory, .quiet))</p>
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

    func settingsPage(
        _ form: SettingsForm, refusal: String? = nil, at invalid: String? = nil,
        status: MFASMS.ReadSendingStatus.Reply? = nil
    ) -> HTTPResponse {
        let about = form.subject.texts(settingTexts)
        let fields = form.fields.map { field in
            input(
                for: field, form.text(of: field), standard: standard(of: field, form.stored),
                error: field.id == invalid ? refusal : nil)
        }
        let content: HTML =
            visit.role >= .administrator
            ? settingsForm("review", form, [], "\(fields)<p>\(HTML.button(texts.review))</p>")
            : table(
                about.label, [texts.setting, texts.before],
                form.fields.map { field in
                    [
                        "\(field.texts(settingTexts).label)",
                        lines(shown(form.text(of: field), field, standard(of: field, form.stored))),
                    ]
                })
        return respond(
            about.label, at: visit.settingsPath, status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: invalid) })
            <p>\(about.hint ?? "")</p>
            \(form.stored.realm.tenant.map { "<p><strong>\(settingTexts.settingsOfTenant($0.rawValue))</strong></p>" as HTML })
            \(content)
            \(reset(form))
            \(addition(to: form.subject, form.stored, form.stored.document))
            \(status.map(messageCosts))
            <p>\(HTML.buttonLink(
                to: ConsoleVisit.address(visit.settingsPath, visit.settingsItems(nil)), texts.settings, .quiet))</p>
            """)
    }

    /// Leads to the differences that the removal of own texts makes.
    private func reset(_ form: SettingsForm) -> HTML? {
        switch form.subject {
        case .area: return nil
        case .mail, .pageTexts:
            let isOwn = form.fields.contains { field in
                field.text(in: form.stored.document, of: form.stored.owner) != SettingField.unset
            }
            guard isOwn, visit.role >= .administrator else { return nil }
            return settingsForm(
                "review", form, form.fields.map { ($0.id, SettingField.unset) },
                "<p>\(HTML.button(settingTexts.builtInText, .plain))</p>")
        }
    }

    private func settingsForm(
        _ step: String, _ form: SettingsForm, _ items: [(name: String, value: String?)], _ content: HTML
    ) -> HTML {
        self.form(
            "\(visit.settingsPath)/\(step)",
            visit.settingsItems(form.subject) + [("revision", String(form.stored.revision))] + items, content)
    }

    func reviewPage(_ form: SettingsForm, changed document: JSONValue) -> HTTPResponse {
        let stored = form.stored
        let changes = stored.owner.changes(from: stored.document, to: document)
        let kept = form.changed.map { (name: $0.id, value: Optional(form.text(of: $0))) }
        let save = settingsForm("save", form, kept, "<p>\(HTML.button(visit.language.accountTexts.save))</p>")
        let content: HTML =
            changes.isEmpty
            ? "<p>\(texts.noChanges)</p>"
            : "\(changesTable(changes, in: stored, label: texts.review, before: texts.before))\(save)"
        let back = ConsoleVisit.address(visit.settingsPath, visit.settingsItems(form.subject))
        return respond(
            texts.review, at: visit.settingsPath,
            """
            \(content)
            \(addition(to: form.subject, stored, document))
            <p>\(HTML.buttonLink(to: back, visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }

    /// - Parameters:
    ///   - label: of the table.
    ///   - before: the title of the column with the values before.
    func changesTable(
        _ changes: [SettingChange], in stored: StoredSettings, label: String, before: String
    ) -> HTML {
        table(
            label, [texts.setting, before, texts.after],
            changes.map { change in
                func text(_ value: String) -> HTML {
                    lines(
                        change.field.map { shown(value, $0, standard(of: $0, stored)) } ?? (value.isEmpty ? "–" : value)
                    )
                }
                return ["<bdi>\(self.label(of: change))</bdi>", text(change.before), text(change.after)]
            })
    }

    func label(of change: SettingChange) -> String {
        let heading = change.subject.map { "\($0.texts(settingTexts).label): " } ?? ""
        return change.field.map { heading + $0.texts(settingTexts).label } ?? change.path
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
        case .audit: settingTexts.apps.audit
        case .enforce: settingTexts.apps.enforce
        }
    }

    /// The text of a form as a reader sees it.
    func shown(_ text: String, _ field: SettingField, _ standard: String?) -> String {
        guard text != SettingField.unset else { return standard ?? "–" }
        switch field.kind {
        case .choice, .messageFactor: return SettingField.Word(rawValue: text).map(label) ?? text
        case .number, .text, .longText, .lines, .pairs, .sentences, .records: return text
        case .secret: return ""
        }
    }

    /// What holds without the setting, in words.
    private func standard(of field: SettingField, _ stored: StoredSettings) -> String? {
        if stored.owner == .tenant, field.isInherited(in: stored.document) {
            return settingTexts.standard(settingTexts.fromProject)
        }
        return self.standard(of: field)
    }

    func standard(of field: SettingField) -> String? {
        switch field.standard {
        case .word(let word): return settingTexts.standard(label(of: word))
        case .number(let number): return settingTexts.standard(String(number))
        case .none: return nil
        }
    }

    // MARK: Fields

    /// - Parameters:
    ///   - standard: what holds without the setting.
    ///   - note: a further hint.
    func input(
        for field: SettingField, _ text: String, standard: String?, note: String? = nil, error: String?
    ) -> HTML {
        let texts = field.texts(settingTexts)
        let hint = [texts.hint, note].compactMap(\.self).joined(separator: " ").nilIfEmpty
        switch field.kind {
        case .choice(let options):
            let all = [(SettingField.unset, standard ?? settingTexts.unset)] + options.map { named($0.word) }
            return control(field.id, texts.label, hint: hint, error, choiceControl(all, selected: text))
        case .messageFactor:
            let all = SettingField.factorStates.map { named($0.word) }
            return control(field.id, texts.label, hint: hint, error, choiceControl(all, selected: text))
        case .number, .text:
            let isNumber = if case .number = field.kind { true } else { false }
            let hint = [hint, standard].compactMap(\.self).joined(separator: " ")
            return PageField(id: field.id, label: texts.label) { item in
                item.inputMode = isNumber ? "numeric" : nil
                item.maximumLength = isNumber ? 5 : 2000
                item.value = text
                item.hint = hint.isEmpty ? nil : "\(hint)"
                item.error = error
                item.isVerbatim = true
            }.html
        case .secret(isLong: false):
            return PageField(id: field.id, label: texts.label) { item in
                item.kind = .password
                item.maximumLength = 2000
                item.hint = hint.map { "\($0)" }
                item.error = error
            }.html
        case .secret(isLong: true):
            return control(field.id, texts.label, hint: hint, error, areaControl("", isCode: true))
        case .longText, .lines, .pairs, .sentences, .records:
            let isList =
                switch field.kind {
                case .lines, .pairs, .records: true
                case .choice, .number, .text, .longText, .sentences, .secret, .messageFactor: false
                }
            return control(field.id, texts.label, hint: hint, error, areaControl(text, isCode: isList))
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
