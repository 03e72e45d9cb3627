import Contracts
import Vocabulary

/// What an operator should look at, from the reports of the processes, from what was counted, and from budgets.
enum ConsoleFinding: Equatable, Sendable {
    case serviceAway(ServiceName)
    case componentAway(process: String, component: String, reason: String)
    /// Some of the numbers of the overview could not be read.
    case numbersMissing
    case requestsFail(failed: Int64, of: Int64)
    case messagesFail(Notifier.Channel, failed: Int64, of: Int64)
    case spendingNearBudget(ProjectID, spentMicros: Int64, budgetMicros: Int64, isOfDay: Bool)
    case certificateEnds(provider: String, at: Moment)
    case exampleSetting(String)

    var isUrgent: Bool {
        switch self {
        case .serviceAway: true
        case .componentAway, .numbersMissing, .requestsFail, .messagesFail, .spendingNearBudget, .certificateEnds,
            .exampleSetting:
            false
        }
    }

    // MARK: When something is a finding

    /// One request in a hundred, and one message in ten, and never one alone.
    private static let failuresThatCount: Int64 = 3
    /// The share of a budget.
    private static let spentPercent: Int64 = 80
    static let certificateNotice = Duration.seconds(30 * 86_400)

    /// - Parameter hour: what was counted in the last hour.
    static func failures(in hour: ConsoleActivity) -> [ConsoleFinding] {
        var findings: [ConsoleFinding] = []
        func total(_ counters: [ActivityCounter]) -> Int64 { hour.total(counters) }
        let requests = total(ActivityCounter.RequestOutcome.allCases.map { .request($0) })
        let failed = total([.request(.failed)])
        if failed >= failuresThatCount, failed.multipliedSaturated(by: 100) >= requests {
            findings.append(.requestsFail(failed: failed, of: requests))
        }
        for channel in Notifier.Channel.allCases {
            let messages = total(ActivityCounter.Delivery.allCases.map { .message(channel, $0) })
            let failed = total([.message(channel, .failed)])
            if failed >= failuresThatCount, failed.multipliedSaturated(by: 10) >= messages {
                findings.append(.messagesFail(channel, failed: failed, of: messages))
            }
        }
        return findings
    }

    /// The fuller of both budgets of a project.
    static func spending(of project: ProjectID, _ status: MFASMS.ReadSendingStatus.Reply) -> ConsoleFinding? {
        let budgets = [
            (status.spentThisDayMicros, status.budgetPerDayMicros, true),
            (status.spentThisHourMicros, status.budgetPerHourMicros, false),
        ]
        let near = budgets.first { spent, budget, _ in
            budget.map { $0 > 0 && spent.multipliedSaturated(by: 100) >= $0.multipliedSaturated(by: spentPercent) }
                ?? false
        }
        guard let (spent, budget, isOfDay) = near, let budget else { return nil }
        return .spendingNearBudget(project, spentMicros: spent, budgetMicros: budget, isOfDay: isOfDay)
    }

    /// The certificates with which this installation signs requests to SAML providers. The last one of each provider counts.
    static func certificates(of providers: [Federation.Provider], at now: Moment) -> [ConsoleFinding] {
        providers.compactMap { provider in
            guard provider.isEnabled, case .saml(let saml) = provider.kind,
                let end = saml.signingCertificates.map(\.expiresAt).max(), Moment(end) < now + certificateNotice
            else { return nil }
            return .certificateEnds(provider: provider.id, at: Moment(end))
        }
    }
}
