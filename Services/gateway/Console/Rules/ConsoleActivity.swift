import Contracts
import Vocabulary

/// What was counted in the periods of a chart.
struct ConsoleActivity: Equatable, Sendable {
    let start: Moment
    let period: Duration
    let periods: Int
    private let counts: [String: [Int64]]

    /// Minutes of the last hour are shown together.
    private static let minutesPerBar = 5
    private static let maximumPeriods = 400

    init(_ reply: Identity.ReadActivity.Reply, span: Identity.ReadActivity.Span) {
        self.init(reply, joining: span == .hour ? Self.minutesPerBar : 1)
    }

    /// - Parameter size: periods of the reply that become one.
    private init(_ reply: Identity.ReadActivity.Reply, joining size: Int) {
        start = reply.start
        period = .seconds(min(max(1, reply.periodSeconds), 86_400)) * size
        periods = min(max(0, reply.periods), Self.maximumPeriods) / size
        counts = reply.counts.mapValues { amounts in
            stride(from: 0, to: amounts.count, by: size).map { first in
                amounts.dropFirst(first).prefix(size).reduce(0) { $0.addingSaturated($1) }
            }
        }
    }

    func begin(of index: Int) -> Moment { start + period * index }

    /// The sum of some counters in each period.
    func values(_ counters: [ActivityCounter]) -> [Int64] {
        let lists = counters.compactMap { counts[$0.name] }
        return (0..<periods).map { index in
            lists.reduce(0) { $0.addingSaturated($1.dropFirst(index).first ?? 0) }
        }
    }

    func total(_ counters: [ActivityCounter]) -> Int64 { values(counters).reduce(0) { $0.addingSaturated($1) } }

    /// - Parameter back: 0 for the last period.
    func value(_ counters: [ActivityCounter], back: Int = 0) -> Int64 { values(counters).dropLast(back).last ?? 0 }

    // MARK: Latency

    /// The class of durations that 99 of 100 requests do not exceed.
    /// - Returns: nil without requests.
    func slowest(in index: Int) -> ActivityCounter.RequestDuration? {
        let classes = ActivityCounter.RequestDuration.allCases.map { entry in
            (entry, values([.requestDuration(entry)]).dropFirst(index).first ?? 0)
        }
        let all = classes.reduce(Int64(0)) { $0.addingSaturated($1.1) }
        guard all > 0 else { return nil }
        var counted: Int64 = 0
        for (entry, amount) in classes {
            counted = counted.addingSaturated(amount)
            if counted.multipliedSaturated(by: 100) >= all.multipliedSaturated(by: 99) { return entry }
        }
        return nil
    }
}

extension ActivityCounter {
    static func signIns(_ methods: [SignInMethod], _ outcomes: [Outcome] = [.accepted]) -> [ActivityCounter] {
        methods.flatMap { method in outcomes.map { .signIn(method, $0) } }
    }

    static let signUps = SignInMethod.allCases.map { ActivityCounter.signUp($0) }

    static func secondFactors(_ outcome: Outcome) -> [ActivityCounter] {
        SecondFactorMethod.allCases.map { .secondFactor($0, outcome) }
    }
}

extension ActivityCounter.SignInMethod {
    /// The bars of the chart, so that every method is in one of them.
    enum Group: CaseIterable, Sendable {
        case passkey, password, provider, phone, email, other

        var methods: [ActivityCounter.SignInMethod] {
            ActivityCounter.SignInMethod.allCases.filter { $0.group == self }
        }
    }

    var group: Group {
        switch self {
        case .password: .password
        case .emailLink, .emailCode: .email
        case .phone: .phone
        case .passkey: .passkey
        case .provider: .provider
        case .anonymous, .customToken: .other
        }
    }
}
