import Contracts
import Vocabulary

/// How many e-mails may go to one address, and from one project, in an hour of the clock.
package struct EmailLimits: Equatable, Sendable {
    /// Nil: as many as come.
    package var perRecipient: Int?
    package var perProject: Int?

    package init(perRecipient: Int?, perProject: Int?) {
        self.perRecipient = perRecipient
        self.perProject = perProject
    }

    /// One count that a message adds to, and the bound it must not pass.
    struct Count: Equatable, Sendable {
        /// What is counted, to be hashed: it holds an address.
        var scope: String
        var bound: Int
        var problem: DeliveryFailure
    }

    static let window = Duration.seconds(60 * 60)

    /// The counts of a message, the narrower one first. Notices are counted apart from what anybody can ask for: who has
    /// taken an account over must not be able to use up the notice of it.
    func counts(of message: OutgoingMessage) -> [Count] {
        switch message {
        case .email(let request): counts(of: request)
        // Whoever asks for these has judged already.
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
