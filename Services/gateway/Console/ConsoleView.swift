import Contracts
import HTTPServer
import Pages
import ServiceRuntime
import Vocabulary

/// The HTML that the pages of the console have in common.
struct ConsoleView: Sendable {
    let visit: ConsoleVisit

    static let branding = PageBranding(name: "Latchkey")

    var texts: PageTexts.Console { visit.texts }

    /// - Parameter path: that of the entry of the rail.
    func respond(_ title: String, at path: String, status: Int = 200, _ content: HTML) -> HTTPResponse {
        let notice = visit.item(ConsoleNotice.item).flatMap(ConsoleNotice.init)
        let found = visit.session.operator
        var script = ScriptFile.consoleKeys.onPage()
        script.submitsForm = true
        return Page(
            language: visit.language, title: title,
            content: """
                <p class="small muted"><bdi>\(found.email.rawValue)</bdi> · \(texts.name(of: visit.role))</p>
                \(notice.map { HTML.note(.good, "<p role=\"status\">\($0.sentence(texts))</p>") })
                \(content)
                <p class="small"><a href="\(ConsolePages.shortcutsPath)">\(visit.language.consoleShortcutTexts.title)</a></p>
                \(shortcutData)
                """, layout: .rail(rail(current: path)), branding: Self.branding, status: status, script: script
        ).response
    }

    private func rail(current: String) -> PageRail {
        var entries: [PageRail.Entry] = [.init(path: ConsolePages.path, label: texts.overview, icon: .globe)]
        if let project = visit.project {
            entries += [
                .init(
                    path: ConsolePages.path(project, "users"), label: texts.users, icon: .person,
                    heading: project.rawValue),
                .init(
                    path: ConsolePages.path(project, "activity"), label: visit.language.overviewTexts.activity,
                    icon: .clock),
                .init(path: ConsolePages.path(project, "settings"), label: texts.settings, icon: .shield),
                .init(
                    path: ConsolePages.path(project, "integrations"), label: visit.integrationTexts.title, icon: .link),
                .init(path: ConsolePages.path(project, "audit"), label: texts.audit, icon: .list),
                .init(
                    path: ConsolePages.path(project, "try"), label: visit.language.consoleTryTexts.title, icon: .code),
            ]
        }
        let role = visit.session.operator.role(in: nil)
        let log: (path: String, label: String, icon: PageIcon) = (ConsolePages.auditPath, texts.wholeAudit, .list)
        let operators = (path: ConsolePages.operatorsPath, label: texts.operators, icon: PageIcon.key)
        let sessions = (path: ConsolePages.sessionsPath, label: texts.yourSessions, icon: PageIcon.device)
        let passkeys = (
            path: ConsolePages.passkeysPath, label: visit.language.consolePasskeyTexts.yours, icon: PageIcon.passkey
        )
        let own = (role == nil ? [] : [log]) + (role == .administrator ? [operators] : []) + [sessions, passkeys]
        entries += own.enumerated().map { index, entry in
            .init(
                path: entry.path, label: entry.label, icon: entry.icon, heading: index == 0 ? texts.installation : nil)
        }
        return PageRail(label: texts.title, entries: entries, current: current)
    }

    // MARK: Parts

    /// A form of this session.
    func form(
        _ path: String, _ items: [(name: String, value: String?)] = [], _ content: HTML
    ) -> HTML {
        let kept = items.compactMap { item in item.value.map { (name: item.name, value: $0) } }
        return """
            <form method="post" action="\(path)">
            \(HTML.hidden([(name: HostedFlow.tokenField, value: visit.session.formToken)] + kept))
            \(content)
            </form>
            """
    }

    /// A form whose fields are in the address of the next page.
    func search(_ path: String, _ content: HTML) -> HTML {
        #"<form method="get" action="\#(path)" role="search" class="search">\#(content)</form>"#
    }

    func choice(
        _ id: String, _ label: String, _ options: [(value: String, label: String)], selected: String?,
        hint: String? = nil
    ) -> HTML {
        let rows = options.map { option -> HTML in
            let mark: HTML = option.value == selected ? #" selected="selected""# : ""
            return #"<option value="\#(option.value)"\#(mark)>\#(option.label)</option>"#
        }
        let reference: HTML? = hint == nil ? nil : #" aria-describedby="\#(id)-hint""#
        return """
            <div class="field"><label for="\(id)">\(label)</label>\
            <select id="\(id)" name="\(id)"\(reference)>\(rows)</select>\
            \(hint.map { #"<p class="hint" id="\#(id)-hint">\#($0)</p>"# as HTML })</div>
            """
    }

    func table(_ label: String, _ titles: [String], _ rows: [[HTML]]) -> HTML {
        .table(label, titles, rows)
    }

    func time(_ moment: Moment?) -> HTML { moment.map { "<bdi>\(Self.text(of: $0))</bdi>" } ?? "\(texts.never)" }

    /// `2026-11-26 14:02` in UTC.
    static func text(of moment: Moment) -> String {
        let text = String(moment.text.prefix(16))
        return text.pieces(at: "T").map(String.init).joined(separator: " ")
    }

    /// A fact with its name.
    func fact(_ name: String, _ value: HTML) -> HTML { "<dt>\(name)</dt><dd>\(value)</dd>" }

    func facts(_ facts: [HTML?]) -> HTML { "<dl>\(facts.compactMap(\.self))</dl>" }

    func text(_ value: String?) -> HTML { value.map { "<bdi>\($0)</bdi>" } ?? "–" }
}

extension PageTexts.Console {
    func name(of role: Identity.OperatorRole) -> String {
        switch role {
        case .viewer: viewer
        case .support: support
        case .administrator: administrator
        }
    }
}
