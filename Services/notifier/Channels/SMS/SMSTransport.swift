import Contracts
import Synchronization
import Vocabulary

/// The way text messages leave: several providers in the operator's order.
///
/// A provider that is in trouble is passed over for the next in the same attempt. One whose answer did not come may have
/// sent the message: nobody else is given it, and the same provider is asked again under the same id.
final class SMSTransport: Sendable {
    /// A provider that goes first for some regions.
    struct Alternative: Sendable {
        var provider: SMSProvider
        /// ISO 3166-1 alpha-2.
        var regions: Set<String>
    }

    private let providers: [String: SMSProvider]
    /// In the operator's order.
    private let order: [String]
    private let alternative: Alternative?
    private let prices: SMSPrices
    private let ladder: Mutex<ProviderLadder>
    private let abortion = Abortion<SMSOutcome>()
    private let counters: DeliveryCounters
    private let now: @Sendable () -> Moment
    private let jitter: @Sendable () -> Double

    init(
        _ providers: [SMSProvider], alternative: Alternative? = nil, prices: SMSPrices = SMSPrices(),
        counters: DeliveryCounters, now: @escaping @Sendable () -> Moment, jitter: @escaping @Sendable () -> Double
    ) {
        let all = providers + (alternative.map { [$0.provider] } ?? [])
        self.providers = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        order = providers.map(\.name)
        self.alternative = alternative
        self.prices = prices
        ladder = Mutex(ProviderLadder(self.providers.mapValues(\.callTime)))
        self.counters = counters
        self.now = now
        self.jitter = jitter
        for provider in all { counters.setProvider(provider.name, isAvoided: false) }
    }

    /// - Parameter concurrency: messages at a time.
    func transport(concurrency: Int) -> Transport {
        Transport(
            channel: .sms, deliver: deliver, abort: abortion.abort, concurrency: concurrency,
            longestAttempt: providers.values.reduce(.zero) { $0 + $1.callTime })
    }

    private func deliver(_ leased: LeasedMessage) async -> AttemptOutcome {
        guard case .sms(let request) = leased.content else { return .refused(DeliveryProblem(.unsendable)) }
        let message = OutgoingSMS(leased.message, request)
        let route = route(of: message, pinnedTo: leased.message.provider)
        var met: [(name: String, outcome: SMSOutcome)] = []
        // One that must wait for its own provider does not hold up those that can go another way.
        let isWaiting = leased.message.provider != nil && !isAlone
        while let name = ladder.withLock({
            $0.next(of: route, after: met.map(\.name), at: now(), orNearest: !isWaiting)
        }) {
            guard let provider = providers[name] else { break }
            let began = now()
            guard let outcome = await abortion.outcome(of: { await provider.send(message) }) else {
                return .uncertain(
                    Doubt(
                        provider: name, problem: DeliveryProblem(.interrupted),
                        pause: provider.remembersIDs ? nil : SMSProvider.receiptTime))
            }
            note(outcome, of: name, began: began)
            switch outcome {
            case .taken(let price):
                return .taken(ProviderReceipt(provider: name, price: price ?? prices.price(in: message.region)))
            case .refused(let problem): return .refused(problem)
            case .uncertain(let problem):
                return .uncertain(
                    Doubt(
                        provider: name, problem: problem,
                        pause: provider.remembersIDs ? nil : SMSProvider.receiptTime, isServerTrouble: isAlone))
            case .unroutable, .busy, .trouble: met.append((name, outcome))
            }
        }
        let sum = Self.sum(met.map(\.outcome))
        guard isWaiting else { return sum }
        switch sum {
        case .serverTrouble(let problem): return .delayed(problem)
        // Nobody was asked.
        case .refused where met.isEmpty: return .delayed(leased.message.problem ?? DeliveryProblem(.timedOut))
        case .taken, .uncertain, .delayed, .refused, .interrupted: return sum
        }
    }

    /// Nobody else is there to ask.
    private var isAlone: Bool { providers.count == 1 }

    /// Who may be given the message, the best first.
    private func route(of message: OutgoingSMS, pinnedTo provider: String?) -> [String] {
        // A provider the operator has taken away will not say any more what it did.
        if let provider, providers[provider] != nil { return [provider] }
        guard let alternative, let region = message.region, alternative.regions.contains(region) else { return order }
        return [alternative.provider.name] + order
    }

    private func note(_ outcome: SMSOutcome, of name: String, began: Moment) {
        let isAvoided = ladder.withLock { ladder in
            switch outcome {
            case .taken, .refused, .unroutable: ladder.succeed(name)
            case .trouble, .uncertain: ladder.fail(name, admittedAt: began, at: now(), jitter: jitter())
            case .busy: break
            }
            return ladder.breakers[name]?.isOpen ?? false
        }
        counters.countCall(of: name, outcome.word)
        counters.setProvider(name, isAvoided: isAvoided)
    }

    /// What it means that nobody took the message.
    static func sum(_ outcomes: [SMSOutcome]) -> AttemptOutcome {
        var refusal: DeliveryProblem?
        var delay: DeliveryProblem?
        var trouble: DeliveryProblem?
        for outcome in outcomes {
            switch outcome {
            case .unroutable(let problem): refusal = refusal ?? problem
            case .busy(let problem): delay = delay ?? problem
            case .trouble(let problem): trouble = trouble ?? problem
            case .taken, .refused, .uncertain: break
            }
        }
        return switch (refusal, delay, trouble) {
        case (_, let problem?, _): .delayed(problem)
        case (nil, nil, let problem?): .serverTrouble(problem)
        // One has no way there, and the other may be back soon.
        case (_?, nil, let problem?): .delayed(problem)
        case (let problem?, nil, nil): .refused(problem)
        case (nil, nil, nil): .refused(DeliveryProblem(.unroutable))
        }
    }
}

extension Transport {
    /// Text messages into the inbox of development.
    package static func smsInbox(_ store: NotifierStore) -> Transport {
        Transport(
            channel: .sms,
            deliver: { leased in
                guard case .sms(let request) = leased.content else { return .refused(DeliveryProblem(.unsendable)) }
                do {
                    try await store.deliverToInbox(
                        .init(
                            id: leased.message.id, realm: request.realm, channel: .sms,
                            purpose: request.purpose.rawValue, receivedAt: leased.message.acceptedAt,
                            sender: request.appName, recipient: request.recipient.rawValue, subject: "Text message",
                            text: SMSText(request).body, html: "", link: nil))
                    return .taken(ProviderReceipt(provider: "inbox"))
                } catch {
                    return .delayed(DeliveryProblem(.other))
                }
            }, abort: {}, concurrency: 4, longestAttempt: .seconds(10))
    }
}

/// What messages cost where providers do not say it.
package struct SMSPrices: Equatable, Sendable {
    var currency = "USD"
    var table = MessagePrices()

    /// Nil for nothing known.
    func price(in region: String?) -> ProviderReceipt.Price? {
        table.price(in: region).map { .init(micros: $0, currency: currency) }
    }
}
