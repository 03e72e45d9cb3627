import Contracts
import FoundationEssentials
import HTTPClient
import Vocabulary

/// One provider of SMS messages.
struct SMSProvider: Sendable {
    /// The name in settings, history and metrics.
    let name: String
    /// The maximum duration of a call.
    let callTimeout: Duration
    /// Whether a call may be repeated under the same message id without a second SMS, because the provider deduplicates
    /// by id. If not, a repetition waits until a receipt could have arrived.
    let isIdempotent: Bool
    /// Sends one message.
    let send: @Sendable (OutgoingSMS) async -> SMSProviderOutcome

    /// The wait after a call of unknown outcome, where a repetition could send a second SMS.
    static let receiptWaitTime = Duration.seconds(60)
}

/// An SMS message, ready to be sent.
struct OutgoingSMS: Sendable {
    var id: MessageID
    var realm: Realm
    var recipient: PhoneNumber
    var region: String?
    var purpose: Notifier.SMSPurpose
    var text: SMSText
    var code: Secret<String>

    init(_ message: OutboxMessage, _ request: Notifier.SendSMS) {
        id = message.id
        realm = request.realm
        recipient = request.recipient
        region = request.region
        purpose = request.purpose
        text = SMSText(request)
        code = request.code
    }
}

/// The outcome of one call to a provider.
enum SMSProviderOutcome: Equatable, Sendable {
    /// With the price if the provider reports it.
    case sent(ProviderAcceptance.Price?)
    /// No provider can deliver this message.
    case rejected(DeliveryFailure)
    /// This provider cannot deliver the message.
    case unroutable(DeliveryFailure)
    /// The provider limits the rate.
    case throttled(DeliveryFailure)
    /// The provider accepts no messages at present, or none from this account.
    case unavailable(DeliveryFailure)
    /// The provider may have accepted the message.
    case uncertain(DeliveryFailure)

    /// The label of the metric.
    var metricLabel: String {
        switch self {
        case .sent: "sent"
        case .rejected: "rejected"
        case .unroutable: "unroutable"
        case .throttled: "throttled"
        case .unavailable: "unavailable"
        case .uncertain: "uncertain"
        }
    }

    /// The outcome of a response without a provider-specific code; nil for 2xx and for an invalid request.
    init?(status: Int) {
        switch status {
        case 200..<300: return nil
        case 401, 403: self = .unavailable(DeliveryFailure(.authentication, code: status))
        case 408, 504: self = .uncertain(DeliveryFailure(.timedOut, code: status))
        case 429: self = .throttled(DeliveryFailure(.deferred, code: status))
        case 400, 409, 413, 422: return nil
        default: self = .unavailable(DeliveryFailure(.serverRefused, code: status))
        }
    }

    /// The outcome of a failed request.
    init(_ error: HTTPClientError) {
        self =
            switch error {
            case .invalidRequest, .addressRefused: .unavailable(DeliveryFailure(.other))
            case .cannotResolve, .cannotConnect: .unavailable(DeliveryFailure(.unreachable))
            case .tls, .noHTTP2: .unavailable(DeliveryFailure(.tls))
            case .timedOut: .uncertain(DeliveryFailure(.timedOut))
            case .tooLarge: .uncertain(DeliveryFailure(.other))
            case .overloaded, .cancelled: .throttled(DeliveryFailure(.interrupted))
            case .other(let code, _): .uncertain(DeliveryFailure(.connectionLost, code: code))
            }
    }
}

extension HTTPClient {
    /// Calls a provider and reads its response. Nothing of it is logged, because it may contain number and text.
    func sendToProvider(
        _ request: HTTPClientRequest, _ read: (HTTPClientResponse) -> SMSProviderOutcome
    ) async -> SMSProviderOutcome {
        do throws(HTTPClientError) {
            return read(try await send(request))
        } catch {
            return SMSProviderOutcome(error)
        }
    }
}

/// An `application/x-www-form-urlencoded` body (WHATWG URL, section 5).
enum FormEncoding {
    static let contentType = (name: "Content-Type", value: "application/x-www-form-urlencoded")

    static func encoded(_ pairs: [(name: String, value: String)]) -> Data {
        Data(pairs.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&").utf8)
    }

    /// - Returns: nil for malformed input.
    static func decoded(_ text: String) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for pair in text.pieces(at: "&", maximumCount: 101) where !pair.isEmpty {
            let (written, rest) = pair.halves(at: "=")
            guard let name = PercentEncoding.decoded(written, isForm: true),
                let value = PercentEncoding.decoded(rest ?? "", isForm: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isASCIINameByte || "_.*".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ProviderAcceptance.Price {
    /// A decimal number in the providers' format, `-0.00750` or `0.0333`. The sign, which indicates the payer, is
    /// ignored. More than six decimals are truncated.
    init?(decimal text: String, currency: String) {
        let (wholeText, fraction) = (text.hasPrefix("-") ? text.dropFirst() : text[...]).halves(at: ".")
        guard let whole = Self.number(wholeText), whole <= 1_000_000 else { return nil }
        var micros: Int64 = 0
        if let fraction {
            guard Self.number(fraction) != nil,
                let part = Self.number(Substring((String(fraction) + "000000").utf8.prefix(6)))
            else { return nil }
            micros = part
        }
        self.init(micros: whole.multipliedSaturated(by: 1_000_000).addingSaturated(micros), currency: currency)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
