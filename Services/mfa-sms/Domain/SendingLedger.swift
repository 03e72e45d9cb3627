import Contracts
import PhoneNumbers
import Vocabulary

/// What messages are counted by. The raw values stand in rows.
enum SendingScope: String, CaseIterable, Sendable {
    case number, account, address
    case rangeHour, rangeDay
    case projectHour, projectDay
    /// The part of a project's messages that went to ranges which had not proved good, without second factors.
    case newRangesHour, newRangesDay

    /// Seconds that are counted together.
    var windowSeconds: Int64 {
        switch self {
        case .address, .rangeHour, .projectHour, .newRangesHour: 60 * 60
        case .number, .account, .rangeDay, .projectDay, .newRangesDay: 24 * 60 * 60
        }
    }

    /// The hour or day of the clock, in UTC, that `now` lies in.
    func window(at now: Moment) -> (start: Moment, end: Moment) {
        let length = Duration.seconds(windowSeconds)
        let start = now.windowStart(of: length)
        return (start, start + length)
    }
}

/// What was sent in one window.
struct SendingTally: Equatable, Sendable {
    var sent = 0
    var verified = 0
    var spentMicros: Int64 = 0
}

/// A limit that is in the way of a message.
struct SendingTrip: Equatable, Sendable {
    /// The raw values stand in rows.
    enum Reason: String, CaseIterable, Sendable {
        case wait, number, account, address, range, conversion, budget, newRanges
    }
    var reason: Reason
    var until: Moment

    var error: SMSError {
        switch reason {
        case .wait: .resendTooSoon(until: until)
        case .number, .account, .address, .range: .sendLimitReached(until: until)
        case .conversion: .prefixClosed(until: until)
        case .budget, .newRanges: .budgetSpent(until: until)
        }
    }
}

/// What a message that is sent adds to: the same is taken away when it could not be handed over.
struct SendingEntry: Equatable, Sendable {
    var scopes: [SendingScope]
    var priceMicros: Int64

    init(_ send: ProposedSend, hasAddress: Bool, isNewRange: Bool, price: Int64) {
        scopes = SendingScope.allCases.filter { scope in
            switch scope {
            case .number, .rangeHour, .rangeDay, .projectHour, .projectDay: true
            case .account: send.accountID != nil
            case .address: hasAddress
            case .newRangesHour, .newRangesDay: isNewRange
            }
        }
        priceMicros = price
    }
}

/// All that decides whether one message is sent. The store reads it, lets it decide and writes it back, in one transaction.
///
/// Only what is sent is counted: who asks in vain fills no table, and the rows of a project are as many as its messages.
struct SendingLedger: Equatable, Sendable {
    /// Nil: nothing was sent to the number of late, or its code came back.
    var ladder: ResendLadder?
    var tallies: [SendingScope: SendingTally]
    var range: RangeRecord

    enum Verdict: Equatable, Sendable {
        case admitted(SendingEntry)
        case refused(SendingTrip)
    }

    /// Judges a message, and counts it in `ladder` and `range` when it is to be sent. What concerns the person is judged
    /// before what concerns the project: a wait is told as such.
    /// - Parameter hasAddress: its sender's address is known, and counts.
    mutating func admit(
        _ send: ProposedSend, hasAddress: Bool, _ policy: SendingPolicy, at now: Moment
    ) -> Verdict {
        if let until = ladder?.wait(policy.waits, at: now) { return .refused(SendingTrip(reason: .wait, until: until)) }
        if let trip = spentPerson(policy.counts, at: now) { return .refused(trip) }
        // The owner of a second factor has proved the number once, and what strangers do in its range is not their doing.
        if send.purpose != .secondFactor {
            switch range.judge(policy.conversion, at: now) {
            case .open: break
            case .held(let until): return .refused(SendingTrip(reason: .range, until: until))
            case .closed(let until): return .refused(SendingTrip(reason: .conversion, until: until))
            }
            if let trip = spentRange(policy.counts, at: now) { return .refused(trip) }
        }
        let entry = entry(send, hasAddress: hasAddress, policy)
        if let trip = spentBudget(policy.budget, send.purpose, entry, at: now) { return .refused(trip) }
        if ladder == nil { ladder = ResendLadder(at: now) } else { ladder?.climb(at: now) }
        range.countSent(at: now)
        return .admitted(entry)
    }

    /// Takes the last message to this number back.
    /// - Returns: what it had added to.
    mutating func refund(_ send: ProposedSend, hasAddress: Bool, _ policy: SendingPolicy) -> SendingEntry {
        ladder = ladder?.stepBack
        range.takeBackSent()
        return entry(send, hasAddress: hasAddress, policy)
    }

    private func entry(_ send: ProposedSend, hasAddress: Bool, _ policy: SendingPolicy) -> SendingEntry {
        SendingEntry(
            send, hasAddress: hasAddress,
            isNewRange: send.purpose != .secondFactor && !range.hasProved(policy.conversion),
            price: policy.price(in: send.number.region))
    }

    private func spentPerson(_ counts: SendingPolicy.Counts, at now: Moment) -> SendingTrip? {
        let number = tally(.number)
        if isReached(counts.perNumber, by: max(0, number.sent - number.verified))
            || isReached(counts.perNumberInAll, by: number.sent)
        {
            return trip(.number, .number, at: now)
        }
        if isReached(counts.perAccount, by: tally(.account).sent) { return trip(.account, .account, at: now) }
        if isReached(counts.perAddress, by: tally(.address).sent) { return trip(.address, .address, at: now) }
        return nil
    }

    private func spentRange(_ counts: SendingPolicy.Counts, at now: Moment) -> SendingTrip? {
        // The longer window first: it is the one to wait for.
        if isReached(counts.perRangeInDay, by: tally(.rangeDay).sent) { return trip(.range, .rangeDay, at: now) }
        if isReached(counts.perRangeInHour, by: tally(.rangeHour).sent) { return trip(.range, .rangeHour, at: now) }
        return nil
    }

    private func spentBudget(
        _ budget: SendingPolicy.Budget, _ purpose: ProposedSend.Purpose, _ entry: SendingEntry, at now: Moment
    ) -> SendingTrip? {
        let share: Int64 =
            switch purpose {
            case .secondFactor: 100
            case .signIn, .enrollment: SendingPolicy.Budget.firstFactorsPercent
            }
        // The longer window first: it is the one to wait for.
        for (bound, whole, new) in [
            (budget.inDay, SendingScope.projectDay, SendingScope.newRangesDay),
            (budget.inHour, .projectHour, .newRangesHour),
        ] {
            guard let bound else { continue }
            if tally(whole).spentMicros.addingSaturated(entry.priceMicros) > Self.part(share, of: bound) {
                return trip(.budget, whole, at: now)
            }
            let newRanges = Self.part(SendingPolicy.Budget.newRangesPercent, of: bound)
            if entry.scopes.contains(new), tally(new).spentMicros.addingSaturated(entry.priceMicros) > newRanges {
                return trip(.newRanges, new, at: now)
            }
        }
        return nil
    }

    /// Without an overflow for any budget.
    private static func part(_ percent: Int64, of whole: Int64) -> Int64 {
        whole / 100 * percent + whole % 100 * percent / 100
    }

    private func tally(_ scope: SendingScope) -> SendingTally { tallies[scope] ?? SendingTally() }

    private func isReached(_ bound: Int?, by count: Int) -> Bool { bound.map { count >= $0 } ?? false }

    private func trip(_ reason: SendingTrip.Reason, _ scope: SendingScope, at now: Moment) -> SendingTrip {
        SendingTrip(reason: reason, until: scope.window(at: now).end)
    }
}
