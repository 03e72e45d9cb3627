package import Contracts
import Vocabulary

package typealias Channel = Notifier.Channel

/// What is to be said to whom, on whichever channel. It lies sealed in the outbox as the bare request; the column
/// `channel` says which it is.
enum OutgoingMessage: Equatable, Sendable {
    case email(Notifier.SendEmail)
    case sms(Notifier.SendSMS)
    case push(Notifier.SendPush)

    var channel: Channel {
        switch self {
        case .email: .email
        case .sms: .sms
        case .push: .push
        }
    }

    var realm: Realm {
        switch self {
        case .email(let request): request.realm
        case .sms(let request): request.realm
        case .push(let request): Realm(project: request.project)
        }
    }

    /// As the history names it.
    var purpose: String {
        switch self {
        case .email(let request): request.purpose.rawValue
        case .sms(let request): request.purpose.rawValue
        case .push: "appVerification"
        }
    }

    /// How long after its acceptance it is still worth sending.
    var lifetime: Duration {
        switch self {
        case .email(let request): request.purpose.lifetime
        case .sms(let request): request.purpose.lifetime
        // The secret in it is good for a minute (security rule SM9).
        case .push: .seconds(60)
        }
    }

    /// Enough for an operator to recognise what somebody asks about, too little to write to.
    var maskedRecipient: String {
        switch self {
        case .email(let request): request.recipient.masked
        case .sms(let request): "•••" + request.recipient.rawValue.suffix(4)
        case .push(let request): "•••" + request.deviceToken.reveal().suffix(4)
        }
    }

    /// Whether a message can be made of it.
    func check() throws(NotifierError) {
        switch self {
        case .email(let request): try request.check()
        case .sms(let request): try request.check()
        case .push(let request): try request.check()
        }
    }
}
