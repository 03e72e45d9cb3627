import Contracts
import HTTPServer
import Pages
import ServiceRuntime
import Vocabulary

extension ConsoleView {
    private var overview: PageTexts.Overview { visit.language.overviewTexts }
    private var language: Language { visit.language }
    private var overviewPath: String { visit.project.map { ConsolePages.path($0, "activity") } ?? ConsolePages.path }

    /// - Parameter numbers: nil where the operator sees no numbers of the whole installation.
    func overviewPage(
        _ findings: [ConsoleFinding], _ numbers: OverviewNumbers?, _ projects: [ProjectID],
        _ records: [Identity.AuditLogRecord]
    ) -> HTTPResponse {
        let rows = projects.map { project -> HTML in
            let role = visit.session.operator.role(in: project).map { texts.name(of: $0) } ?? ""
            return .row(
                .person, "<bdi>\(project.rawValue)</bdi>", about: "\(role)",
                actions: [
                    .buttonLink(to: ConsolePages.path(project, "users"), texts.users, .plain),
                    .buttonLink(to: ConsolePages.path(project, "activity"), overview.activity, .quiet),
                    .buttonLink(to: ConsolePages.path(project, "settings"), texts.settings, .quiet),
                    .buttonLink(to: ConsolePages.path(project, "audit"), texts.audit, .quiet),
                ])
        }
        let list: HTML? = rows.isEmpty ? nil : .panel(texts.projects, rows)
        let changes: HTML? = records.isEmpty ? nil : "<h2>\(texts.latestChanges)</h2>\(auditTable(records))"
        return respond(
            visit.project == nil ? texts.overview : overview.activity, at: overviewPath,
            """
            <h2>\(texts.attention)</h2>
            \(findings.isEmpty ? [HTML.note(.good, "<p>\(overview.nothingToDo)</p>")] : findings.map(note))
            \(numbers?.days.map(tiles))
            \(numbers.map(spans))
            \(numbers.flatMap { numbers in numbers.chosen.map { charts($0, of: numbers.span) } })
            \(numbers.flatMap(costs))
            \(list)
            \(changes)
            """)
    }

    private func note(_ finding: ConsoleFinding) -> HTML {
        let sentence =
            switch finding {
            case .serviceAway(let service): texts.serviceAway(service.rawValue)
            case .componentAway(let process, let component, let reason):
                texts.componentAway([process, component, reason].joined(separator: " · "))
            case .requestsFail(let failed, let all):
                overview.requestsFailing(language.number(failed), language.number(all))
            case .messagesFail(.email, let failed, let all):
                overview.emailsFailing(language.number(failed), language.number(all))
            case .messagesFail(.sms, let failed, let all):
                overview.smsFailing(language.number(failed), language.number(all))
            case .messagesFail(.push, let failed, let all):
                overview.pushesFailing(language.number(failed), language.number(all))
            case .spendingNearBudget(let project, let spent, let budget, let isOfDay):
                (isOfDay ? overview.spentOfDay : overview.spentOfHour)(
                    project.rawValue, language.amount(micros: spent), language.amount(micros: budget))
            case .numbersMissing: overview.numbersMissing
            case .certificateEnds(let provider, let end): overview.certificateEnds(provider, language.date(end))
            case .exampleSetting(let setting): overview.exampleSetting(setting)
            }
        return .note(finding.isUrgent ? .bad : .warn, "<p>\(sentence)</p>")
    }

    // MARK: Figures

    private func tiles(_ days: ConsoleActivity) -> HTML {
        let methods = ActivityCounter.SignInMethod.allCases
        let refused = days.value(ActivityCounter.signIns(methods, [.refused]))
        let all = days.value(ActivityCounter.signIns(methods, ActivityCounter.Outcome.allCases))
        func inMonth(_ counters: [ActivityCounter]) -> String {
            overview.inMonth(language.number(days.total(counters)))
        }
        return .tiles([
            .tile(
                overview.signInsToday, language.number(days.value(ActivityCounter.signIns(methods))),
                about: inMonth(ActivityCounter.signIns(methods))),
            .tile(
                overview.signUpsToday, language.number(days.value(ActivityCounter.signUps)),
                about: inMonth(ActivityCounter.signUps)),
            .tile(
                overview.refusedToday, language.number(refused),
                about: all > 0 ? "\(refused.multipliedSaturated(by: 100) / all) %" : nil),
            .tile(
                overview.smsYesterday, language.amount(micros: days.value([.smsCostMicros], back: 1)),
                about: [
                    overview.today(language.amount(micros: days.value([.smsCostMicros]))),
                    overview.inMonth(language.amount(micros: days.total([.smsCostMicros]))),
                ].joined(separator: " · ")),
            .tile(overview.slowest, duration(days.slowest(in: days.periods - 1))),
        ])
    }

    private func duration(_ entry: ActivityCounter.RequestDuration?) -> String {
        guard let entry else { return "–" }
        if let bound = entry.boundMilliseconds { return overview.atMost(language.number(bound)) }
        let last = ActivityCounter.RequestDuration.allCases.compactMap(\.boundMilliseconds).max() ?? 0
        return overview.moreThan(language.number(last))
    }

    private func spans(_ numbers: OverviewNumbers) -> HTML {
        let links = Identity.ReadActivity.Span.allCases.map { span -> HTML in
            let label =
                switch span {
                case .hour: overview.lastHour
                case .day: overview.lastDay
                case .month: overview.lastMonth
                }
            let mark: HTML? = span == numbers.span ? #" aria-current="true""# : nil
            let address = ConsoleVisit.address(overviewPath, [("span", span.rawValue)])
            return #"<a class="button plain" href="\#(address)"\#(mark)>\#(label)</a>"#
        }
        return #"<nav class="actions" aria-label="\#(overview.span)">\#(links)</nav>"#
    }

    /// What SMS cost today, by project.
    private func costs(_ numbers: OverviewNumbers) -> HTML? {
        guard !numbers.costsOfToday.isEmpty else { return nil }
        let rows = numbers.costsOfToday.map { entry -> [HTML] in
            let address = ConsolePages.path(entry.project, "activity")
            return [
                "<a href=\"\(address)\"><bdi>\(entry.project.rawValue)</bdi></a>",
                "<bdi>\(language.amount(micros: entry.micros))</bdi>",
            ]
        }
        return """
            <h2>\(overview.costsOfToday)</h2>\(.table(overview.costsOfToday, [texts.projectOfRole, overview.cost], rows))
            <p class="small muted">\(overview.currency)</p>
            """
    }

    // MARK: Charts

    private func charts(_ shown: ConsoleActivity, of span: Identity.ReadActivity.Span) -> HTML {
        let methods = ActivityCounter.SignInMethod.allCases
        let number: @Sendable (Int64) -> String = { [language] in language.number($0) }
        let amount: @Sendable (Int64) -> String = { [language] in language.amount(micros: $0) }
        func series(_ label: String, _ tone: PageChart.Tone, _ counters: [ActivityCounter]) -> PageChart.Series {
            .init(label, tone, shown.values(counters))
        }
        let tones: [PageChart.Tone] = [.first, .second, .third, .fourth, .fifth, .sixth]
        let groups = zip(ActivityCounter.SignInMethod.Group.allCases, tones).map { group, tone in
            series(name(of: group), tone, ActivityCounter.signIns(group.methods))
        }
        let factors = zip(ActivityCounter.SecondFactorMethod.allCases, tones).map { method, tone in
            series(name(of: method), tone, [.secondFactor(method, .accepted)])
        }
        let cost = chart(
            .smsCost, overview.smsCost, [series(overview.cost, .first, [.smsCostMicros])], shown, span, amount,
            empty: overview.noSMS)
        return """
            \(chart(
                .signIns, overview.signIns,
                groups + [
                    series(overview.refused, .warn, ActivityCounter.signIns(methods, [.refused])),
                    series(overview.failed, .bad, ActivityCounter.signIns(methods, [.failed])),
                ], shown, span, number))
            \(chart(.signUps, overview.signUps, [series(overview.signUps, .first, ActivityCounter.signUps)], shown, span, number))
            \(chart(
                .secondFactors, overview.secondFactors,
                factors + [
                    series(overview.refused, .warn, ActivityCounter.secondFactors(.refused)),
                    series(overview.failed, .bad, ActivityCounter.secondFactors(.failed)),
                ], shown, span, number))
            \(cost)
            <p class="small muted">\(overview.currency)</p>
            \(chart(
                .messages, overview.messages,
                [
                    series(overview.emailsDelivered, .first, [.message(.email, .delivered)]),
                    series(overview.smsDelivered, .second, [.message(.sms, .delivered)]),
                    series(overview.smsRefused, .warn, [.smsCode(.refused)]),
                    series(overview.emailsFailed, .bad, [.message(.email, .failed)]),
                    series(overview.smsFailed, .sixth, [.message(.sms, .failed)]),
                ], shown, span, number))
            \(chart(
                .requests, overview.requests,
                [
                    series(overview.answered, .first, [.request(.succeeded)]),
                    series(overview.refused, .warn, [.request(.refused)]),
                    series(overview.failed, .bad, [.request(.failed)]),
                ], shown, span, number))
            \(latency(shown, span))
            """
    }

    /// The class of the slowest requests in each period.
    private func latency(_ shown: ConsoleActivity, _ span: Identity.ReadActivity.Span) -> HTML {
        let classes = (0..<shown.periods).map { shown.slowest(in: $0) }
        let longest = ActivityCounter.RequestDuration.longerMilliseconds
        let values = classes.map { entry in entry.map { $0.boundMilliseconds ?? longest } ?? 0 }
        return chart(
            .slowest, overview.slowest, [.init(overview.slowest, .first, values)], shown, span,
            { [language, overview] value in
                value >= longest
                    ? overview.moreThan(language.number(longest / 2)) : overview.atMost(language.number(value))
            }, addsUp: false)
    }

    /// - Parameter addsUp: whether the sum over the periods says something.
    private func chart(
        _ name: OverviewChart, _ title: String, _ series: [PageChart.Series], _ shown: ConsoleActivity,
        _ span: Identity.ReadActivity.Span, _ format: @escaping @Sendable (Int64) -> String, empty: String? = nil,
        addsUp: Bool = true
    ) -> HTML {
        let labels = (0..<shown.periods).map { label(of: shown.begin(of: $0), span) }
        let totals = (0..<shown.periods).map { index in
            series.reduce(Int64(0)) { $0.addingSaturated($1.values.dropFirst(index).first ?? 0) }
        }
        let total = totals.reduce(Int64(0)) { $0.addingSaturated($1) }
        guard total > 0, let most = totals.max(), let place = totals.firstIndex(of: most) else {
            return """
                <section class="panel"><header><h2>\(title)</h2></header><div class="chart"><p class="muted">\
                \(empty ?? overview.nothing)</p></div></section>
                """
        }
        let period = labels.dropFirst(place).first ?? ""
        let words = span == .month ? overview.summaryOfDays : overview.summary
        let summary = addsUp ? words(format(total), period, format(most)) : "\(period): \(format(most))"
        return PageChart(
            id: "chart-\(name.rawValue)", title: title, summary: summary, periods: labels, series: series,
            table: visit.item("table") == name.rawValue
                ? .shown(period: texts.time)
                : .behind(
                    address: ConsoleVisit.address(
                        overviewPath, [("span", span.rawValue), ("table", name.rawValue)]),
                    label: overview.readAsTable), language: language, format: format
        ).html
    }

    /// A time of the day or a day, in UTC.
    private func label(of begin: Moment, _ span: Identity.ReadActivity.Span) -> String {
        switch span {
        case .hour, .day: String(begin.text.dropFirst(11).prefix(5))
        case .month: language.date(begin)
        }
    }

    private func name(of group: ActivityCounter.SignInMethod.Group) -> String {
        switch group {
        case .passkey: overview.passkey
        case .password: overview.password
        case .provider: overview.provider
        case .phone: overview.phone
        case .email: overview.email
        case .other: overview.other
        }
    }

    private func name(of method: ActivityCounter.SecondFactorMethod) -> String {
        switch method {
        case .totp: overview.app
        case .sms: overview.sms
        case .recoveryCode: overview.recoveryCode
        case .rememberedDevice: overview.rememberedDevice
        }
    }
}

extension ActivityCounter.RequestDuration {
    /// How high the bar of the class without a bound is: twice the highest bound.
    fileprivate static let longerMilliseconds = 2 * (allCases.compactMap(\.boundMilliseconds).max() ?? 0)
}

/// The charts of the overview. The name is in the address of a page with the table.
private enum OverviewChart: String {
    case signIns, signUps, secondFactors, smsCost, messages, requests, slowest
}
