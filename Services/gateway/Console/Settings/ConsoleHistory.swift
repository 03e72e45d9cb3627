import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import Pages
import Vocabulary

/// Who changed the settings of a project or tenant, what a change was, and its reversal.
extension ConsolePages {
    static let historyRoutes: [ConsoleRoute] = [
        .get(projectPattern("settings/history"), .project, openHistory),
        .get(projectPattern("settings/change"), .project) { visit in
            visit.view.changePage(try await change(of: visit))
        },
        .post(projectPattern("settings/undo"), .project, role: .administrator, undoChange),
    ]

    /// A change that is kept, beside the settings of now.
    struct Change: Sendable {
        let stored: StoredSettings
        let revision: Identity.ConfigurationRevision
        let before: JSONValue
        let after: JSONValue

        var undo: SettingsUndo {
            SettingsUndo(from: before, to: after, in: stored.document, of: stored.owner)
        }
    }

    private static func openHistory(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let realm = try visit.realm
        let reply = try await visit.call.send(Identity.ListConfigurationRevisions(realm: realm))
        return visit.view.historyPage(reply.revisions)
    }

    private static func change(of visit: ConsoleVisit) async throws -> Change {
        let realm = try visit.realm
        let number = visit.value("change").flatMap { Int64($0) }
        let kept = try await visit.call.send(Identity.ListConfigurationRevisions(realm: realm)).revisions
        guard let revision = kept.first(where: { $0.revision == number }) else { throw ConsoleRefusal.notFound }
        let reply = try await visit.call.send(
            Identity.ReadConfigurationRevision(realm: realm, revision: revision.revision))
        guard let before = reply.before, let after = reply.after else { throw ConsoleRefusal.notFound }
        return Change(
            stored: try await StoredSettings(of: realm, visit.call), revision: revision,
            before: try before.document, after: try after.document)
    }

    private static func undoChange(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let change = try await change(of: visit)
        let stored = change.stored
        guard visit.form["revision"] == String(stored.revision) else {
            return visit.view.changePage(change, refusal: visit.texts.conflict)
        }
        let undo = change.undo
        do {
            try await stored.replace(undo.masks, of: undo.document, visit.call, client: visit.client)
        } catch let error as DocumentError {
            return visit.view.changePage(change, refusal: visit.sentence(.invalidValue, error.message))
        } catch let error as ServiceError where error.code == .configurationConflict || error.isRefusedSetting {
            let reason = error.isRefusedSetting ? visit.sentence(for: error) : visit.texts.conflict
            return visit.view.changePage(change, refusal: reason)
        }
        return visit.redirect(to: visit.settingsPath, visit.settingsItems(nil), .saved)
    }
}

extension Identity.ConfigurationSnapshot {
    fileprivate var document: JSONValue {
        get throws {
            switch self {
            case .project(let configuration): try ConfigurationDocument.jsonValue(of: configuration)
            case .tenant(let configuration): try ConfigurationDocument.jsonValue(of: configuration)
            }
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    var historyAddress: String {
        ConsoleVisit.address("\(visit.settingsPath)/history", visit.settingsItems(nil))
    }

    fileprivate func historyPage(_ revisions: [Identity.ConfigurationRevision]) -> HTTPResponse {
        let rows = revisions.map { revision -> [HTML] in
            let address = ConsoleVisit.address(
                "\(visit.settingsPath)/change",
                [("change", String(revision.revision)), ("tenant", visit.value("tenant"))])
            return [
                time(revision.at), text(revision.actor),
                "<a href=\"\(address)\">\(settingTexts.showChange)</a>",
            ]
        }
        let log = ConsoleVisit.address(
            visit.project.map { ConsolePages.path($0, "audit") } ?? ConsolePages.auditPath,
            [("action", visit.value("tenant") == nil ? "configuration.changed" : "tenant.changed")])
        return respond(
            texts.changeHistory, at: visit.settingsPath,
            """
            \(rows.isEmpty
                ? "<p>\(settingTexts.noHistory)</p>" as HTML
                : table(texts.changeHistory, [texts.time, texts.actor, texts.action], rows))
            <p>\(HTML.buttonLink(to: log, texts.audit, .quiet))\(backToSettings)</p>
            """)
    }

    private var backToSettings: HTML {
        .buttonLink(to: ConsoleVisit.address(visit.settingsPath, visit.settingsItems(nil)), texts.settings, .quiet)
    }

    fileprivate func changePage(_ change: ConsolePages.Change, refusal: String? = nil) -> HTTPResponse {
        let stored = change.stored
        let changes = stored.owner.changes(from: change.before, to: change.after)
        return respond(
            settingTexts.changeTitle, at: visit.settingsPath, status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)") })
            \(facts([
                fact(texts.time, time(change.revision.at)), fact(texts.actor, text(change.revision.actor)),
            ]))
            \(changesTable(changes, in: stored, label: settingTexts.changeTitle, before: settingTexts.former))
            \(visit.role >= .administrator ? undo(change) : nil)
            <p>\(HTML.buttonLink(to: historyAddress, texts.changeHistory, .quiet))</p>
            """)
    }

    private func undo(_ change: ConsolePages.Change) -> HTML {
        let (stored, undo) = (change.stored, change.undo)
        let logo: HTML? = undo.leavesLogo ? HTML.note(.neutral, "<p>\(settingTexts.logoStays)</p>") : nil
        let changes = stored.owner.changes(from: stored.document, to: undo.document)
        guard !changes.isEmpty else { return "\(logo)<p>\(settingTexts.isUndone)</p>" }
        let lost = Set(
            undo.overwritten.map { difference in
                changes.first { $0.field?.path(of: stored.owner)?.overlaps(difference.path) == true }
                    .map { label(of: $0) } ?? difference.mask
            }
        ).sorted().joined(separator: ", ")
        let warning = lost.isEmpty ? nil : HTML.note(.warn, "<p>\(settingTexts.overwrites(lost))</p>")
        let items: [(name: String, value: String?)] = [
            ("tenant", visit.value("tenant")), ("change", String(change.revision.revision)),
            ("revision", String(stored.revision)),
        ]
        let table = changesTable(changes, in: stored, label: settingTexts.undo, before: texts.before)
        let button = form(
            "\(visit.settingsPath)/undo", items, "<p>\(HTML.button(settingTexts.undo, .danger))</p>")
        return """
            <h2>\(settingTexts.undo)</h2>
            <p>\(settingTexts.undoBody)</p>
            \(logo)\(warning)
            \(table)
            \(button)
            """
    }
}
