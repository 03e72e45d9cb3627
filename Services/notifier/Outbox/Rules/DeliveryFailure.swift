import Vocabulary

/// Why a message was not delivered, for operators. It contains nothing of the message.
struct DeliveryFailure: Equatable, Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        // The server or its configuration: no message can be delivered.
        case unreachable, noAnswer, tls, authentication, senderRefused, serverRefused
        // This message.
        case deferred, recipientRefused, unroutable, contentRefused, timedOut, connectionLost
        case internationalAddress, invalidDomain, unsendable, other
        /// The application was removed from the device: its token is invalid.
        case deviceGone
        /// The URL is not allowed, or leads to an address that requests must not go to.
        case addressRefused
        // The notifier itself.
        case expired, recipientLimit, projectLimit, interrupted
    }

    var kind: Kind
    /// The server's reply code, if there is one.
    var code: Int?

    init(_ kind: Kind, code: Int? = nil) {
        self.kind = kind
        self.code = code
    }

    /// `recipientRefused 550`.
    var text: String { code.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

    /// Parses `text`.
    init?(text: String) {
        let (word, code) = text.halves(at: " ")
        guard let kind = Kind(rawValue: String(word)) else { return nil }
        self.init(kind, code: code.flatMap { Int($0) })
    }
}

/// The provider that accepted a message, and the price.
struct ProviderAcceptance: Equatable, Sendable {
    var provider: String
    var price: Price?

    struct Price: Equatable, Sendable {
        /// Millionths of the currency.
        var micros: Int64
        /// ISO 4217.
        var currency: String
    }
}

/// A message that was possibly accepted.
struct UncertainDelivery: Equatable, Sendable {
    var provider: String
    var problem: DeliveryFailure
    /// The delay before the provider is called again; nil: the delay of any deferred message.
    var pause: Duration?
    /// The failure also affects other messages.
    var isTransportFailure = false
}

/// The outcome of one attempt.
enum DeliveryOutcome: Equatable, Sendable {
    /// The server accepted the message.
    case sent(ProviderAcceptance?)
    /// A provider may have accepted the message: only the same provider may receive it again.
    case uncertain(UncertainDelivery)
    /// Not accepted now; a retry may succeed. The server itself works.
    case deferred(DeliveryFailure)
    /// This message can never be delivered.
    case rejected(DeliveryFailure)
    /// No message can be delivered at present, independent of this message.
    case transportUnavailable(DeliveryFailure)
    /// The process is about to stop.
    case interrupted
}

extension DeliveryOutcome {
    /// Accepted by a server that reports no provider and no price.
    static let delivered = DeliveryOutcome.sent(nil)
}
