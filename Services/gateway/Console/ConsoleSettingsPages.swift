import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The settings of a project: a form, the differences, and then the change.
extension ConsolePages {
    static let settingsRoutes: [ConsoleRoute] = [
        .get(projectPattern("settings"), .project) { visit in
            let stored = try await configuration(of: visit)
            return visit.view.settingsPage(ConsoleSettings(stored.configuration), revision: stored.revision)
        },
        .post(projectPattern("settings/review"), .project, role: .administrator, reviewSettings),
        .post(projectPattern("settings/save"), .project, role: .administrator, saveSettings),
    ]

    private static func configuration(of visit: ConsoleVisit) async throws -> Identity.ReadConfiguration.Reply {
        guard let project = visit.project else { throw ConsoleRefusal.notFound }
        return try await visit.call.send(Identity.ReadConfiguration(project: project))
    }

    private static func reviewSettings(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let stored = try await configuration(of: visit)
        let current = ConsoleSettings(stored.configuration)
        let wanted = ConsoleSettings(visit.form, otherwise: current)
        var changed = stored.configuration
        do throws(ConsoleSettings.InvalidText) {
            try wanted.apply(to: &changed)
        } catch {
            return visit.view.settingsPage(
                wanted, revision: stored.revision, refusal: visit.texts.badLine(error.text), of: error.field)
        }
        return visit.view.reviewPage(wanted, from: current, revision: stored.revision)
    }

    private static func saveSettings(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let stored = try await configuration(of: visit)
        let current = ConsoleSettings(stored.configuration)
        let wanted = ConsoleSettings(visit.form, otherwise: current)
        guard let revision = visit.form["revision"].flatMap({ Int64($0) }), revision == stored.revision,
            let project = visit.project
        else { return visit.view.settingsPage(current, revision: stored.revision, refusal: visit.texts.conflict) }
        var changed = stored.configuration
        do throws(ConsoleSettings.InvalidText) {
            try wanted.apply(to: &changed)
        } catch {
            return visit.view.settingsPage(
                wanted, revision: stored.revision, refusal: visit.texts.badLine(error.text), of: error.field)
        }
        do {
            _ = try await visit.call.send(
                Identity.ReplaceConfiguration(
                    project: project, configuration: changed, expectedRevision: revision, client: visit.client))
        } catch let error as ServiceError where error.code == .configurationConflict {
            return visit.view.settingsPage(current, revision: revision, refusal: visit.texts.conflict)
        } catch let error as ServiceError where refusedSettings.contains(error.code) {
            return visit.view.settingsPage(
                wanted, revision: revision, refusal: error.message ?? visit.texts.refused.body)
        }
        return visit.redirect(to: path(project, "settings"), [], .saved)
    }

    private static let refusedSettings: Set<WireError.Code> = [
        .invalidConfiguration, .invalidTestPhoneNumber, .invalidAdjacentIntervalRange,
    ]
}

// MARK: - HTML

extension ConsoleView {
    private func path(_ page: String) -> String {
        visit.project.map { ConsolePages.path($0, page) } ?? ConsolePages.path
    }

    fileprivate func settingsPage(
        _ settings: ConsoleSettings, revision: Int64, refusal: String? = nil, of invalid: ConsoleSettings.Field? = nil
    ) -> HTTPResponse {
        let fields = ConsoleSettings.Field.allCases.map { field($0, settings[$0], isInvalid: $0 == invalid) }
        let content: HTML =
            visit.role >= .administrator
            ? form(
                path("settings/review"), [("revision", String(revision))],
                "\(fields)<p>\(HTML.button(texts.review))</p>")
            : facts(ConsoleSettings.Field.allCases.map { fact(label(of: $0), "\(shown($0, settings[$0]))") })
        let history = ConsoleVisit.address(path("audit"), [("action", "configuration.changed")])
        return respond(
            texts.settings, at: path("settings"), status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: (invalid ?? .passwordSignIn).rawValue) })
            \(content)
            <p>\(HTML.buttonLink(to: history, texts.changeHistory, .quiet))</p>
            """)
    }

    fileprivate func reviewPage(
        _ wanted: ConsoleSettings, from current: ConsoleSettings, revision: Int64
    ) -> HTTPResponse {
        let changed = wanted.differences(from: current)
        let rows = changed.map { field -> [HTML] in
            ["\(label(of: field))", lines(shown(field, current[field])), lines(shown(field, wanted[field]))]
        }
        let kept: [(name: String, value: String?)] = changed.map { ($0.rawValue, wanted[$0]) }
        let save = form(
            path("settings/save"), [(name: "revision", value: String(revision))] + kept,
            "<p>\(HTML.button(visit.language.accountTexts.save))</p>")
        let differences = table(texts.review, [texts.setting, texts.before, texts.after], rows)
        let content: HTML = changed.isEmpty ? "<p>\(texts.noChanges)</p>" : "\(differences)\(save)"
        return respond(
            texts.review, at: path("settings"),
            """
            \(content)
            <p>\(HTML.buttonLink(to: path("settings"), visit.all.passkeyPage.cancel, .quiet))</p>
            """)
    }

    private func lines(_ text: String) -> HTML {
        "\(text.pieces(at: "\n").map { "<bdi>\(String($0))</bdi><br />" as HTML })"
    }

    private func field(_ field: ConsoleSettings.Field, _ text: String, isInvalid: Bool) -> HTML {
        let on = visit.language.accountTexts
        switch field.kind {
        case .toggle:
            return choice(
                field.rawValue, label(of: field),
                [(ConsoleSettings.on, on.on), (ConsoleSettings.off, on.off)], selected: text)
        case .factor:
            return choice(
                field.rawValue, label(of: field),
                [
                    (ConsoleSettings.off, on.off), (ConsoleSettings.optional, texts.optional),
                    (ConsoleSettings.mandatory, texts.mandatory),
                ], selected: text)
        case .number:
            return PageField(id: field.rawValue, label: label(of: field)) { item in
                item.inputMode = "numeric"
                item.value = text
                item.hint = hint(of: field).map { "\($0)" }
                item.isInvalid = isInvalid
                item.maximumLength = 4
            }.html
        case .lines:
            let id = field.rawValue
            let mark: HTML? = isInvalid ? #" aria-invalid="true""# : nil
            return """
                <div class="field"><label for="\(id)">\(label(of: field))</label>\
                <textarea id="\(id)" name="\(id)" spellcheck="false" dir="ltr" aria-describedby="\(id)-hint"\(mark)>
                \(text)</textarea>
                <p class="hint" id="\(id)-hint">\(hint(of: field) ?? "")</p></div>
                """
        }
    }

    private func shown(_ field: ConsoleSettings.Field, _ text: String) -> String {
        switch text {
        case ConsoleSettings.on: visit.language.accountTexts.on
        case ConsoleSettings.off: visit.language.accountTexts.off
        case ConsoleSettings.optional: texts.optional
        case ConsoleSettings.mandatory: texts.mandatory
        case "": "–"
        default: text
        }
    }

    private func label(of field: ConsoleSettings.Field) -> String {
        switch field {
        case .passwordSignIn: texts.passwordSignIn
        case .linkSignIn: texts.linkSignIn
        case .codeSignIn: texts.codeSignIn
        case .phoneSignIn: texts.phoneSignIn
        case .anonymousSignIn: texts.anonymousSignIn
        case .selfSignUp: texts.selfSignUp
        case .appFactor: texts.appFactor
        case .smsFactor: texts.smsFactor
        case .minimumLength: texts.minimumLength
        case .domains: texts.domains
        case .testNumbers: texts.testNumbers
        }
    }

    private func hint(of field: ConsoleSettings.Field) -> String? {
        switch field {
        case .minimumLength: texts.minimumLengthHint
        case .domains: texts.domainsHint
        case .testNumbers: texts.testNumbersHint
        case .passwordSignIn, .linkSignIn, .codeSignIn, .phoneSignIn, .anonymousSignIn, .selfSignUp, .appFactor,
            .smsFactor:
            nil
        }
    }
}
