import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The keys of the console, and the page with their list. The script is `ScriptFile.consoleKeys`.
extension ConsolePages {
    static let shortcutsPath = "\(path)/shortcuts"

    static let shortcutRoutes: [ConsoleRoute] = [
        .get(shortcutsPath, .anyProject) { visit in visit.view.shortcutsPage() }
    ]
}

/// A page to which `g` and a letter lead.
private struct ConsoleShortcut: Sendable {
    var letter: String
    var label: String
    /// Nil on a page without a project.
    var path: String?
}

extension ConsoleView {
    private var shortcutTexts: PageTexts.ConsoleShortcuts { visit.language.consoleShortcutTexts }

    private var shortcuts: [ConsoleShortcut] {
        let project = visit.project
        func page(_ letter: String, _ label: String, _ page: String) -> ConsoleShortcut {
            .init(letter: letter, label: label, path: project.map { ConsolePages.path($0, page) })
        }
        return [
            page("u", texts.users, "users"), page("s", texts.settings, "settings"), page("a", texts.audit, "audit"),
            .init(letter: "o", label: texts.overview, path: ConsolePages.path),
        ]
    }

    /// Where the script finds the addresses.
    var shortcutData: HTML {
        let pages = shortcuts.compactMap { shortcut in
            shortcut.path.map { #" data-\#(shortcut.letter)="\#($0)""# as HTML }
        }
        let search: HTML? = visit.project.map { #" data-search="\#(ConsolePages.path($0, "users"))""# }
        return """
            <div id="shortcuts" hidden="hidden" data-help="\(ConsolePages.shortcutsPath)"\(search)\(pages)></div>
            """
    }

    fileprivate func shortcutsPage() -> HTTPResponse {
        let keys =
            shortcuts.map { (keys: ["g", $0.letter], label: $0.label) }
            + [(["/"], texts.searchUsers), (["?"], shortcutTexts.title)]
        let rows = keys.map { keys, label -> [HTML] in
            ["\(keys.map { "<kbd>\($0)</kbd> " as HTML })", "\(label)"]
        }
        return respond(
            shortcutTexts.title, at: ConsolePages.shortcutsPath,
            """
            <p>\(shortcutTexts.about)</p>
            \(table(shortcutTexts.title, [shortcutTexts.key, shortcutTexts.page], rows))
            <p class="scripted"><label class="check"><input type="checkbox" id="shortcuts-on" checked="checked" />\
            <span>\(shortcutTexts.areOn)</span></label></p>
            """)
    }
}
