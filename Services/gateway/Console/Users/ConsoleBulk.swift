import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// Acts on many accounts: the page before them, and the work itself.
extension ConsolePages {
    static let bulkRoutes: [ConsoleRoute] = ConsoleBulkAct.allCases.flatMap { bulk in
        let (path, act) = (projectPattern("users/\(bulk.rawValue)"), bulk.act)
        return [
            ConsoleRoute.get(path, .project, role: act.role, fresh: act.needsFreshSession) { visit in
                let selection = try ConsoleSelection(visit)
                return visit.view.bulkPage(bulk, selection, try await targets(of: selection, for: act, visit))
            },
            ConsoleRoute.post(path, .project, role: act.role, fresh: act.needsFreshSession) { visit in
                let selection = try ConsoleSelection(visit)
                let work = ConsoleWork(
                    .act(bulk), of: visit.session.operator.accountID, in: try visit.realm)
                return try begin(work, visit) { work in await perform(bulk, selection, visit, work) }
            },
        ]
    }

    /// So many accounts change at a time, before the operator is looked up again.
    private static let accountsPerBatch = 20

    private static func targets(
        of selection: ConsoleSelection, for act: ConsoleAct, _ visit: ConsoleVisit
    ) async throws -> ConsoleTargets {
        let realm = try visit.realm
        var found = ConsoleTargets()
        switch selection {
        case .accounts(let ids):
            let reply = try await visit.call.send(
                Identity.FindAccounts(realm: realm, criteria: ids.map { .accountID($0) }))
            found.add(reply.accounts, for: act)
        case .matching(let criterion):
            var cursor: Identity.SearchAccounts.Cursor?
            repeat {
                let reply = try await visit.call.send(
                    Identity.SearchAccounts(
                        realm: realm, criterion: criterion, after: cursor,
                        limit: Identity.SearchAccounts.maximumCount))
                found.add(reply.accounts, for: act)
                cursor = reply.next
                // A text has no further pages.
                if reply.hasMore, cursor == nil { found.isCut = true }
            } while cursor != nil && !found.isCut
        }
        return found
    }

    private static func perform(
        _ bulk: ConsoleBulkAct, _ selection: ConsoleSelection, _ visit: ConsoleVisit, _ work: ConsoleWork
    ) async -> ConsoleWork.Outcome {
        do {
            let targets = try await targets(of: selection, for: bulk.act, visit).targets
            work.change { $0.total = targets.count }
            for start in stride(from: 0, to: targets.count, by: accountsPerBatch) {
                guard !work.isStopping else { return .stopped }
                guard try await visit.mayStill(bulk.act.role) else { return .forbidden }
                await withTaskGroup { group in
                    for target in targets.dropFirst(start).prefix(accountsPerBatch) {
                        group.addTask {
                            do {
                                _ = try await perform(bulk.act, on: target, in: work.realm, visit)
                            } catch {
                                work.fail(target.name, error)
                            }
                            work.change { $0.done += 1 }
                        }
                    }
                }
            }
            return .complete
        } catch {
            return .failed(work.failure(error, visit))
        }
    }
}

/// Which accounts an act is for.
enum ConsoleSelection: Sendable {
    case accounts([AccountID])
    case matching(Identity.SearchAccounts.Criterion)

    /// The field of a form with the chosen accounts.
    static let field = "chosen"

    /// The parameters `id` of an address, or a field of a form; without them the filter.
    /// - Throws: `ConsoleRefusal.notFound`.
    init(_ visit: ConsoleVisit) throws(ConsoleRefusal) {
        var ids: [String]
        if let text = visit.form[Self.field].nilIfEmpty {
            // `try?`: no page has such a field.
            guard let chosen = try? WireJSON.decode([String].self, from: Data(text.utf8)) else { throw .notFound }
            ids = chosen
        } else {
            ids = visit.call.request.queryItems.filter { $0.name == "id" }.map(\.value)
        }
        ids = ids.filter { !$0.isEmpty }
        guard ids.count <= Identity.FindAccounts.maximumCriteria, ids.allSatisfy({ $0.utf8.count <= 512 }) else {
            throw .notFound
        }
        guard ids.isEmpty else {
            self = .accounts(ids.map { AccountID($0) })
            return
        }
        guard let criterion = ConsoleUserQuery(visit).criterion else { throw .notFound }
        self = .matching(criterion)
    }

    /// The value of the field; nil for a filter.
    var text: String? {
        switch self {
        case .matching: nil
        case .accounts(let ids):
            // `try?`: a list of texts is always JSON.
            (try? WireJSON.encode(ids.map(\.rawValue))).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    var userTexts: PageTexts.ConsoleUsers { visit.language.consoleUserTexts }

    fileprivate func bulkPage(
        _ bulk: ConsoleBulkAct, _ selection: ConsoleSelection, _ found: ConsoleTargets
    ) -> HTTPResponse {
        let message = bulk.message(userTexts)
        let list = path("users")
        let items = [(name: "tenant", value: visit.value("tenant"))] + ConsoleUserQuery(visit).items
        let cancel = HTML.buttonLink(
            to: ConsoleVisit.address(list, items), visit.all.passkeyPage.cancel, .quiet)
        guard !found.targets.isEmpty else {
            return respond(
                message.title, at: list,
                """
                <p>\(userTexts.nothingToDo)</p>
                \(skipped(found))
                <p>\(cancel)</p>
                """)
        }
        let shown = found.targets.prefix(20).map { "<li><bdi>\($0.name)</bdi></li>" as HTML }
        let more: HTML? = found.targets.count > shown.count ? "<li>…</li>" : nil
        let kept: [(name: String, value: String?)] = items + [(ConsoleSelection.field, selection.text)]
        return respond(
            message.title, at: list,
            """
            <p><strong>\(userTexts.countOfUsers(found.targets.count))</strong></p>
            <ul>\(shown)\(more)</ul>
            \(skipped(found))
            \(found.isCut ? HTML.note(.warn, "<p>\(userTexts.onlyFirst(found.targets.count))</p>") : "")
            <p id="consequence">\(message.body)</p>
            \(form(
                path("users/\(bulk.rawValue)"), kept,
                .button(message.title, bulk.act.buttonKind, describedBy: "consequence")))
            <p>\(cancel)</p>
            """)
    }

    private func skipped(_ found: ConsoleTargets) -> HTML? {
        found.skipped == 0 ? nil : "<p>\(userTexts.skipped(found.skipped))</p>"
    }

    /// The address of a page of the project.
    func path(_ page: String) -> String { visit.project.map { ConsolePages.path($0, page) } ?? ConsolePages.path }

    /// The list of users as a form with which some are chosen, for those who may act.
    func choosing(_ query: ConsoleUserQuery, _ list: HTML) -> HTML {
        let offered = ConsoleBulkAct.allCases.filter { $0.act.role <= visit.role }
        guard let first = offered.first else { return list }
        let kept = ([(name: "tenant", value: visit.item("tenant"))] + query.items).compactMap { item in
            item.value.map { (name: item.name, value: $0) }
        }
        let buttons = offered.map { bulk -> HTML in
            let kind: PageButtonKind = bulk == .delete ? .danger : .plain
            return """
                <button type="submit" class="\(kind.rawValue)" formaction="\(path("users/\(bulk.rawValue)"))" \
                aria-describedby="act-on-users">\(bulk.message(userTexts).title)</button>
                """
        }
        return """
            <form method="get" action="\(path("users/\(first.rawValue)"))">
            \(HTML.hidden(kept))
            \(list)
            <p id="act-on-users">\(userTexts.choosing)</p>
            <div class="actions">\(buttons)</div>
            </form>
            """
    }

    func choiceBox(_ account: Account) -> HTML {
        #"<input type="checkbox" name="id" value="\#(account.id.rawValue)" aria-label="\#(userTexts.choose(account.consoleName))" />"#
    }
}
