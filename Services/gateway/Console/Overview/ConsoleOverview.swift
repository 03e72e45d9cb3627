import Contracts
import HTTPServer
import Pages
import ServiceRuntime
import Vocabulary

/// The first page, and the one of each project: what needs attention, and what was counted.
extension ConsolePages {
    static let overviewRoutes: [ConsoleRoute] = [
        .get(path, .anyProject, openOverview), .get(projectPattern("activity"), .project, openProjectOverview),
    ]

    /// For what the page also shows without.
    private static let timeout = Duration.seconds(2)
    /// Those with the highest cost of today whose budgets are read.
    private static let budgetsPerPage = 10

    private static func openOverview(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let visitor = visit.session.operator
        let missing = await HealthRoutes.missing(visit.call).map { ConsoleFinding.serviceAway($0) }
        // An operator of projects sees what was counted there, on their pages.
        guard visitor.role(in: nil) != nil else {
            return visit.view.overviewPage(missing, nil, visitor.grants.compactMap(\.project), [])
        }
        let gateway = visit.call.gateway
        async let numbers = numbers(of: nil, visit)
        async let projects = visit.call.send(Identity.ListProjects(limit: Identity.ListProjects.maximumCount))
        async let records = visit.call.send(
            Identity.ListAuditRecords(action: "configuration.changed", limit: 10))
        let shown = try await numbers
        let status = gateway.meshStatus
        var found = missing
        found += status.outages.map {
            ConsoleFinding.componentAway(process: $0.instance, component: $0.component, reason: $0.reason)
        }
        found += await findings(shown, spendingOf: shown.costsOfToday.map(\.project), visit)
        found += status.exampleSettings.map { ConsoleFinding.exampleSetting($0.setting) }
        return visit.view.overviewPage(
            found, shown, try await projects.projects.map(\.id), try await records.records)
    }

    private static func openProjectOverview(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        guard let project = visit.project else { throw ConsoleRefusal.notFound }
        async let numbers = numbers(of: project, visit)
        // `try?`: a finding says so.
        async let providers = try? visit.call.send(
            Federation.ListProviders(
                realm: Realm(project: project), list: .saml, pageSize: Federation.ListProviders.maximumPageSize),
            timeout: timeout
        ).providers
        let shown = try await numbers
        let now = visit.call.gateway.dependencies.wallTime()
        let certificates =
            await providers.map { ConsoleFinding.certificates(of: $0, at: now) }
            ?? [.serviceAway(.federation)]
        return visit.view.overviewPage(
            await findings(shown, spendingOf: [project], visit) + certificates, shown, [], [])
    }

    /// What was counted in the chosen span, in the last hour, and on the last days.
    private static func numbers(of project: ProjectID?, _ visit: ConsoleVisit) async throws -> OverviewNumbers {
        let span = visit.item("span").flatMap { Identity.ReadActivity.Span(rawValue: $0) } ?? .day
        var replies: [Identity.ReadActivity.Span: Identity.ReadActivity.Reply] = [:]
        for span in Set([span, .hour, .month]) {
            do {
                replies[span] = try await visit.call.send(
                    Identity.ReadActivity(project: project, span: span), timeout: timeout)
            } catch let error as ServiceError where error.code == .projectNotFound {
                throw error
            } catch {
                // An overview without numbers is better than none. A finding says that they are missing.
                continue
            }
        }
        func activity(_ span: Identity.ReadActivity.Span) -> ConsoleActivity? {
            replies[span].map { ConsoleActivity($0, span: span) }
        }
        return OverviewNumbers(
            span: span, chosen: activity(span), hour: activity(.hour), days: activity(.month),
            costsOfToday: replies[.month]?.costsOfToday ?? [])
    }

    /// - Parameter projects: those whose budgets are read; most installations have few with any cost.
    private static func findings(
        _ numbers: OverviewNumbers, spendingOf projects: [ProjectID], _ visit: ConsoleVisit
    ) async -> [ConsoleFinding] {
        var findings: [ConsoleFinding] = numbers.areComplete ? [] : [.numbersMissing]
        findings += numbers.hour.map { ConsoleFinding.failures(in: $0) } ?? []
        // Without numbers any project may have had costs.
        for project in projects.prefix(budgetsPerPage)
        where numbers.days.map({ $0.value([.smsCostMicros]) > 0 }) ?? true {
            do {
                let status = try await visit.call.send(MFASMS.ReadSendingStatus(project: project), timeout: timeout)
                if let finding = ConsoleFinding.spending(of: project, status) { findings.append(finding) }
            } catch {
                // The others would wait as long.
                findings.append(.serviceAway(.mfaSMS))
                break
            }
        }
        return findings
    }
}

/// What a page of the overview shows.
struct OverviewNumbers: Sendable {
    var span: Identity.ReadActivity.Span
    /// Nil: identity did not reply with them. They are not shown as zero.
    var chosen: ConsoleActivity?
    var hour: ConsoleActivity?
    var days: ConsoleActivity?
    var costsOfToday: [Identity.ReadActivity.ProjectCost]

    var areComplete: Bool { chosen != nil && hour != nil && days != nil }
}
