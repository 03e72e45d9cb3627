import Vocabulary

/// Why a message was not delivered, in words for operators. Nothing of the message is in it.
struct DeliveryFailure: Equatable, Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        // The server, or how we are set up for it: no message gets through.
        case unreachable, noAnswer, tls, authentication, senderRefused, serverRefused
        // This message.
        case deferred, recipientRefused, unroutable, contentRefused, timedOut, connectionLost
        case internationalAddress, invalidDomain, unsendable, other
        /// The application is no longer on the device: its token is dead.
        case deviceGone
        // Ourselves.
        case expired, recipientLimit, projectLimit, interrupted
    }

    var kind: Kind
    /// The server's reply code, where it gave one.
    var code: Int?

    init(_ kind: Kind, code: Int? = nil) {
        self.kind = kind
        self.code = code
    }

    /// `recipientRefused 550`.
    var text: String { code.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

    /// What `text` wrote.
    init?(text: String) {
        let (word, code) = text.halves(at: " ")
        guard let kind = Kind(rawValue: String(word)) else { return nil }
        self.init(kind, code: code.flatMap { Int($0) })
    }
}

/// Who has taken a message, and for how much.
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

/// A message that was handed over, perhaps.
struct UncertainDelivery: Equatable, Sendable {
    var provider: String
    var problem: DeliveryFailure
    /// Before the provider is asked again; nil: as long as for any delayed message.
    var pause: Duration?
    /// Nothing else gets through either.
    var isTransportFailure = false
}

/// What came of one attempt.
enum DeliveryOutcome: Equatable, Sendable {
    /// The server has taken the message.
    case sent(ProviderAcceptance?)
    /// A provider may have taken the message: only the same one may be given it again.
    case uncertain(UncertainDelivery)
    /// Not now; later may be better. The server itself works.
    case deferred(DeliveryFailure)
    /// Not this message, ever.
    case rejected(DeliveryFailure)
    /// Nothing gets through at present: no fault of the message.
    case transportUnavailable(DeliveryFailure)
    /// We are about to stop.
    case interrupted
}

extension DeliveryOutcome {
    /// Taken by a server that tells no more than that.
    static let delivered = DeliveryOutcome.sent(nil)
}
