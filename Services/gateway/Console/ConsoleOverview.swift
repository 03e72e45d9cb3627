import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The first page: what needs attention, the projects of the operator, and what was changed lately.
extension ConsolePages {
    static let overviewRoutes: [ConsoleRoute] = [.get(path, .anyProject, openOverview)]

    private static func openOverview(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let missing = await HealthRoutes.missing(visit.call)
        let gateway = visit.call.gateway
        let outages = gateway.metricsAggregator.outages(at: gateway.dependencies.now())
        let projects = try await projects(of: visit)
        let isOfInstallation = visit.session.operator.role(in: nil) != nil
        let records =
            isOfInstallation
            ? try await visit.call.send(Identity.ListAuditRecords(action: "configuration.changed", limit: 10)).records
            : []
        return visit.view.overviewPage(
            missing: missing.map(\.rawValue), outages: outages.map(\.shownName), projects, records)
    }

    /// Those in which the operator has a role.
    private static func projects(of visit: ConsoleVisit) async throws -> [ProjectID] {
        let found = visit.session.operator
        guard found.role(in: nil) != nil else { return found.grants.compactMap(\.project) }
        let reply = try await visit.call.send(
            Identity.ListProjects(limit: Identity.ListProjects.maximumCount))
        return reply.projects.map(\.id)
    }
}

extension ConsoleView {
    fileprivate func overviewPage(
        missing: [String], outages: [String], _ projects: [ProjectID], _ records: [Identity.AuditLogRecord]
    ) -> HTTPResponse {
        let findings =
            missing.map { HTML.note(.bad, "<p>\(texts.serviceAway($0))</p>") }
            + outages.map { HTML.note(.warn, "<p>\(texts.componentAway($0))</p>") }
        let rows = projects.map { project -> HTML in
            let role = visit.session.operator.role(in: project).map { texts.name(of: $0) } ?? ""
            return .row(
                .person, "<bdi>\(project.rawValue)</bdi>", about: "\(role)",
                actions: [
                    .buttonLink(to: ConsolePages.path(project, "users"), texts.users, .plain),
                    .buttonLink(to: ConsolePages.path(project, "settings"), texts.settings, .quiet),
                    .buttonLink(to: ConsolePages.path(project, "audit"), texts.audit, .quiet),
                ])
        }
        let changes: HTML? =
            records.isEmpty ? nil : "<h2>\(texts.latestChanges)</h2>\(auditTable(records))"
        return respond(
            texts.overview, at: ConsolePages.path,
            """
            <h2>\(texts.attention)</h2>
            \(findings.isEmpty ? [HTML.note(.good, "<p>\(texts.allWell)</p>")] : findings)
            \(HTML.panel(texts.projects, rows))
            \(changes)
            """)
    }
}
