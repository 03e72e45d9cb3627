import Contracts
import PhoneNumbers
import Vocabulary

/// A scope in which messages are counted. The raw values are stored.
enum SendingScope: String, CaseIterable, Sendable {
    case number, account, address
    /// The /48 around an IPv6 network.
    case site
    case prefixHour = "rangeHour", prefixDay = "rangeDay"
    case projectHour, projectDay
    /// The messages of a project to untrusted prefixes, without second factors.
    case newPrefixesHour = "newRangesHour", newPrefixesDay = "newRangesDay"

    /// The length of a window.
    var windowSeconds: Int64 {
        switch self {
        case .address, .site, .prefixHour, .projectHour, .newPrefixesHour: 60 * 60
        case .number, .account, .prefixDay, .projectDay, .newPrefixesDay: 24 * 60 * 60
        }
    }

    /// The hour or day of the clock, in UTC, that contains `now`.
    func window(at now: Moment) -> (start: Moment, end: Moment) {
        let length = Duration.seconds(windowSeconds)
        let start = now.windowStart(of: length)
        return (start, start + length)
    }
}

/// The messages of one window.
struct SendingCount: Equatable, Sendable {
    var sent = 0
    var verified = 0
    var spentMicros: Int64 = 0
}

/// A limit that refuses a message.
struct ExceededLimit: Equatable, Sendable {
    /// The raw values are stored.
    enum Reason: String, CaseIterable, Sendable {
        case resendBackoff = "wait", number, account, address, prefix = "range", conversion, budget, newPrefixes =
            "newRanges"
    }
    var reason: Reason
    var until: Moment

    var error: ServiceError {
        let limit: LimitName =
            switch reason {
            case .resendBackoff: .smsResendBackoff
            case .number: .smsPerNumber
            case .account: .smsPerAccount
            case .address: .smsPerNetwork
            case .prefix: .smsPerPrefix
            case .conversion: .smsPrefixConversion
            case .budget, .newPrefixes: .smsProjectBudget
            }
        return .limited(by: limit, until: until)
    }
}

/// The counts that a sent message increments. A refund decrements the same ones.
struct SendingCountIncrement: Equatable, Sendable {
    var scopes: [SendingScope]
    var priceMicros: Int64

    init(_ send: CountedSend, hasAddress: Bool, isNewPrefix: Bool, price: Int64) {
        scopes = SendingScope.allCases.filter { scope in
            switch scope {
            case .number, .prefixHour, .prefixDay, .projectHour, .projectDay: true
            case .account: send.accountID != nil
            // The store skips the /48 of an address that has none.
            case .address, .site: hasAddress
            case .newPrefixesHour, .newPrefixesDay: isNewPrefix
            }
        }
        priceMicros = price
    }
}

/// Decides whether a message is sent. The store loads it and saves it again in one transaction.
///
/// Only sent messages are counted. Refused requests add no rows to the counts.
struct SendingLimiter: Equatable, Sendable {
    /// Nil when no message was sent to the number recently, or its code was verified.
    var resendBackoff: ResendBackoff?
    var counts: [SendingScope: SendingCount]
    var prefix: PrefixRecord

    enum Decision: Equatable, Sendable {
        case admitted(SendingCountIncrement)
        case refused(ExceededLimit)
    }

    /// Evaluates a message, and counts it in `resendBackoff` and `prefix` if it may be sent. The limits of the user come
    /// before those of the project.
    /// - Parameter hasAddress: whether the message counts for the address of its client.
    mutating func admit(
        _ send: CountedSend, hasAddress: Bool, _ policy: SendingPolicy, at now: Moment
    ) -> Decision {
        if let until = resendBackoff?.nextAllowedAt(delays: policy.resendDelays, at: now) {
            return .refused(ExceededLimit(reason: .resendBackoff, until: until))
        }
        if let exceeded = exceededPerUserLimit(policy.counts, at: now) { return .refused(exceeded) }
        // The number of a second factor was verified before, and the user is not responsible for its prefix.
        if send.purpose != .secondFactor {
            switch prefix.evaluate(policy.conversion, at: now) {
            case .open: break
            case .deferred(let until): return .refused(ExceededLimit(reason: .prefix, until: until))
            case .blocked(let until): return .refused(ExceededLimit(reason: .conversion, until: until))
            }
            if let exceeded = exceededPrefixLimit(policy.counts, at: now) { return .refused(exceeded) }
        }
        let entry = entry(send, hasAddress: hasAddress, policy)
        if let exceeded = exceededBudget(policy.budget, send.purpose, entry, at: now) { return .refused(exceeded) }
        if resendBackoff == nil {
            resendBackoff = ResendBackoff(at: now)
        } else {
            resendBackoff?.recordMessage(at: now)
        }
        prefix.countSent(at: now)
        return .admitted(entry)
    }

    /// Removes the last message to this number.
    /// - Returns: the counts that it had incremented.
    mutating func refund(_ send: CountedSend, hasAddress: Bool, _ policy: SendingPolicy) -> SendingCountIncrement {
        resendBackoff = resendBackoff?.withoutLastMessage
        prefix.removeSent()
        return entry(send, hasAddress: hasAddress, policy)
    }

    private func entry(_ send: CountedSend, hasAddress: Bool, _ policy: SendingPolicy) -> SendingCountIncrement {
        SendingCountIncrement(
            send, hasAddress: hasAddress,
            isNewPrefix: send.purpose != .secondFactor && !prefix.isTrusted(by: policy.conversion),
            price: policy.price(in: send.number.region))
    }

    private func exceededPerUserLimit(_ counts: SendingPolicy.Counts, at now: Moment) -> ExceededLimit? {
        let number = count(for: .number)
        if isReached(counts.perNumber, by: max(0, number.sent - number.verified))
            || isReached(counts.perNumberTotal, by: number.sent)
        {
            return exceededLimit(.number, .number, at: now)
        }
        if isReached(counts.perAccount, by: count(for: .account).sent) {
            return exceededLimit(.account, .account, at: now)
        }
        if isReached(counts.perAddress, by: count(for: .address).sent) {
            return exceededLimit(.address, .address, at: now)
        }
        let perSite = counts.perAddress?.multipliedSaturated(by: ClientNetwork.siteFactor)
        if isReached(perSite, by: count(for: .site).sent) { return exceededLimit(.address, .site, at: now) }
        return nil
    }

    private func exceededPrefixLimit(_ counts: SendingPolicy.Counts, at now: Moment) -> ExceededLimit? {
        // The longer window first, because it ends later.
        if isReached(counts.perPrefixInDay, by: count(for: .prefixDay).sent) {
            return exceededLimit(.prefix, .prefixDay, at: now)
        }
        if isReached(counts.perPrefixInHour, by: count(for: .prefixHour).sent) {
            return exceededLimit(.prefix, .prefixHour, at: now)
        }
        return nil
    }

    private func exceededBudget(
        _ budget: SendingPolicy.Budget, _ purpose: CountedSend.Purpose, _ entry: SendingCountIncrement, at now: Moment
    ) -> ExceededLimit? {
        let share: Int64 =
            switch purpose {
            case .secondFactor: 100
            case .signIn, .enrollment: SendingPolicy.Budget.firstFactorsPercent
            }
        // The longer window first, because it ends later.
        for (bound, whole, new) in [
            (budget.inDay, SendingScope.projectDay, SendingScope.newPrefixesDay),
            (budget.inHour, .projectHour, .newPrefixesHour),
        ] {
            guard let bound else { continue }
            if count(for: whole).spentMicros.addingSaturated(entry.priceMicros) > Self.part(share, of: bound) {
                return exceededLimit(.budget, whole, at: now)
            }
            let newPrefixes = Self.part(SendingPolicy.Budget.newPrefixesPercent, of: bound)
            if entry.scopes.contains(new), count(for: new).spentMicros.addingSaturated(entry.priceMicros) > newPrefixes
            {
                return exceededLimit(.newPrefixes, new, at: now)
            }
        }
        return nil
    }

    /// Does not overflow for any budget.
    private static func part(_ percent: Int64, of whole: Int64) -> Int64 {
        whole / 100 * percent + whole % 100 * percent / 100
    }

    private func count(for scope: SendingScope) -> SendingCount { counts[scope] ?? SendingCount() }

    private func isReached(_ bound: Int?, by count: Int) -> Bool { bound.map { count >= $0 } ?? false }

    private func exceededLimit(_ reason: ExceededLimit.Reason, _ scope: SendingScope, at now: Moment) -> ExceededLimit {
        ExceededLimit(reason: reason, until: scope.window(at: now).end)
    }
}
