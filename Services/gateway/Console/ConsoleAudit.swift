import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import Pages
import Vocabulary

/// The audit log: of a project, or of the installation.
extension ConsolePages {
    static let auditPath = "\(path)/audit"
    static let verificationPath = "\(auditPath)/verify"
    static let exportPath = "\(auditPath)/export"

    static let auditRoutes: [ConsoleRoute] = [
        .get(projectPattern("audit"), .project, openAudit), .get(auditPath, .installation, openAudit),
        .get(verificationPath, .installation) { visit in visit.view.verificationPage(nil, records: 0) },
        .post(verificationPath, .installation, verify), .get(exportPath, .installation, export),
    ]

    static let recordsPerPage = 50
    /// A request verifies as many times `Identity.VerifyAuditLog.maximumRecords`; then the operator goes on.
    private static let stepsPerRequest = 10

    private static func openAudit(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let account = visit.item("account")
        let reply = try await visit.call.send(
            Identity.ListAuditRecords(
                // An account has its records in its project.
                project: visit.project ?? visit.item("project").map { ProjectID($0) },
                tenant: visit.call.request.queryItem("tenant"),
                accountID: visit.project == nil ? nil : account.map { AccountID($0) },
                actor: visit.item("actor"), action: visit.item("action"),
                before: visit.item("before").flatMap { Int64($0) }, limit: recordsPerPage + 1))
        return visit.view.auditPage(reply.records)
    }

    /// Verifies from the position of the form, a bounded number of records.
    private static func verify(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        var position: Identity.AuditLogPosition?
        if let link = visit.form["link"].flatMap({ Int64($0) }), let chain = visit.form["chain"].nilIfEmpty {
            position = .init(link: link, chain: chain)
        }
        var reply = Identity.VerifyAuditLog.Reply(last: position, isComplete: false)
        for _ in 0..<stepsPerRequest where !reply.isComplete {
            reply = try await visit.call.send(Identity.VerifyAuditLog(after: reply.last), timeout: .seconds(20))
        }
        return visit.view.verificationPage(reply, records: reply.last?.link ?? 0)
    }

    /// A file of JSON lines, as `latchkey audit export` writes them.
    private static func export(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let start = max(0, visit.item("after").flatMap { Int64($0) } ?? 0)
        return try await visit.download("audit", role: .viewer, from: start) { after in
            let records = try await visit.call.send(Identity.ExportAuditRecords(afterLink: after)).records
            var part = Data()
            for record in records {
                part += try WireJSON.encodeSorted(record)
                part.append(UInt8(ascii: "\n"))
            }
            let isLast = records.count < Identity.ExportAuditRecords.maximumRecords
            return (part, isLast ? nil : records.last?.link)
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    private var auditPath: String { visit.project.map { ConsolePages.path($0, "audit") } ?? ConsolePages.auditPath }

    /// - Parameter records: one more than a page has, if there is a next one.
    fileprivate func auditPage(_ records: [Identity.AuditLogRecord]) -> HTTPResponse {
        let shown = Array(records.prefix(ConsolePages.recordsPerPage))
        let names = ["account", "actor", "action"].filter { visit.project != nil || $0 != "account" }
        let fields = names.map { name in
            PageField(id: name, label: label(of: name)) { field in
                field.isVerbatim = true
                field.maximumLength = 300
                field.value = visit.item(name)
                if name == "actor" { field.hint = "operator:ola@example.com" }
                if name == "action" { field.hint = "session.created" }
            }.html
        }
        let tenant = visit.call.request.queryItem("tenant")
        let kept: [(name: String, value: String)] = tenant.map { [("tenant", $0)] } ?? []
        var next: HTML?
        if records.count > shown.count, let last = shown.last?.sequence {
            let filters = names.map { (name: $0, value: visit.item($0)) }
            let items: [(name: String, value: String?)] =
                filters + [(name: "tenant", value: tenant), (name: "before", value: String(last))]
            next = "<p>\(HTML.buttonLink(to: ConsoleVisit.address(auditPath, items), texts.nextPage, .plain))</p>"
        }
        let ofLog: HTML? =
            visit.project != nil
            ? nil
            : """
            <div class="actions">\(HTML.buttonLink(to: ConsolePages.verificationPath, texts.verifyLog, .plain))\
            \(HTML.buttonLink(to: ConsolePages.exportPath, texts.export, .plain))</div>
            """
        return respond(
            visit.project == nil ? texts.wholeAudit : texts.audit, at: auditPath,
            """
            \(search(auditPath, "\(fields)\(HTML.hidden(kept))<p>\(HTML.button(texts.filter, .plain))</p>"))
            \(ofLog)
            \(shown.isEmpty ? "<p>\(texts.noRecords)</p>" : auditTable(shown))
            \(next)
            """)
    }

    private func label(of name: String) -> String {
        switch name {
        case "account": texts.id
        case "actor": texts.actor
        default: texts.action
        }
    }

    func auditTable(_ records: [Identity.AuditLogRecord]) -> HTML {
        table(
            texts.audit, [texts.time, texts.actor, texts.action, texts.outcome, texts.user, texts.address],
            records.map { record in
                [
                    time(record.at), link("actor", record.actor), "<bdi>\(record.action)</bdi>",
                    "<bdi>\(record.outcome)\(times(record))</bdi>", account(of: record),
                    text(record.ipAddress),
                ]
            })
    }

    /// Of a record for several refusals.
    private func times(_ record: Identity.AuditLogRecord) -> String { record.count.map { " × \($0)" } ?? "" }

    /// Leads to the records with the same value.
    private func link(_ name: String, _ value: String) -> HTML {
        "<a href=\"\(ConsoleVisit.address(auditPath, [(name, value)]))\"><bdi>\(value)</bdi></a>"
    }

    private func account(of record: Identity.AuditLogRecord) -> HTML {
        guard let id = record.accountID else { return "–" }
        guard Realm.isIdentifier(record.project) else { return "<bdi>\(id)</bdi>" }
        let address = ConsoleVisit.address(
            ConsolePages.path(ProjectID(record.project), "user"), [("id", id), ("tenant", record.tenant.nilIfEmpty)])
        return "<a href=\"\(address)\"><bdi>\(id)</bdi></a>"
    }

    fileprivate func verificationPage(
        _ reply: Identity.VerifyAuditLog.Reply?, records: Int64
    ) -> HTTPResponse {
        var result: HTML?
        var rest: [(name: String, value: String?)] = []
        if let reply {
            if let violation = reply.violation {
                let words = visit.language.consoleAuditTexts
                let link: HTML? = reply.violatedLink.map { "<p>\(words.atLink(String($0)))</p>" }
                result = HTML.note(.bad, "<p role=\"status\">\(violation.sentence(words))</p>\(link)")
            } else if reply.isComplete {
                result = HTML.note(.good, "<p role=\"status\">\(texts.logVerified(String(records)))</p>")
            } else {
                result = HTML.note(.neutral, "<p role=\"status\">\(texts.logPartlyVerified(String(records)))</p>")
                rest = [("link", reply.last.map { String($0.link) }), ("chain", reply.last?.chain)]
            }
        }
        return respond(
            texts.verifyLog, at: ConsolePages.auditPath,
            """
            <p>\(texts.verifyLogBody)</p>
            \(result)
            \(form(
                ConsolePages.verificationPath, rest,
                .button(rest.isEmpty ? texts.verifyLog : visit.all.continueLabel)))
            <p>\(HTML.buttonLink(to: ConsolePages.auditPath, texts.wholeAudit, .quiet))</p>
            """)
    }
}

extension Identity.VerifyAuditLog.Violation {
    func sentence(_ texts: PageTexts.ConsoleAudit) -> String {
        switch self {
        case .missingRecord: texts.missingRecord
        case .alteredRecord: texts.alteredRecord
        case .rewrittenChain: texts.rewrittenChain
        case .unreadableCopy: texts.unreadableCopy
        case .missingCopy: texts.missingCopy
        case .outdatedCopy: texts.outdatedCopy
        }
    }
}
