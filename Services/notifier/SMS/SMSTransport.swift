import Contracts
import Delivery
import Synchronization
import Vocabulary

/// The SMS transport: several providers in the operator's order.
///
/// After a failure the next provider is tried in the same attempt. A provider whose response did not arrive may have
/// sent the message: then only this provider is called again, under the same id.
final class SMSTransport: Sendable {
    /// A provider that has precedence in some regions.
    struct RegionalProvider: Sendable {
        var provider: SMSProvider
        /// ISO 3166-1 alpha-2.
        var regions: Set<String>
    }

    private let providers: [String: SMSProvider]
    /// In the operator's order.
    private let order: [String]
    private let alternative: RegionalProvider?
    private let prices: SMSPrices
    private let failover: Mutex<ProviderFailover>
    private let counters: DeliveryMetrics
    /// The steady clock.
    private let instant: @Sendable () -> ContinuousClock.Instant
    private let jitter: @Sendable () -> Double

    init(
        _ providers: [SMSProvider], alternative: RegionalProvider? = nil, prices: SMSPrices = SMSPrices(),
        counters: DeliveryMetrics, instant: @escaping @Sendable () -> ContinuousClock.Instant,
        jitter: @escaping @Sendable () -> Double
    ) {
        let all = providers + (alternative.map { [$0.provider] } ?? [])
        self.providers = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        order = providers.map(\.name)
        self.alternative = alternative
        self.prices = prices
        failover = Mutex(ProviderFailover(self.providers.mapValues(\.callTimeout)))
        self.counters = counters
        self.instant = instant
        self.jitter = jitter
        for provider in all { counters.setCircuit(of: provider.name, isOpen: false) }
    }

    /// - Parameter concurrency: maximum concurrent messages.
    func transport(concurrency: Int) -> Transport {
        Transport(
            channel: .sms, deliver: deliver, concurrency: concurrency,
            attemptTimeout: providers.values.reduce(.zero) { $0 + $1.callTimeout })
    }

    private func deliver(_ leased: LeasedMessage) async -> DeliveryOutcome {
        guard case .sms(let request) = leased.content else { return .rejected(DeliveryFailure(.unsendable)) }
        let message = OutgoingSMS(leased.message, request)
        let route = route(of: message, pinnedTo: leased.message.provider)
        var met: [(name: String, outcome: SMSProviderOutcome)] = []
        // A message pinned to an unavailable provider waits, and does not delay messages that other providers can send.
        let isWaiting = leased.message.provider != nil && !isAlone
        while let name = failover.withLock({
            $0.nextProvider(of: route, after: met.map(\.name), at: instant(), orNearest: !isWaiting)
        }) {
            guard let provider = providers[name] else { break }
            let began = instant()
            guard let outcome = await resultUnlessCancelled(of: { await provider.send(message) }) else {
                return .uncertain(
                    UncertainDelivery(
                        provider: name, problem: DeliveryFailure(.interrupted),
                        pause: provider.isIdempotent ? nil : SMSProvider.receiptWaitTime))
            }
            record(outcome, of: name, began: began)
            switch outcome {
            case .sent(let price):
                return .sent(ProviderAcceptance(provider: name, price: price ?? prices.price(in: message.region)))
            case .rejected(let problem): return .rejected(problem)
            case .uncertain(let problem):
                return .uncertain(
                    UncertainDelivery(
                        provider: name, problem: problem,
                        pause: provider.isIdempotent ? nil : SMSProvider.receiptWaitTime, isTransportFailure: isAlone))
            case .unroutable, .throttled, .unavailable: met.append((name, outcome))
            }
        }
        let combined = Self.combine(met.map(\.outcome))
        guard isWaiting else { return combined }
        switch combined {
        case .transportUnavailable(let problem): return .deferred(problem)
        // No provider was called.
        case .rejected where met.isEmpty: return .deferred(leased.message.problem ?? DeliveryFailure(.timedOut))
        case .sent, .uncertain, .deferred, .rejected, .interrupted: return combined
        }
    }

    /// There is no other provider.
    private var isAlone: Bool { providers.count == 1 }

    /// The candidate providers of the message, in order of preference.
    private func route(of message: OutgoingSMS, pinnedTo provider: String?) -> [String] {
        // A provider that the operator removed can no longer report the result of its call.
        if let provider, providers[provider] != nil { return [provider] }
        guard let alternative, let region = message.region, alternative.regions.contains(region) else { return order }
        return [alternative.provider.name] + order
    }

    private func record(_ outcome: SMSProviderOutcome, of name: String, began: ContinuousClock.Instant) {
        counters.countCall(of: name, outcome.metricLabel, took: instant() - began)
        let isOpen = failover.withLock { failover in
            switch outcome {
            case .sent, .rejected, .unroutable: failover.recordSuccess(name)
            case .unavailable, .uncertain:
                failover.recordFailure(name, admittedAt: began, at: instant(), jitter: jitter())
            case .throttled: break
            }
            return failover.breakers[name]?.isOpen ?? false
        }
        counters.setCircuit(of: name, isOpen: isOpen)
    }

    /// The outcome if no provider accepted the message.
    static func combine(_ outcomes: [SMSProviderOutcome]) -> DeliveryOutcome {
        var rejection: DeliveryFailure?
        var delay: DeliveryFailure?
        var outage: DeliveryFailure?
        for outcome in outcomes {
            switch outcome {
            case .unroutable(let problem): rejection = rejection ?? problem
            case .throttled(let problem): delay = delay ?? problem
            case .unavailable(let problem): outage = outage ?? problem
            case .sent, .rejected, .uncertain: break
            }
        }
        return switch (rejection, delay, outage) {
        case (_, let problem?, _): .deferred(problem)
        case (nil, nil, let problem?): .transportUnavailable(problem)
        // One provider has no route, and another may recover.
        case (_?, nil, let problem?): .deferred(problem)
        case (let problem?, nil, nil): .rejected(problem)
        case (nil, nil, nil): .rejected(DeliveryFailure(.unroutable))
        }
    }
}

extension Transport {
    /// Delivers SMS messages to the dev inbox.
    package static func smsInbox(_ store: NotifierStore) -> Transport {
        inbox(.sms, store, outcome: .sent(ProviderAcceptance(provider: "inbox"))) { leased in
            guard case .sms(let request) = leased.content else { return nil }
            return Notifier.InboxMessage(
                id: leased.message.id, realm: request.realm, channel: .sms, purpose: request.purpose.rawValue,
                receivedAt: leased.message.acceptedAt, sender: request.appName,
                recipient: request.recipient.rawValue, subject: "Text message", text: SMSText(request).body, html: "",
                link: nil)
        }
    }
}

/// The prices of messages where providers do not report them.
package struct SMSPrices: Equatable, Sendable {
    var currency = "USD"
    var table = MessagePrices()

    /// Nil for an unknown price.
    func price(in region: String?) -> ProviderAcceptance.Price? {
        table.price(in: region).map { .init(micros: $0, currency: currency) }
    }
}
