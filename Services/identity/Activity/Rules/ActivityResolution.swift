import Contracts
import Vocabulary

/// How exactly the table says when something was counted. Each amount is added to one row of each resolution, so nothing is
/// rolled up later.
enum ActivityResolution: String, CaseIterable, Sendable {
    case minute, hour, day

    var period: Duration {
        switch self {
        case .minute: .seconds(60)
        case .hour: .seconds(3600)
        case .day: .seconds(86_400)
        }
    }

    /// How long a row stays after the begin of its period.
    var lifetime: Duration {
        switch self {
        case .minute: .seconds(2 * 3600)
        case .hour: .seconds(3 * 86_400)
        case .day: .seconds(400 * 86_400)
        }
    }

    /// A row that begins later than this was counted by a clock that was ahead.
    static func latestStart(at now: Moment) -> Moment { .latestOfOtherClocks(at: now) }
}

/// The periods of a chart.
struct ActivityPeriods: Equatable, Sendable {
    let resolution: ActivityResolution
    let start: Moment
    let count: Int

    init(_ span: Identity.ReadActivity.Span, at now: Moment) {
        (resolution, count) =
            switch span {
            case .hour: (.minute, 60)
            case .day: (.hour, 24)
            case .month: (.day, 31)
            }
        start = now.windowStart(of: resolution.period) - resolution.period * (count - 1)
    }

    var periodMilliseconds: Int64 { resolution.period.saturatedMilliseconds }

    /// - Returns: nil for a moment before or behind.
    func index(of moment: Moment) -> Int? {
        let index = Int(clamping: moment.milliseconds(since: start) / periodMilliseconds)
        return moment >= start && index < count ? index : nil
    }
}

/// What a request adds to a row of the table.
struct ActivityIncrement: Equatable, Sendable {
    struct Key: Hashable, Comparable, Sendable {
        /// Empty for the whole installation.
        var project: String
        var resolution: ActivityResolution
        var start: Moment
        var counter: String

        /// In one order in all processes, so that two of them do not wait for each other.
        static func < (left: Self, right: Self) -> Bool {
            (left.project, left.resolution.rawValue, left.start, left.counter)
                < (right.project, right.resolution.rawValue, right.start, right.counter)
        }
    }

    var key: Key
    var amount: Int64

    static let installation = ""

    /// The increments of a request, one for each row and ordered. Unknown counters are ignored.
    static func all(of entries: [Identity.RecordActivity.Entry], at now: Moment) -> [ActivityIncrement] {
        var amounts: [Key: Int64] = [:]
        for entry in entries where entry.amount > 0 && ActivityCounter(name: entry.counter) != nil {
            let age = min(max(.zero, .seconds(entry.ageSeconds)), Identity.RecordActivity.maximumAge)
            let amount = min(entry.amount, Identity.RecordActivity.maximumAmount)
            for project in [entry.project?.rawValue, installation].compactMap(\.self) {
                for resolution in ActivityResolution.allCases {
                    let key = Key(
                        project: project, resolution: resolution, start: (now - age).windowStart(of: resolution.period),
                        counter: entry.counter)
                    amounts[key] = (amounts[key] ?? 0).addingSaturated(amount)
                }
            }
        }
        return amounts.map { ActivityIncrement(key: $0.key, amount: $0.value) }.sorted { $0.key < $1.key }
    }
}
