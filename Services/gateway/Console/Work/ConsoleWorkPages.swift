import Contracts
import HTTPServer
import Pages
import UserFiles
import Vocabulary

/// The page of long work: its progress, and then its result. Without a script it is read again by a header field.
extension ConsolePages {
    static let workRoutes: [ConsoleRoute] = [
        .get(projectPattern("work"), .project) { visit in
            guard let work = find(visit) else { return visit.view.unknownWorkPage() }
            return visit.view.workPage(work)
        },
        .post(projectPattern("work/stop"), .project) { visit in
            guard let work = find(visit) else { return visit.view.unknownWorkPage() }
            work.change { $0.isStopping = true }
            return visit.redirect(to: path(work.realm.project, "work"), [("id", work.id)])
        },
    ]

    static func find(_ visit: ConsoleVisit) -> ConsoleWork? {
        visit.call.gateway.works.find(visit.value("id"), of: visit.session.operator.accountID, in: visit.project)
    }

    /// Begins the work and leads to its page.
    static func begin(
        _ work: ConsoleWork, _ visit: ConsoleVisit,
        _ body: @escaping @Sendable (ConsoleWork) async -> ConsoleWork.Outcome
    ) throws(ConsoleRefusal) -> HTTPResponse {
        try visit.call.gateway.works.start(work, body)
        return visit.redirect(to: path(work.realm.project, "work"), [("id", work.id)])
    }
}

extension ConsoleVisit {
    /// Whether the session goes on, and the role still permits the work.
    func mayStill(_ role: Identity.OperatorRole) async throws -> Bool {
        guard let held = try await call.consoleSession()?.operator.role(in: project) else { return false }
        return held >= role
    }
}

extension ConsoleWork {
    /// What ended the work before its end.
    func failure(_ error: any Error, _ visit: ConsoleVisit) -> Failure {
        switch error {
        case UserImportError.file(.truncated(let position)), UserImportError.file(.malformed(let position)),
            UserImportError.file(.recordTooLong(let position)):
            return .file(record: position.number)
        case UserImportError.missingHashAlgorithm: return .missingHashAlgorithm
        case UserImportError.refused(let error): return .service(ConsoleReason(error.code), detail: error.message)
        case let error as ServiceError: return .service(ConsoleReason(error.code), detail: error.message)
        default:
            visit.call.gateway.dependencies.report(error, visit.call.trace)
            return .service(.unexpected, detail: nil)
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    /// How often a browser reads the page again.
    private static let refreshSeconds = 2

    fileprivate func unknownWorkPage() -> HTTPResponse {
        respond(
            userTexts.unknownWork.title, at: path("users"), status: 404,
            """
            <p>\(userTexts.unknownWork.body)</p>
            <p>\(HTML.buttonLink(to: path("users"), texts.users, .plain))</p>
            """)
    }

    fileprivate func workPage(_ work: ConsoleWork) -> HTTPResponse {
        let state = work.state
        let title =
            switch work.kind {
            case .act(let bulk): bulk.message(userTexts).title
            case .importing(_, let isDryRun): isDryRun ? userTexts.check : userTexts.importUsers
            }
        var response = respond(
            title, at: path("users"),
            """
            \(progress(of: work, state))
            \(result(of: work, state))
            \(failures(of: state))
            <p>\(HTML.buttonLink(to: ConsoleVisit.address(path("users"), [("tenant", work.realm.tenant?.rawValue)]), texts.users, .plain))</p>
            """)
        if state.outcome == nil { response.headers.append(("Refresh", String(Self.refreshSeconds))) }
        return response
    }

    private func progress(of work: ConsoleWork, _ state: ConsoleWork.State) -> HTML {
        let count = userTexts.progress(state.done, state.total)
        let bar: HTML? = state.total.map { total in
            """
            <progress max="\(String(max(1, total)))" value="\(String(total == 0 ? 1 : state.done))" \
            aria-label="\(count)"></progress>
            """
        }
        guard let outcome = state.outcome else {
            return """
                <p role="status">\(count)</p>
                \(bar)
                <p class="small muted">\(userTexts.lookAgain)</p>
                <div class="actions">\(HTML.buttonLink(
                    to: ConsoleVisit.address(path("work"), [("id", work.id)]), userTexts.lookNow, .plain))\
                \(form(path("work/stop"), [("id", work.id)], .button(userTexts.stop, .danger)))</div>
                """
        }
        let note: HTML =
            switch outcome {
            case .complete: HTML.note(.good, "<p role=\"status\">\(userTexts.complete)</p>")
            case .stopped: HTML.note(.warn, "<p role=\"status\">\(userTexts.stopped)</p>")
            case .forbidden: HTML.note(.bad, "<p role=\"status\">\(userTexts.roleEnded)</p>")
            case .failed(let failure): HTML.note(.bad, "<p role=\"status\">\(sentence(about: failure))</p>")
            }
        return "\(note)<p>\(count)</p>"
    }

    private func sentence(about failure: ConsoleWork.Failure) -> String {
        switch failure {
        case .file(let record): userTexts.unreadableFrom(record)
        case .missingHashAlgorithm: userTexts.hashParametersMissing
        case .service(let reason, let detail): "\(userTexts.failed) \(visit.sentence(reason, detail))"
        }
    }

    /// Of an import: its summary, and after a dry run the button for the import itself.
    private func result(of work: ConsoleWork, _ state: ConsoleWork.State) -> HTML? {
        guard case .importing(let file, let isDryRun) = work.kind, state.outcome != nil else { return nil }
        let begin: HTML? =
            isDryRun && state.outcome == .complete && state.summary.imported > 0
            ? form(
                path("users/import/begin"),
                [("id", work.id), ("tenant", work.realm.tenant?.rawValue)],
                """
                <p id="consequence">\(file.keepsExisting ? userTexts.existingAreKept : userTexts.existingAreReplaced)</p>
                \(HTML.button(userTexts.importUsers, describedBy: "consequence"))
                """) : nil
        return """
            \(importSummary(state.summary, isDryRun: isDryRun, asksForTOTP: state.asksForTOTP))
            \(begin)
            """
    }

    private func failures(of state: ConsoleWork.State) -> HTML? {
        guard state.failureCount > 0 else { return nil }
        return """
            <p>\(userTexts.failures(state.failureCount))</p>
            <ul>\(state.failures.map { "<li><bdi>\($0.account)</bdi>: \(visit.sentence($0.reason))</li>" as HTML })</ul>
            """
    }
}
