import Contracts
import Vocabulary

/// Maximum e-mails to one address, and from one project, per clock hour.
package struct EmailLimits: Equatable, Sendable {
    /// Nil: no limit.
    package var perRecipient: Int?
    package var perProject: Int?

    /// One count of a message, and its limit.
    struct Count: Equatable, Sendable {
        /// The counted subject, to be hashed: it contains an address.
        var scope: String
        var bound: Int
        var problem: DeliveryFailure
    }

    static let window = Duration.seconds(60 * 60)

    /// The counts of a message, the narrower one first. Notices have their own counts, apart from e-mails that any
    /// client can request: an attacker in control of an account must not be able to exhaust the limit for the notice of
    /// it.
    func counts(of message: OutgoingMessage) -> [Count] {
        switch message {
        case .email(let request): counts(of: request)
        // The requesting service has already applied its limits.
        case .sms, .push: []
        }
    }

    private func counts(of request: Notifier.SendEmail) -> [Count] {
        let project = request.realm.project.rawValue
        let lane = request.purpose.isNotice ? "notice" : "request"
        let recipient = perRecipient.map {
            Count(
                scope:
                    "recipient/\(lane)/\(project)/\(request.realm.tenant?.rawValue ?? "")/\(request.recipient.folded)",
                bound: $0, problem: DeliveryFailure(.recipientLimit))
        }
        let whole = perProject.map {
            Count(scope: "project/\(lane)/\(project)", bound: $0, problem: DeliveryFailure(.projectLimit))
        }
        return [recipient, whole].compactMap(\.self)
    }
}
