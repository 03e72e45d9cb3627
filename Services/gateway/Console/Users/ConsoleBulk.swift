import Contracts
import HTTPServer
import Pages
import UserFiles
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
        var found = ConsoleTargets()
        found.hasMore = try await visit.count(selection) { found.add($0, for: act) }
        return found
    }

    /// Changes the accounts page by page: one of them is in memory.
    private static func perform(
        _ bulk: ConsoleBulkAct, _ selection: ConsoleSelection, _ visit: ConsoleVisit, _ work: ConsoleWork
    ) async -> ConsoleWork.Outcome {
        let retry = BusyRetry()
        do {
            let counted = try await retry { try await targets(of: selection, for: bulk.act, visit) }
            if !counted.hasMore { work.change { $0.total = counted.count } }
            var cursor: Identity.SearchAccounts.Cursor?
            repeat {
                let page = try await retry { try await visit.accounts(selection, after: cursor) }
                let targets = page.accounts.filter(bulk.act.applies).map(ConsoleTarget.init)
                for start in stride(from: 0, to: targets.count, by: accountsPerBatch) {
                    guard !work.isStopping else { return .stopped }
                    guard try await retry({ try await visit.mayStill(bulk.act.role) }) else { return .forbidden }
                    await perform(bulk.act, on: targets.dropFirst(start).prefix(accountsPerBatch), visit, work)
                }
                cursor = page.next
            } while cursor != nil && !work.isStopping
            guard cursor == nil else { return .stopped }
            // Accounts have come and gone since they were counted.
            work.change { $0.total = $0.done }
            return .complete
        } catch {
            return .failed(work.failure(error, visit))
        }
    }

    private static func perform(
        _ act: ConsoleAct, on targets: ArraySlice<ConsoleTarget>, _ visit: ConsoleVisit, _ work: ConsoleWork
    ) async {
        await withTaskGroup { group in
            for target in targets {
                group.addTask {
                    do {
                        _ = try await perform(act, on: target, in: work.realm, visit)
                    } catch {
                        work.fail(target.name, error)
                    }
                    work.change { $0.done += 1 }
                }
            }
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
        guard found.count > 0 || found.hasMore else {
            return respond(
                message.title, at: list,
                """
                <p>\(userTexts.nothingToDo)</p>
                \(skipped(found))
                \(cutOff(found))
                <p>\(cancel)</p>
                """)
        }
        let shown = found.first.map { "<li><bdi>\($0.name)</bdi></li>" as HTML }
        let more: HTML? = found.count > shown.count || found.hasMore ? "<li>…</li>" : nil
        let count = found.hasMore ? userTexts.atLeastUsers(found.count) : userTexts.countOfUsers(found.count)
        let kept: [(name: String, value: String?)] = items + [(ConsoleSelection.field, selection.text)]
        return respond(
            message.title, at: list,
            """
            \(found.count == 0 ? nil : "<p><strong>\(count)</strong></p><ul>\(shown)\(more)</ul>" as HTML)
            \(skipped(found))
            \(found.hasMore ? HTML.note(.warn, "<p>\(userTexts.uncounted)</p>") : nil)
            \(cutOff(found))
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

    private func cutOff(_ found: ConsoleTargets) -> HTML? {
        found.isCut ? HTML.note(.warn, "<p>\(userTexts.cutOff)</p>") : nil
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
