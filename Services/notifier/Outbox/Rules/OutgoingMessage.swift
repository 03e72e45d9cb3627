package import Contracts
import Vocabulary

package typealias Channel = Notifier.Channel

/// The content of a message of any channel. The outbox stores it sealed, as the bare request; the column `channel`
/// determines its type.
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

    /// The purpose in the history.
    var purpose: String {
        switch self {
        case .email(let request): request.purpose.rawValue
        case .sms(let request): request.purpose.rawValue
        case .push: "appVerification"
        }
    }

    /// How long after its acceptance the message is useful.
    var lifetime: Duration {
        switch self {
        case .email(let request): request.purpose.lifetime
        case .sms: MFASMS.codeLifetime
        // Its secret is valid for a minute (security rule SM9).
        case .push: .seconds(60)
        }
    }

    /// Enough for an operator to recognize a recipient, too little to contact one.
    var maskedRecipient: String {
        switch self {
        case .email(let request): request.recipient.masked
        case .sms(let request): "•••" + request.recipient.rawValue.suffix(4)
        case .push(let request): "•••" + request.deviceToken.reveal().suffix(4)
        }
    }

    /// Checks whether a message can be built from it.
    func check() throws(ServiceError) {
        switch self {
        case .email(let request): try request.check()
        case .sms(let request): try request.check()
        case .push(let request): try request.check()
        }
    }
}
