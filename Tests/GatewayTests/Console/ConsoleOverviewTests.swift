import Contracts
import Pages
import ServiceRuntime
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ConsoleOverviewTests {
    private typealias Activity = Identity.ReadActivity

    private static let shop = ProjectID("shop")
    private static let midnight = Moment(milliseconds: 1_700_006_400_000)  // 2023-11-15

    private static func reply(
        _ span: Activity.Span, _ counts: [ActivityCounter: [Int64]], costs: [Activity.ProjectCost] = []
    ) -> Activity.Reply {
        let (seconds, periods): (Int64, Int) =
            switch span {
            case .hour: (60, 60)
            case .day: (3600, 24)
            case .month: (86_400, 31)
            }
        let padded = counts.map { counter, amounts in
            (counter.name, Array(repeating: Int64(0), count: periods - amounts.count) + amounts)
        }
        let start = midnight - .seconds(seconds * Int64(periods - 1))
        return .init(
            start: start, periodSeconds: seconds, periods: periods, counts: Dictionary(uniqueKeysWithValues: padded),
            costsOfToday: costs)
    }

    private static func browser(
        _ counts: [ActivityCounter: [Int64]], costs: [Activity.ProjectCost] = [],
        grants: [Identity.OperatorGrant] = [.init(role: .viewer)]
    ) throws -> ConsoleBrowser {
        let browser = try ConsoleBrowser(grants)
        browser.harness.mesh.reply(to: Activity.self) { request in
            Self.reply(request.span, counts, costs: request.project == nil ? costs : [])
        }
        browser.harness.mesh.reply(to: MFASMS.ReadSendingStatus.self) { _ in
            .init(
                spentThisHourMicros: 0, spentThisDayMicros: 82_000_000, budgetPerHourMicros: 20_000_000,
                budgetPerDayMicros: 100_000_000, sentThisDay: 1640, verifiedThisDay: 900, blockedPrefixes: [])
        }
        return browser
    }

    /// One of the tasks of an operator, with the units of `LATCHKEY_SMS_PRICES`.
    @Test(arguments: ["/console", "/console/projects/shop/activity"])
    func overviewSaysWhatSMSCostYesterday(path: String) async throws {
        let browser = try Self.browser([.smsCostMicros: [1_000_000, 12_345_000, 250_000]])
        let page = try await browser.get(path).text
        #expect(
            page.contains(
                #"<dt>Text messages yesterday</dt><dd class="figure"><bdi>12.35</bdi></dd><dd>today 0.25 · 31 days 13.60</dd>"#
            ))
        #expect(page.contains("LATCHKEY_SMS_PRICES"))
        let month = try await browser.get(path, "span=month&table=smsCost").text
        #expect(month.contains("<td><bdi>14 November 2023</bdi></td><td>12.35</td>"))
        #expect(month.contains("13.60 in all, most on 14 November 2023: 12.35."))
    }

    @Test func overviewSaysWhatNeedsAttention() async throws {
        let browser = try Self.browser(
            [
                .smsCostMicros: [82_000_000], .request(.succeeded): [90], .request(.failed): [10],
                .message(.email, .delivered): [5], .message(.email, .failed): [3], .message(.sms, .failed): [2],
            ], costs: [.init(project: Self.shop, micros: 82_000_000)])
        browser.harness.gateway.record(
            ProcessReport(
                service: .notifier, instance: "notifier.1",
                metrics: [
                    .init(
                        name: ProcessReport.Metric.outageName, kind: .gauge,
                        labels: ["component": "email", "reason": "<b>535"], value: 12),
                    .init(
                        name: ProcessReport.Metric.exampleSettingName, kind: .gauge,
                        labels: ["setting": "LATCHKEY_SMTP_FROM", "problem": "names example.com"], value: 1),
                ]))
        let page = try await browser.get("/console").text
        for sentence in [
            "Does not work: notifier.1 · email · &lt;b&gt;535", "Requests failed in the last hour: 10 of 100.",
            "E-mails failed in the last hour: 3 of 8.", "Text messages of shop cost 82.00 of 100.00 today.",
            "LATCHKEY_SMTP_FROM looks like an example.",
        ] {
            #expect(page.contains(sentence), "\(sentence)")
        }
        #expect(!page.contains("Text messages failed in the last hour"))
        #expect(!page.contains("Nothing needs attention"))
        #expect(page.contains(#"<a href="/console/projects/shop/activity"><bdi>shop</bdi></a>"#))
    }

    @Test(arguments: ["/console", "/console/projects/shop/activity"])
    func overviewWithoutCountsTeaches(path: String) async throws {
        let page = try await Self.browser([:]).get(path)
        #expect(page.status == 200)
        #expect(page.text.contains("What users do appears here within a minute."))
        #expect(page.text.contains("No text message was sent."))
        #expect(page.text.contains("Nothing needs attention"))
        #expect(!page.text.contains("Some numbers could not be read"))
    }

    /// Identity, or one of its reads, may be away or of an earlier version: the page stays readable, says that numbers are
    /// missing, and shows none of them as zero.
    @Test(arguments: ["/console", "/console/projects/shop/activity"], [nil] + Identity.ReadActivity.Span.allCases)
    func missingNumbersAreNotZero(path: String, missing: Identity.ReadActivity.Span?) async throws {
        let browser = try Self.browser([:])
        browser.harness.mesh.reply(to: Activity.self) { request in
            if missing == nil || request.span == missing { throw ServiceError(.deadlineExceeded) }
            return Self.reply(request.span, [Self.signIn: [7]])
        }
        let page = try await browser.get(path)
        #expect(page.status == 200)
        #expect(page.text.contains("Some numbers could not be read and are missing on this page."))
        #expect(!page.text.contains("Nothing needs attention"))
        #expect(page.text.contains("Sign-ins today") == (missing == .hour || missing == .day), "the figures")
        #expect(
            page.text.contains("No text message was sent.") == (missing == .hour || missing == .month), "the charts")
    }

    private static let signIn = ActivityCounter.signIn(.password, .accepted)

    /// A budget or a certificate that could not be read may need attention.
    @Test func serviceThatDoesNotReplyIsAFinding() async throws {
        let browser = try Self.browser(
            [.smsCostMicros: [1]], costs: ["shop", "other"].map { .init(project: ProjectID($0), micros: 1) })
        browser.harness.mesh.reply(to: MFASMS.ReadSendingStatus.self) { _ in throw ServiceError(.unavailable) }
        browser.harness.mesh.reply(to: Federation.ListProviders.self) { _ in throw ServiceError(.unavailable) }
        let first = try await browser.get("/console").text
        #expect(first.contains("Does not answer: mfa-sms") && !first.contains("Nothing needs attention"))
        #expect(browser.harness.mesh.sent(MFASMS.ReadSendingStatus.self).count == 1, "the others would wait as long")
        let own = try await browser.get("/console/projects/shop/activity").text
        #expect(own.contains("Does not answer: mfa-sms") && own.contains("Does not answer: federation"))
    }

    /// What happens in the installation is not for an operator of one project.
    @Test func operatorOfAProjectSeesOnlyItsNumbers() async throws {
        let browser = try Self.browser(
            [.signUp(.password): [7]], grants: [.init(project: Self.shop, role: .viewer)])
        let first = try await browser.get("/console").text
        #expect(!first.contains("New accounts today") && !first.contains("<svg viewBox=\"0 0 240"))
        #expect(first.contains("/console/projects/shop/activity"))
        let own = try await browser.get("/console/projects/shop/activity").text
        #expect(own.contains("New accounts today"))
        #expect(browser.harness.mesh.sent(Activity.self).allSatisfy { $0.project == Self.shop })
        #expect(try await browser.get("/console/projects/other/activity").status == 403)
    }

    /// A page for a busy month, with its stylesheet, is as light as every page.
    @Test(arguments: ["hour", "day", "month"]) func busyPageIsLight(span: String) async throws {
        let all = Dictionary(
            uniqueKeysWithValues: ActivityCounter.all.map { counter in
                (counter, (1...24).map { Int64($0 * 1000) })
            })
        let page = try await Self.browser(all).get("/console", "span=\(span)&table=signIns").text
        #expect(page.utf8.count + PageStylesheet.file.utf8.count < 60 * 1024, "\(page.utf8.count)")
        for (open, close) in [("<svg", "</svg>"), ("<table>", "</table>"), ("<section", "</section>")] {
            let counts = [open, close].map { mark in page.split(separator: mark, omittingEmptySubsequences: false).count
            }
            #expect(counts[0] == counts[1])
        }
    }

    // MARK: Rules

    @Test func spendingIsAFindingFromFourFifths() {
        func status(_ day: Int64, _ hour: Int64, budget: Int64? = 100) -> MFASMS.ReadSendingStatus.Reply {
            .init(
                spentThisHourMicros: hour, spentThisDayMicros: day, budgetPerHourMicros: budget,
                budgetPerDayMicros: budget, sentThisDay: 0, verifiedThisDay: 0, blockedPrefixes: [])
        }
        func finding(_ status: MFASMS.ReadSendingStatus.Reply) -> ConsoleFinding? {
            .spending(of: Self.shop, status)
        }
        #expect(finding(status(79, 79)) == nil)
        #expect(
            finding(status(80, 0))
                == .spendingNearBudget(Self.shop, spentMicros: 80, budgetMicros: 100, isOfDay: true))
        #expect(
            finding(status(0, 99))
                == .spendingNearBudget(Self.shop, spentMicros: 99, budgetMicros: 100, isOfDay: false))
        #expect(finding(status(1000, 1000, budget: nil)) == nil)
    }

    @Test func certificateIsAFindingInItsLastMonth() {
        let now = Moment(milliseconds: 0)
        func provider(_ days: [Int64], isEnabled: Bool = true) -> Federation.Provider {
            .init(
                id: "saml.x", isEnabled: isEnabled, clientID: "",
                kind: .saml(
                    .init(
                        entityID: "e", signOnURL: "https://idp.test/", certificates: [], serviceProviderEntityID: "s",
                        callbackURL: "https://sp.test/",
                        signingCertificates: days.map {
                            .init(certificate: "c", expiresAt: Timestamp(seconds: $0 * 86_400))
                        })))
        }
        #expect(ConsoleFinding.certificates(of: [provider([29])], at: now).count == 1)
        #expect(ConsoleFinding.certificates(of: [provider([31])], at: now).isEmpty)
        #expect(ConsoleFinding.certificates(of: [provider([29, 300])], at: now).isEmpty)
        #expect(ConsoleFinding.certificates(of: [provider([29], isEnabled: false), provider([])], at: now).isEmpty)
    }

    @Test func slowestRequestsAreThoseOfTheLastPercent() {
        func slowest(_ counts: [ActivityCounter: [Int64]]) -> ActivityCounter.RequestDuration? {
            let activity = ConsoleActivity(Self.reply(.day, counts), span: .day)
            return activity.slowest(in: activity.periods - 1)
        }
        #expect(slowest([:]) == nil)
        #expect(slowest([.requestDuration(.under5ms): [99], .requestDuration(.longer): [1]]) == .under5ms)
        #expect(slowest([.requestDuration(.under5ms): [98], .requestDuration(.under100ms): [2]]) == .under100ms)
        #expect(slowest([.requestDuration(.longer): [1]]) == .longer)
    }

    /// Every method is in a bar, and the minutes of an hour are joined by five.
    @Test func everySignInIsInOneBar() {
        let methods = ActivityCounter.SignInMethod.Group.allCases.flatMap(\.methods)
        #expect(methods.count == ActivityCounter.SignInMethod.allCases.count)
        #expect(Set(methods) == Set(ActivityCounter.SignInMethod.allCases))
        let hour = ConsoleActivity(Self.reply(.hour, [.signUp(.phone): [1, 2, 4, 8, 16, 32]]), span: .hour)
        #expect(hour.periods == 12)
        #expect(hour.values([.signUp(.phone)]).suffix(2) == [1, 62])
        #expect(hour.begin(of: 11) == Self.midnight - .seconds(240))
    }
}
